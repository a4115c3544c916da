import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { connect, startLocalServer, TorquedError } from 'torqued';
import {
  assertSameBits,
  MODELS,
  numbers,
  randomStates,
  withServer,
} from './support.mjs';

const there = withServer();
const SEND_AHEAD = 16;

function rowsOf(table, first, count) {
  const { columns } = table;
  const data = table.data.subarray(first * columns, (first + count) * columns);
  return { rows: count, columns, data };
}

test('a large batch goes through a stream with the same bits', async () => {
  const states = randomStates(7, 2500);
  const told = [];
  const { q, v, a } = states;
  const whole = await there.robot.inverseDynamics(
    { q, v, a },
    { progress: (done, total) => told.push([done, total]) },
  );
  assert.deepEqual(told, [
    [1000, 2500],
    [2000, 2500],
    [2500, 2500],
  ]);
  assert.equal(whole.rows, 2500);
  assert.deepEqual(whole.handovers, []);
  assert.ok(whole.timing.compute > 0);
  for (const first of [0, 900, 2499]) {
    const count = Math.min(700, 2500 - first);
    const part = ([...names]) =>
      Object.fromEntries(
        names.map((name) => [
          name,
          states[name].subarray(first * 7, (first + count) * 7),
        ]),
      );
    const once = [];
    const unary = await there.robot.inverseDynamics(part('qva'), {
      progress: (...numbers) => once.push(numbers),
    });
    assert.deepEqual(once, [[count, count]]);
    assertSameBits(unary.tau, rowsOf(whole.tau, first, count));
  }
});

test('tasks of a large batch keep their places', async () => {
  const { q } = randomStates(7, 1300);
  q.fill(0, 1200 * 7, 1201 * 7);
  const options = { sigmaMin: true };
  const whole = await there.robot.operationalSpace({ q }, options);
  assert.equal(whole.rule.length, 1300);
  assert.equal(whole.rule[1200], 'RANGE_RESTRICTED');
  assert.equal(whole.ok[1200], 0);
  assert.equal(whole.rank[1200], 5);
  const last = await there.robot.operationalSpace(
    { q: q.subarray(1299 * 7) },
    options,
  );
  assertSameBits(rowsOf(whole.lambda, 1299, 1), last.lambda);
  assert.equal(whole.sigmaMin[1299], last.sigmaMin[0]);
});

test('every bad row is known, however many', async () => {
  const q = numbers(3000 * 7);
  // All of the first part: as many as a reply lists.
  const bad = (row) => row < 1000 || row % 3 !== 0;
  for (let row = 0; row < 3000; ++row) if (bad(row)) q[row * 7 + 4] = Infinity;
  const { ok, rowStatus, rowsNotOk, massMatrix } = await there.robot.massMatrix(
    { q },
  );
  const count = Array.from({ length: 3000 }, (_, row) => row).filter(
    bad,
  ).length;
  assert.equal(rowsNotOk, count);
  assert.equal(rowStatus.length, count);
  for (let row = 0; row < 3000; ++row) {
    assert.equal(ok[row], bad(row) ? 0 : 1);
    assert.equal(massMatrix.row(row).every(Number.isNaN), bad(row));
  }
  assert.equal(rowStatus[count - 1].row, 2999);
  assert.equal(rowStatus[count - 1].joint, 'panda_joint5');
});

test('failing fast names the row of the whole batch', async () => {
  const q = numbers(3000 * 7);
  q[2345 * 7] = NaN;
  await assert.rejects(
    there.robot.massMatrix({ q }, { failFast: true }),
    (error) => error.reason === 'ROW_FAILED' && error.row === 2345,
  );
});

// By the server, which says how many fit, and by gRPC, which does not.
for (const { limit, fitting } of [
  { limit: ['--max-rows', '300'], fitting: 300 },
  { limit: ['--max-message-bytes', '70000'], fitting: 350 },
]) {
  test(`messages over ${limit[0]} are cut smaller`, async () => {
    const server = await startLocalServer({
      models: [MODELS],
      arguments: limit,
    });
    const told = [];
    const client = await connect(server.address);
    const robot = await client.model('panda');
    const { q, v, a } = randomStates(7, 2000);
    for (const rows of [700, 2000]) {
      const first = (input) => input.subarray(0, rows * 7);
      const part = { q: first(q), v: first(v), a: first(a) };
      const small = await robot.inverseDynamics(part, {
        progress: (done) => told.push(done),
      });
      const large = await there.robot.inverseDynamics(part);
      assertSameBits(small.tau, large.tau);
    }
    assert.equal(told[0], fitting);
    // What the caller cuts is the caller's.
    const stream = robot.evaluate(['inverseDynamics'], [{ q, v, a }]);
    await assert.rejects(stream.next(), { code: 'RESOURCE_EXHAUSTED' });
    client.close();
    await server.close();
  });
}

test('replies over the limit of this side are asked for in parts', async () => {
  const client = await connect(there.server.address, {
    maxMessageBytes: 200_000,
  });
  try {
    const robot = await client.model('panda');
    const { q } = randomStates(7, 1000);
    // What is expected per row is known, so that nothing is refused; names and
    // echo alone are not.
    const { massMatrix } = await robot.massMatrix({ q });
    assertSameBits(
      massMatrix,
      (await there.robot.massMatrix({ q })).massMatrix,
    );
  } finally {
    client.close();
  }
});

test('without a limit of messages a batch is not cut up', async () => {
  const client = await connect(there.server.address, { maxMessageBytes: -1 });
  const robot = await client.model('panda');
  const told = [];
  await robot.massMatrix(
    { q: randomStates(7, 100).q },
    { progress: (...step) => told.push(step) },
  );
  assert.deepEqual(told, [[100, 100]]);
  client.close();
});

test('chunks are answered one by one, in order', async () => {
  const { q, v } = randomStates(7, 90);
  const whole = await there.robot.compute(['massMatrix', 'energy'], { q, v });
  async function* chunks() {
    for (let row = 0; row < 90; row += 40) {
      await wait(1);
      const part = (input) => input.subarray(row * 7, (row + 40) * 7);
      yield { q: part(q), v: part(v) };
    }
  }
  const firsts = [];
  const quantities = ['massMatrix', 'energy'];
  for await (const part of there.robot.evaluate(quantities, chunks())) {
    const { firstRow, rows } = part;
    firsts.push([firstRow, rows]);
    assertSameBits(part.massMatrix, rowsOf(whole.massMatrix, firstRow, rows));
    const energy = rowsOf(whole.kineticEnergy, firstRow, rows);
    assertSameBits(part.kineticEnergy, energy);
    assert.equal(part.echo.revision, whole.echo.revision);
  }
  assert.deepEqual(firsts, [
    [0, 40],
    [40, 40],
    [80, 10],
  ]);
});

test('chunks may be an array, and none', async () => {
  const count = async (chunks) => {
    let parts = 0;
    for await (const part of there.robot.evaluate(['massMatrix'], chunks)) {
      parts += part.rows;
    }
    return parts;
  };
  assert.equal(await count([{ q: numbers(7) }, { q: numbers(21) }]), 4);
  assert.equal(await count([]), 0);
  const named = Object.fromEntries(there.robot.jointNames.map((n) => [n, 0.1]));
  assert.equal(await count([{ q: named }]), 1);
});

test('statuses count from the start of the stream, ok from the chunk', async () => {
  const bad = numbers(14).fill(NaN, 7);
  const chunks = [{ q: numbers(21) }, { q: bad }];
  const parts = [];
  for await (const part of there.robot.evaluate(['massMatrix'], chunks)) {
    parts.push(part);
  }
  assert.deepEqual([...parts[1].ok], [1, 0]);
  assert.equal(parts[1].rowStatus[0].row, 4);
});

test('no more chunks are taken than are wanted', async () => {
  let taken = 0;
  let closed = false;
  function* endless() {
    try {
      while (true) {
        taken += 1;
        yield { q: numbers(7) };
      }
    } finally {
      closed = true;
    }
  }
  let used = 0;
  for await (const part of there.robot.evaluate(['massMatrix'], endless())) {
    used += part.rows;
    // Time enough to take thousands.
    if (used % 10 === 0) await wait(20);
    assert.ok(taken <= used + SEND_AHEAD, `${taken} taken, ${used} used`);
    if (used === 50) break;
  }
  assert.ok(taken >= 50);
  await wait(20);
  assert.ok(closed, 'the source is told that it is over');
  assert.ok(taken <= 50 + SEND_AHEAD + 1);
});

test('an answer does not wait for the next chunk', async () => {
  let more;
  async function* oneByOne() {
    for (let k = 0; k < 3; ++k) {
      yield { q: numbers(7, k) };
      await new Promise((resolve) => {
        more = resolve;
      });
    }
  }
  let parts = 0;
  for await (const part of there.robot.evaluate(['massMatrix'], oneByOne())) {
    parts += part.rows;
    more();
  }
  assert.equal(parts, 3);
});

test('what the chunks throw is thrown on', async () => {
  const wrong = new Error('no more states');
  async function* failing() {
    yield { q: numbers(7) };
    throw wrong;
  }
  const stream = there.robot.evaluate(['massMatrix'], failing());
  await assert.rejects(
    (async () => {
      for await (const part of stream) assert.equal(part.rows, 1);
    })(),
    (error) => error === wrong,
  );
  const bad = there.robot.evaluate(['massMatrix'], [{ q: numbers(6) }]);
  await assert.rejects(
    bad.next(),
    (error) =>
      error instanceof TorquedError && error.reason === 'WRONG_COLUMN_COUNT',
  );
});

test('a chunk that cannot be sent is told by its number', async () => {
  const good = { q: numbers(7) };
  const wrong = { q: numbers(7), taau: numbers(7) };
  const stream = there.robot.evaluate(['massMatrix'], [good, good, wrong]);
  await assert.rejects(
    (async () => {
      for await (const part of stream) assert.equal(part.rows, 1);
    })(),
    {
      field: 'taau',
      metadata: { chunk: '2' },
      message: 'chunk 2: states have no taau; did you mean tau?',
    },
  );
  const rows = { q: numbers(14), v: numbers(21) };
  await assert.rejects(there.robot.evaluate(['energy'], [rows]).next(), {
    message: /^chunk 0: /,
    reason: 'WRONG_ROW_COUNT',
  });
});

test('and so is a part of a trajectory', async () => {
  const part = { time: [0, 1], q: numbers(14) };
  await assert.rejects(
    there.robot.checkTrajectory([part, { ...part, q: numbers(13) }], {
      derive: 'cubic',
    }),
    { metadata: { part: '1' }, message: /^part 1: samples.q has 13 numbers/ },
  );
  await assert.rejects(
    there.robot.checkTrajectory({ ...part, q: numbers(13) }),
    { message: /^samples.q has 13 numbers/ },
  );
});
