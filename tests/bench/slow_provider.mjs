// SPDX-License-Identifier: Apache-2.0
// A billing provider that takes its time: slow_provider.mjs PORT-FILE MILLISECONDS. It holds the one
// credit of every key that it is asked for, and prints how many requests came in each second.
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';

const [portFile, delay] = process.argv.slice(2);
let requests = 0;

function answer(key) {
  return JSON.stringify({
    data: [{ id: `cr_${key}`, idempotency_key: key, account_id: 'A-1187', amount: '250.00', currency: 'USD', status: 'posted' }],
    has_more: false,
  });
}

const server = createServer({ keepAlive: true, keepAliveTimeout: 60000 }, (request, response) => {
  requests += 1;
  const key = new URL(request.url, 'http://localhost').searchParams.get('idempotency_key');
  setTimeout(() => {
    response.setHeader('Content-Type', 'application/json');
    response.end(answer(key));
  }, Number(delay));
});
server.listen(0, '127.0.0.1', () => writeFileSync(portFile, `${server.address().port}\n`));
setInterval(() => {
  if (requests > 0) console.log(requests);
  requests = 0;
}, 1000);
