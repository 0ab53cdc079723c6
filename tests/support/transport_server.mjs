// SPDX-License-Identifier: Apache-2.0
// transport_server.mjs FOLDER: TLS servers on 127.0.0.1 that hold a good credit under every key and
// misbehave below HTTP, each in its own way. FOLDER has leaf.key, leaf.pem and chain.pem (the leaf
// and its intermediate). Once all listen FOLDER/ports has "NAME PORT" lines; FOLDER/requests gets a
// line "NAME HTTP-VERSION TARGET" for each request.
import http2 from 'node:http2';
import https from 'node:https';
import {appendFileSync, readFileSync, renameSync, writeFileSync} from 'node:fs';

const [folder] = process.argv.slice(2);
const key = readFileSync(`${folder}/leaf.key`);
const leaf = {key, cert: readFileSync(`${folder}/leaf.pem`)};
const chain = {key, cert: readFileSync(`${folder}/chain.pem`)};

function credit(target) {
  const id = new URL(target, 'https://x').searchParams.get('key');
  return JSON.stringify({data: [{id: `cr_${id}`, key: id, amount: '250.00', currency: 'USD',
    account: 'A-1', state: 'posted'}]});
}

function answer(name, request, response) {
  appendFileSync(`${folder}/requests`, `${name} ${request.httpVersion} ${request.url}\n`);
  response.setHeader('content-type', 'application/json');
  response.end(credit(request.url));
}

// What an HTTP/2 server does with the first request of each path, the first word of which names it.
const once = new Set();
const {NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM} = http2.constants;
const troubles = {
  'goaway-before': ({session}) => session.destroy(undefined, NGHTTP2_NO_ERROR),
  'goaway-after': ({session}, reply) => { reply(); session.close(); },
  reset: stream => stream.close(NGHTTP2_INTERNAL_ERROR),
  refused: stream => stream.close(NGHTTP2_REFUSED_STREAM),
};
const h2 = http2.createSecureServer(chain, (request, response) => {
  const way = request.url.split('/')[1];
  const reply = () => answer('h2', request, response);
  if (way in troubles && !once.has(way)) {
    once.add(way);
    troubles[way](request.stream, reply);
  } else {
    reply();
  }
});

const servers = {
  h2,
  leaf: https.createServer(leaf, (request, response) => answer('leaf', request, response)),
  interim: https.createServer(chain, (request, response) => {
    response.writeContinue();
    response.writeProcessing();
    response.writeEarlyHints({link: '</v1/credits?page=2>; rel=next', 'content-type': 'text/html'});
    answer('interim', request, response);
  }),
  slams: https.createServer(chain).on('secureConnection', socket => socket.destroy()),
};

const ports = [];
for (const [name, server] of Object.entries(servers)) {
  server.on('tlsClientError', () => {}).on('sessionError', () => {});
  await new Promise(listening => server.listen(0, '127.0.0.1', listening));
  ports.push(`${name} ${server.address().port}\n`);
}
writeFileSync(`${folder}/ports.new`, ports.join(''));
renameSync(`${folder}/ports.new`, `${folder}/ports`);
