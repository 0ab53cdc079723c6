// SPDX-License-Identifier: Apache-2.0
// serve.mjs INSTALLED PORT PORT_FILE: serves the installed mock on 127.0.0.1 alone (its own program
// listens on every interface); port 0 takes a free one. The port file appears once it listens.
import {createServer} from 'node:http';
import {createRequire} from 'node:module';
import {renameSync, writeFileSync} from 'node:fs';

const [installed, port, portFile] = process.argv.slice(2);
const {createExpressApp} = createRequire(`${installed}/`)('stripe-stateful-mock');
const server = createServer(createExpressApp());
server.listen(Number(port), '127.0.0.1', () => {
  writeFileSync(`${portFile}.new`, `${server.address().port}\n`);
  renameSync(`${portFile}.new`, portFile);
});
