// Servers that are restarted under load: no call fails, and no bit is another.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { connect } from 'torqued';
import { Channel } from '../client/node/dist/channel.js';
import { enumType, messageType } from '../client/node/dist/protocol.js';
import { securityOf } from '../client/node/dist/security.js';
import { RestartableServer } from './restartable_server.mjs';
import {
  assertSameBits,
  MODELS,
  randomStates,
  withServer,
} from './support.mjs';

const there = withServer();

// More of them by hand: TEST_RESTARTS=50.
const RESTARTS = Number(process.env.TEST_RESTARTS ?? 6);

function motion(samples) {
  const time = Float64Array.from({ length: samples }, (_, k) => k / 1000);
  const wave = (scale, of) =>
    Float64Array.from(
      { length: samples * 7 },
      (_, i) => scale * of(time[Math.floor(i / 7)]),
    );
  return {
    time,
    q: wave(0.3, Math.sin),
    v: wave(0.3, Math.cos),
    a: wave(-0.3, Math.sin),
  };
}

const EVALUATE = {
  path: '/torqued.v1.Dynamics/Evaluate',
  request: messageType('EvaluateRequest'),
  reply: messageType('EvaluateReply'),
};
const REGRESSOR = enumType('Quantity').values['QUANTITY_REGRESSOR'];

// Part by part, each once.
async function* partsOf(samples, { time, q, v, a }) {
  for (let first = 0; first < samples; first += 300) {
    const rows = (table) => table.subarray(7 * first, 7 * (first + 300));
    yield {
      time: time.subarray(first, first + 300),
      q: rows(q),
      v: rows(v),
      a: rows(a),
    };
  }
}

const states = randomStates(7, 12_000);
const { q, v, a } = states;
const first = (table) => table.subarray(0, 7);
const path = motion(3000);
const KINDS = {
  unary: async (robot) =>
    (await robot.inverseDynamics({ q: first(q), v: first(v), a: first(a) }))
      .tau,
  batch: async (robot) => (await robot.inverseDynamics({ q, v, a })).tau,
  check: async (robot) =>
    (await robot.checkTrajectory(path, { tables: ['tau'] })).tables.tau,
  'check of parts': async (robot) =>
    (await robot.checkTrajectory(partsOf(3000, path), { tables: ['tau'] }))
      .tables.tau,
};

/** Calls until `isOver`; told how many have succeeded. */
async function work(robot, kind, expected, load) {
  while (!load.isOver) {
    assertSameBits(await KINDS[kind](robot), expected);
    load.done[kind] += 1;
    load.tell();
  }
}

/** Resolves when each kind has succeeded once more; rejects with the first
 * failure of any. */
async function oneMoreOfEach(load, workers) {
  const before = { ...load.done };
  const isDone = () =>
    Object.keys(before).every((kind) => load.done[kind] > before[kind]);
  const done = new Promise((resolve) => {
    load.tell = () => isDone() && resolve();
  });
  await Promise.race([done, Promise.all(workers)]);
}

test('no call fails while its server is restarted', async () => {
  const server = new RestartableServer();
  const retries = [];
  const client = await connect(await server.start(), {
    deadlineMs: 30_000,
    onRetry: (error) => retries.push(error.code),
  });
  const robot = await client.model('panda');
  const load = { done: {}, isOver: false, tell: () => {} };
  const workers = [];
  for (const kind of Object.keys(KINDS)) {
    load.done[kind] = 0;
    const expected = await KINDS[kind](there.robot);
    workers.push(work(robot, kind, expected, load));
    workers.push(work(robot, kind, expected, load));
  }
  try {
    for (let turn = 0; turn < RESTARTS; ++turn) {
      await oneMoreOfEach(load, workers);
      // Some end in order, some at once.
      await (turn % 3 === 2 ? server.kill() : server.stop());
      await server.start();
    }
    await oneMoreOfEach(load, workers);
  } finally {
    load.isOver = true;
    await Promise.allSettled(workers);
    client.close();
    await server.end();
  }
  await Promise.all(workers);
  assert.ok(retries.length > 0);
});

test('a check that begins anew tells no less than before', async () => {
  const server = new RestartableServer();
  const client = await connect(await server.start());
  const robot = await client.model('panda');
  const told = [];
  let restart;
  await robot.checkTrajectory(motion(100_000), {
    progress: (done) => {
      told.push(done);
      restart ??= server.kill().then(() => server.start());
    },
  });
  await restart;
  assert.ok(told.length > 1);
  assert.deepEqual(
    told,
    [...new Set(told)].sort((a, b) => a - b),
  );
  client.close();
  await server.end();
});

/** Returns when the server has begun to stop and waits for a stream whose replies
 * nobody reads. `client` repeats nothing. */
async function drain(server, client) {
  const security = securityOf(client.address, {});
  const channel = new Channel(client.address, 1 << 24, security);
  const unread = channel.stream(EVALUATE, { deadline: Infinity });
  unread.on('error', () => {});
  unread.write({ start: { model: 'panda', quantities: [REGRESSOR] } });
  const rows = q.subarray(0, 700);
  const f64 = new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength);
  for (let k = 0; k < 100; ++k) {
    unread.write({ chunk: { q: { columns: 7, f64 } } });
  }
  await once(unread, 'readable');
  server.terminate();
  const giveUp = Date.now() + 20_000;
  while (Date.now() < giveUp) {
    try {
      await client.serverInfo({ retry: false });
    } catch (error) {
      if (error.reason === 'DRAINING') return;
      throw error;
    }
  }
}

// Once somebody has tried to connect in vain.
async function comeAgain(server) {
  await server.stop();
  await server.takeOneConnection();
  await server.start();
}

test('a registration that was refused waits for the next server', async () => {
  const server = new RestartableServer();
  const refusals = [];
  let again;
  const address = await server.start();
  const client = await connect(address, {
    onRetry: (error) => {
      refusals.push(error.reason);
      if (again) return;
      void server.kill();
      again = comeAgain(server);
    },
  });
  const other = await connect(address, { retry: false });
  try {
    const urdf = await readFile(join(MODELS, 'panda.urdf'));
    await drain(server, other);
    // None of this name is there: what was done twice would be refused.
    const { changed } = await client.registerUrdf('new', urdf, {
      expectedCurrent: '',
    });
    assert.ok(changed);
    assert.equal(refusals[0], 'DRAINING');
  } finally {
    await again;
    other.close();
    client.close();
    await server.end();
  }
});
