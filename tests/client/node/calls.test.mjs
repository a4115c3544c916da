// Calls that end early, and calls that outlive their server.

import assert from 'node:assert/strict';
import { createServer as createHttp2Server } from 'node:http2';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client, connect, startLocalServer, TorquedError } from 'torqued';
import { NO_SERVER, RestartableServer } from './restartable_server.mjs';
import {
  assertSameBits,
  MODELS,
  numbers,
  randomStates,
  withServer,
} from './support.mjs';

const { Server, ServerCredentials } = createRequire(
  import.meta.resolve('torqued'),
)('@grpc/grpc-js');

const there = withServer();

// What takes many times the deadline below.
const LARGE = { q: numbers(60_000 * 7) };
const SLOW = ['christoffelSymbols', 'regressor', 'forwardDynamicsDerivatives'];
const slow = (options) =>
  there.robot.compute(SLOW, { ...LARGE, tau: new Float64Array(7) }, options);

/** A client, for one test, of a server that takes connections and says nothing. */
async function unanswered(t) {
  const sockets = new Set();
  const server = createServer((socket) => sockets.add(socket));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new Client(`127.0.0.1:${server.address().port}`);
  t.after(() => {
    client.close();
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  return client;
}

function failureOf(promise) {
  return promise.then(
    () => assert.fail('it succeeded'),
    (thrown) => thrown,
  );
}

test('a signal ends a batch at once, with its reason', async () => {
  const controller = new AbortController();
  const answered = [];
  await assert.rejects(
    slow({
      signal: controller.signal,
      progress: (done) => {
        answered.push(done);
        controller.abort();
      },
    }),
    { name: 'AbortError' },
  );
  // Nothing but what was under way, sixteen chunks, of sixty.
  assert.ok(answered.at(-1) < 30_000, `${answered}`);
});

test('arguments of the wrong kind are refused by name', async () => {
  const { robot, server } = there;
  const states = { q: numbers(7) };
  for (const [field, call] of [
    ['quantities', () => robot.compute('massMatrix', states)],
    ['quantities', () => robot.compute(undefined, states)],
    ['options', () => robot.compute(['massMatrix'], states, null)],
    ['options', () => robot.massMatrix(states, 5)],
    ...[
      ['progress', 5],
      ['signal', 5],
      ['signal', new AbortController()],
      ['deadlineMs', '1000'],
      ['deadlineMs', NaN],
    ].map(([name, value]) => [
      `options.${name}`,
      () => robot.massMatrix(states, { [name]: value }),
    ]),
    ['options.deadlineMs', () => connect(server.address, { deadlineMs: NaN })],
    ['options', () => connect(server.address, null)],
    ['address', () => connect(undefined)],
  ]) {
    await assert.rejects(async () => call(), { name: 'TorquedError', field });
  }
});

test('a deadline that is far away is as good as none', async () => {
  for (const deadlineMs of [1e11, 1e15, Number.MAX_VALUE, Infinity]) {
    const { ok } = await there.robot.massMatrix(
      { q: numbers(7) },
      { deadlineMs },
    );
    assert.equal(ok.length, 1);
  }
});

test('a signal ends a call that nobody answers', async (t) => {
  const client = await unanswered(t);
  const reason = new Error('enough');
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), 50);
  const { signal } = controller;
  assert.equal(await failureOf(client.serverInfo({ signal })), reason);
  assert.equal(await failureOf(client.serverInfo({ signal })), reason);
});

test('a deadline ends a call', async () => {
  const error = await failureOf(slow({ deadlineMs: 1 }));
  assert.ok(error instanceof TorquedError);
  assert.equal(error.code, 'DEADLINE_EXCEEDED');
  assert.equal(error.reason, '');
});

test('without a server connecting fails, soon or after a wait', async () => {
  const error = await failureOf(connect(NO_SERVER));
  assert.ok(error instanceof TorquedError);
  assert.equal(error.code, 'UNAVAILABLE');
  assert.match(error.message, new RegExp(`no connection to ${NO_SERVER}`));
  const start = performance.now();
  const waited = await failureOf(connect(NO_SERVER, { waitForServerMs: 300 }));
  assert.ok(performance.now() - start >= 300);
  assert.equal(waited.code, 'UNAVAILABLE');
});

test('a server that speaks gRPC and is no torqued is told at once', async () => {
  const server = new Server();
  const bind = promisify(server.bindAsync.bind(server));
  const port = await bind('127.0.0.1:0', ServerCredentials.createInsecure());
  const options = { waitForServerMs: 20_000 };
  const error = await failureOf(connect(`127.0.0.1:${port}`, options));
  server.forceShutdown();
  assert.equal(error.code, 'UNIMPLEMENTED');
  const said = `no torqued server answers at 127.0.0.1:${port}: `;
  assert.ok(error.message.startsWith(said), error.message);
  assert.ok(error.message.length > said.length);
});

for (const [status, code] of [
  [404, 'UNIMPLEMENTED'],
  [400, 'INTERNAL'],
  [405, 'UNKNOWN'],
]) {
  test(`a server that answers with HTTP ${status} is no torqued`, async () => {
    const server = createHttp2Server((request, response) => {
      response.writeHead(status, { 'content-type': 'text/html' });
      response.end('<html></html>');
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address();
    const error = await failureOf(connect(`127.0.0.1:${port}`));
    server.close();
    assert.equal(error.code, code);
    assert.equal(
      error.message,
      `no torqued server answers at 127.0.0.1:${port}: ` +
        `Received HTTP status code ${status}`,
    );
  });
}

test('a batch goes on where its server was killed', async (t) => {
  const [retries, done] = [[], []];
  const onRetry = (error) => retries.push(error.code);
  const { server, robot } = await RestartableServer.of(
    t,
    { onRetry },
    ...['--max-rows', '10'],
  );
  const { q } = randomStates(7, 3000);
  let restart;
  const progress = (rows) => {
    done.push(rows);
    if (rows !== 50) return;
    restart = server.kill().then(() => server.start());
  };
  const whole = await robot.massMatrix({ q }, { progress });
  await restart;
  assert.ok(retries.length > 0);
  // No row twice, none left out.
  const every = Array.from({ length: 300 }, (_, k) => 10 * (k + 1));
  assert.deepEqual(done, every);
  const expected = await there.robot.massMatrix({ q });
  assertSameBits(whole.massMatrix, expected.massMatrix);
});

test('what goes on does so with the same revision', async (t) => {
  const flags = ['--max-rows', '10'];
  const { server, client } = await RestartableServer.of(t, {}, ...flags);
  const urdf = await client.modelSource('ur5e');
  const { robot, model } = await client.registerUrdf('moving', urdf);
  const q = numbers(3000 * 6);
  let moved;
  const move = async () => {
    await server.kill();
    const other = await connect(await server.start());
    const elsewhere = { defaultTip: 'upper_arm_link' };
    await other.registerUrdf('moving', urdf, elsewhere);
    other.close();
  };
  const progress = (rows) => {
    if (rows === 50) moved = move();
  };
  const whole = await robot.framePose({ q }, { progress });
  await moved;
  for (const copy of [{ ...whole }, JSON.parse(JSON.stringify(whole))]) {
    assert.equal(copy.echo.revision, model.revision);
    assert.ok(copy.echo.timing.compute > 0);
  }
  assert.notEqual((await client.modelInfo('moving')).revision, model.revision);
  const kept = await client.model(`moving@${model.revision}`);
  assertSameBits(whole.pose, (await kept.framePose({ q })).pose);
});

test('without retrying the first failure is final', async (t) => {
  const { server, robot } = await RestartableServer.of(t, { retry: false });
  await server.kill();
  const { code } = await failureOf(robot.massMatrix({ q: numbers(7) }));
  assert.equal(code, 'UNAVAILABLE');
});

test('what the server refuses for load is tried again', async () => {
  // One state fits; two calls at a time do not.
  const server = await startLocalServer({
    models: [MODELS],
    listen: '127.0.0.1:0',
    arguments: ['--max-inflight-bytes', '40000000'],
  });
  const retries = [];
  const client = await connect(server.address, {
    onRetry: (error) => retries.push(error),
  });
  const robot = await client.model('panda');
  const q = numbers(1000 * 7);
  const calls = Array.from({ length: 12 }, () =>
    robot.compute(['christoffelSymbols', 'regressor'], { q }),
  );
  const results = await Promise.all(calls);
  assert.ok(results.every(({ rowsNotOk }) => rowsNotOk === 0));
  assert.ok(retries.length > 0);
  const { reason, metadata, retryDelayMs } = retries[0];
  assert.equal(reason, 'OVERLOADED');
  assert.match(metadata.limit, /^\d+$/);
  assert.ok(retryDelayMs > 0 && retryDelayMs < 10_000);
  client.close();
  await server.close();
});

test('closing ends calls that wait for another try', async (t) => {
  const waiting = [];
  const { server, client } = await RestartableServer.of(t, {
    // The third wait has 100 ms at least.
    onRetry: (_, delayMs) => waiting.push(delayMs) === 3 && client.close(),
  });
  await server.kill();
  const error = await failureOf(client.serverInfo());
  assert.equal(error.code, 'CANCELLED');
  assert.match(error.message, /client is closed/);
  assert.equal(waiting.length, 3);
  for (const [k, delayMs] of waiting.entries()) {
    assert.ok(delayMs >= 25 * 2 ** k && delayMs <= 50 * 2 ** k, `${waiting}`);
  }
});

test('closing ends calls that are under way', async (t) => {
  const client = await unanswered(t);
  const call = failureOf(client.serverInfo());
  await wait(50);
  client.close();
  const error = await call;
  assert.equal(error.code, 'CANCELLED');
  assert.match(error.message, /client is closed/);
});
