// When calls are tried again, how often, and when they are given up. The server
// of these tests is a real one of gRPC that refuses.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Client, TorquedError } from 'torqued';
import { NO_SERVER } from './restartable_server.mjs';

const grpc = createRequire(
  new URL('../client/node/dist/index.js', import.meta.url),
)('@grpc/grpc-js');
const { encode, messageType } = await import('../client/node/dist/protocol.js');

const { status } = grpc;
const raw = (bytes) => bytes;

function failure({ code, details = 'no', reason }) {
  const metadata = new grpc.Metadata();
  if (reason) {
    const info = encode(messageType('ErrorInfo'), {
      reason,
      domain: 'torqued',
    });
    const type_url = 'type.googleapis.com/google.rpc.ErrorInfo';
    const detailed = {
      code,
      message: 'no',
      details: [{ type_url, value: info }],
    };
    metadata.set(
      'grpc-status-details-bin',
      encode(messageType('Status'), detailed),
    );
  }
  return { code, details, metadata };
}

/** Calls `body` with the address of a server that ends its calls as `plan`
 * says, by their number, and with the names of those that have come. */
async function withRefusing(plan, body) {
  const calls = [];
  const server = new grpc.Server();
  for (const path of [
    'ServerInfo/GetServerInfo',
    'ModelRegistry/RegisterModel',
    'ModelRegistry/DeleteModel',
  ]) {
    const answer = (_, callback) => {
      calls.push(path.split('/')[1]);
      const refused = plan(calls.length - 1);
      if (refused) callback(failure(refused));
      else callback(null, Buffer.alloc(0));
    };
    server.register(`/torqued.v1.${path}`, answer, raw, raw, 'unary');
  }
  const bind = promisify(server.bindAsync.bind(server));
  const insecure = grpc.ServerCredentials.createInsecure();
  try {
    return await body(
      `127.0.0.1:${await bind('127.0.0.1:0', insecure)}`,
      calls,
    );
  } finally {
    server.forceShutdown();
  }
}

const GONE = { code: status.UNAVAILABLE };

for (const [code, details, isFinal = false, reason = undefined] of [
  [status.CANCELLED, 'CANCELLED'],
  [status.UNKNOWN, 'Stream removed'],
  [status.UNKNOWN, 'No status information received'],
  [status.INTERNAL, 'Received RST_STREAM with code 2'],
  [status.UNAVAILABLE, 'Connection dropped'],
  [status.INTERNAL, 'a fault', true],
  [status.ABORTED, 'Connection dropped', true],
  [status.INTERNAL, 'RST_STREAM', true, 'INTERNAL_ERROR'],
]) {
  test(`${details} of code ${code} is ${isFinal ? 'final' : 'tried again'}`, () =>
    withRefusing(
      (k) => (k === 0 ? { code, details, reason } : undefined),
      async (address, calls) => {
        const told = [];
        const client = new Client(address, {
          onRetry: (error) => told.push(error.message),
        });
        const call = client.serverInfo();
        if (isFinal) await assert.rejects(call, { message: details });
        else await call;
        client.close();
        assert.deepEqual(told, isFinal ? [] : [details]);
        assert.equal(calls.length, isFinal ? 1 : 2);
      },
    ));
}

test('a call without a server is tried until its deadline', async () => {
  const client = new Client(NO_SERVER, { deadlineMs: 1000 });
  const start = performance.now();
  await assert.rejects(client.serverInfo(), (error) => {
    assert.match(error.code, /UNAVAILABLE|DEADLINE_EXCEEDED/);
    return true;
  });
  client.close();
  assert.ok(performance.now() - start > 900);
});

test('without a deadline a call is tried until its client is closed', async () => {
  let [waits, clock] = [0, Date.now];
  const client = new Client(NO_SERVER, {
    deadlineMs: Infinity,
    onRetry: () => {
      waits += 1;
      // An hour later for each.
      Date.now = () => clock() + waits * 3_600_000;
      if (waits === 3) client.close();
    },
  });
  try {
    await assert.rejects(client.serverInfo(), { code: 'CANCELLED' });
  } finally {
    Date.now = clock;
  }
  assert.equal(waits, 3);
});

for (const change of [
  (client) => client.registerUrdf('again', '<robot/>'),
  (client) => client.deleteModel('again'),
]) {
  const draining = { ...GONE, reason: 'DRAINING' };
  const final = { code: status.INVALID_ARGUMENT };
  const cancelled = { code: status.CANCELLED, details: 'CANCELLED' };
  // Of a change, of what is asked before it is made again, of a change, ...
  const plan = [draining, undefined, draining, draining, cancelled, undefined];
  test(`a change is made again only where it was not begun: ${change}`, () =>
    withRefusing(
      (k) => (k < plan.length ? plan[k] : final),
      async (address, calls) => {
        const client = new Client(address);
        await assert.rejects(change(client), { code: 'INVALID_ARGUMENT' });
        client.close();
        const info = 'GetServerInfo';
        const [name] = calls;
        assert.deepEqual(calls, [name, info, name, info, info, info, name]);
      },
    ));
  for (const refused of [GONE, { code: status.CANCELLED }]) {
    test(`and not after code ${refused.code}: ${change}`, () =>
      withRefusing(
        () => refused,
        async (address, calls) => {
          const client = new Client(address);
          await assert.rejects(change(client), { message: 'no' });
          client.close();
          assert.equal(calls.length, 1);
        },
      ));
  }
}

test('a signal that ends a call is no failure to try again', () =>
  withRefusing(
    () => GONE,
    async (address) => {
      const controller = new AbortController();
      const told = [];
      const client = new Client(address, {
        onRetry: (error) => {
          told.push(error.code);
          controller.abort();
        },
      });
      const { signal } = controller;
      await assert.rejects(client.serverInfo({ signal }), {
        name: 'AbortError',
      });
      client.close();
      assert.deepEqual(told, ['UNAVAILABLE']);
    },
  ));
