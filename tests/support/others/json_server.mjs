// SPDX-License-Identifier: Apache-2.0
// json_server.mjs INSTALLED PORT_FILE: the installed json-server on 127.0.0.1 with an empty list
// of credits in memory. The port file appears once it listens.
import {createRequire} from 'node:module';
import {renameSync, writeFileSync} from 'node:fs';

const [installed, portFile] = process.argv.slice(2);
const jsonServer = createRequire(`${installed}/`)('json-server');
const app = jsonServer.create();
app.use(jsonServer.defaults({logger: false}), jsonServer.router({credits: []}));
const listening = app.listen(0, '127.0.0.1', () => {
  writeFileSync(`${portFile}.new`, `${listening.address().port}\n`);
  renameSync(`${portFile}.new`, portFile);
});
