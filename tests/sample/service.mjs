// SPDX-License-Identifier: Apache-2.0
// service.mjs INSTALLED PORT_FILE: a service that keeps the contract, in a language that is not the
// daemon's. Each function of the contract is one autocommit statement through the extended protocol.
// The port file appears once it listens, on 127.0.0.1.
//
//   POST /credits {token, operation_id, caller, account, amount, currency}
//   GET  /operations/ID?caller=CALLER
//   POST /revocations {token}          the signed token is the proof that it was issued
//   POST /orders {user, item}          with an Idempotency-Key
//
// From the environment: DATABASE_URL (a login with reconciled_admission), REVOCATION_URL (one with
// reconciled_revocation), PROVIDER_URL, ISSUER_SECRET.
import {createHash, createHmac, timingSafeEqual} from 'node:crypto';
import {createServer} from 'node:http';
import {createRequire} from 'node:module';
import {renameSync, writeFileSync} from 'node:fs';

const [installed, portFile] = process.argv.slice(2);
const {DATABASE_URL, REVOCATION_URL, PROVIDER_URL, ISSUER_SECRET} = process.env;
const {Pool} = createRequire(`${installed}/`)('pg');

const providerTimeoutMs = 10_000; // timings.billing_call_timeout
const storeTimeoutMs = 5_000; // timings.store_call_timeout

const connect = (connectionString) => {
  const pool = new Pool({
    connectionString,
    options: '-c search_path=reconciled,pg_temp',
    connectionTimeoutMillis: storeTimeoutMs,
    statement_timeout: storeTimeoutMs,
  });
  // A connection that breaks is told by the call that is under way, and replaced by the next one.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
};
const store = connect(DATABASE_URL);
const revocationStore = connect(REVOCATION_URL);

// SELECT * FROM NAME(argument => $1, …): the first row.
const call = async (on, name, args) => {
  const list = Object.keys(args).map((key, i) => `${key} => $${i + 1}`);
  const {rows} = await on.query(`SELECT * FROM ${name}(${list.join(', ')})`, Object.values(args));
  return rows[0];
};

class Refusal extends Error {
  constructor(status, told) {
    super(told);
    this.status = status;
  }
}

// PAYLOAD.SIGNATURE, as the issuer made it. Throws before anything is asked of the database.
const verified = (token) => {
  const [payload = '', signature = ''] = String(token).split('.');
  const right = createHmac('sha256', ISSUER_SECRET).update(payload).digest();
  const seen = Buffer.from(signature, 'base64url');
  if (seen.length !== right.length || !timingSafeEqual(seen, right)) {
    throw new Refusal(403, 'not a token of ours');
  }
  return JSON.parse(Buffer.from(payload, 'base64url')); // {issuer, grant_id, expires_at}
};

// Only what the provider says in so many words is Succeeded or Failed.
const create = async ({operation_id, account, amount, currency}) => {
  try {
    const answer = await fetch(`${PROVIDER_URL}/v1/credits`, {
      method: 'POST',
      headers: {'Idempotency-Key': operation_id, 'Content-Type': 'application/json'},
      body: JSON.stringify({account, amount, currency}),
      signal: AbortSignal.timeout(providerTimeoutMs),
    });
    if (answer.ok) return {outcome: 'Succeeded', reference: (await answer.json()).id};
    if ([402, 422].includes(answer.status)) return {outcome: 'Failed', reference: null};
  } catch {
    // Whether it was done is the daemon's to find out.
  }
  return {outcome: 'Unknown', reference: null};
};

const credits = async (body) => {
  const grant = verified(body.token);
  const admission = await call(store, 'admit_token_grant', {
    ...grant,
    operation_id: body.operation_id,
    caller_id: body.caller,
    account_id: body.account,
    amount: body.amount,
    currency: body.currency,
  });
  if (admission.outcome === 'Refused') {
    console.error(`refused ${body.operation_id}: ${admission.detail}`); // never for the caller
    throw new Refusal(409, 'refused');
  }
  if (admission.outcome !== 'Admitted') return [200, admission.status];

  const operation = {operation_id: body.operation_id, owner_version: 1};
  if (!(await call(store, 'may_submit', operation)).may_submit) return [202, 'pending'];
  const {outcome, reference} = await create(body);
  const {record_outcome: recorded} = await call(store, 'record_outcome', {
    ...operation,
    outcome,
    provider_reference: reference,
  });
  return recorded && outcome !== 'Unknown' ? [201, outcome] : [202, 'pending'];
};

const revocations = async (body) => {
  const grant = verified(body.token);
  const {revoke_token_grant: revoked} = await call(revocationStore, 'revoke_token_grant', grant);
  return [200, revoked ? 'revoked' : 'too late'];
};

const operation = async (id, caller) => {
  const found = await call(store, 'operation_status', {operation_id: id, caller_id: caller});
  if (!found) throw new Refusal(404, 'no such operation');
  return [200, found.status];
};

// The record proves the commit: mark_executed is part of the business transaction.
const carryOut = async (key, claim_id, item) => {
  const client = await store.connect();
  try {
    await client.query('BEGIN');
    await client.query('INSERT INTO orders (item) VALUES ($1)', [item]);
    const {mark_executed: rotated} = await call(client, 'mark_executed', {...key, claim_id});
    await client.query('COMMIT');
    client.release();
    return rotated;
  } catch (error) {
    client.release(error); // closes it, and with it whatever transaction is left
    throw error;
  }
};

const orders = async ({user, item}, idempotency_key) => {
  const key = {user_id: user, endpoint: 'POST /orders', idempotency_key};
  const request_hash = createHash('sha256').update(item).digest();
  const claim = await call(store, 'claim_idempotency_key', {...key, request_hash});
  if (claim.outcome === 'Completed') return [claim.response_status, `${claim.response_body}`];
  if (claim.outcome === 'ResultUnknown') return [202, 'applied'];
  if (claim.outcome !== 'Claimed') throw new Refusal(409, claim.outcome);
  const {claim_id} = claim;
  const rotated = await carryOut(key, claim_id, item).catch(async (error) => {
    // Whether it has committed is asked, not guessed.
    const {outcome} = await call(store, 'read_idempotency_key', {...key, claim_id, request_hash});
    if (outcome === 'Committed') return null; // its rotated id is lost, and with it the answer
    if (outcome === 'Mine') await call(store, 'release_idempotency_key', {...key, claim_id});
    throw error;
  });
  if (!rotated) return [202, 'applied'];
  await call(store, 'complete_idempotency_key', {
    ...key,
    claim_id: rotated,
    response_status: 201,
    response_type: 'text/plain',
    response_body: Buffer.from(`ordered ${item}`),
  });
  return [201, `ordered ${item}`];
};

const answer = async (request) => {
  const url = new URL(request.url, 'http://localhost');
  const [, place, id] = url.pathname.split('/');
  if (request.method === 'GET') return operation(id, url.searchParams.get('caller'));
  let text = '';
  for await (const part of request) text += part;
  const body = JSON.parse(text);
  if (place === 'credits') return credits(body);
  if (place === 'revocations') return revocations(body);
  return orders(body, request.headers['idempotency-key']);
};

const server = createServer(async (request, response) => {
  const [status, told] = await answer(request).catch((error) => {
    if (error instanceof Refusal) return [error.status, error.message];
    console.error(error);
    return [503, 'unavailable'];
  });
  response.writeHead(status, {'Content-Type': 'text/plain'}).end(`${told}\n`);
});
server.listen(0, '127.0.0.1', () => {
  writeFileSync(`${portFile}.new`, `${server.address().port}\n`);
  renameSync(`${portFile}.new`, portFile);
});
