import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, startLocalServer } from 'torqued';
import {
  assertSameBits,
  MODELS,
  numbers,
  randomStates,
  withServer,
} from './support.mjs';

const there = withServer();

function rowsOf(table, first, count) {
  const { columns } = table;
  const data = table.data.subarray(first * columns, (first + count) * columns);
  return { rows: count, columns, data };
}

test('a large batch goes in parts with the same bits', async () => {
  const states = randomStates(7, 2500);
  const told = [];
  const { q, v, a } = states;
  const whole = await there.robot.inverseDynamics(
    { q, v, a },
    { progress: (done, total) => told.push([done, total]), chunkRows: 1000 },
  );
  assert.deepEqual(told, [
    [1000, 2500],
    [2000, 2500],
    [2500, 2500],
  ]);
  assert.equal(whole.rows, 2500);
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

test('every bad row is known, however many', async () => {
  const q = numbers(3000 * 7);
  // More than a reply lists.
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

test('a deadline is until another part is answered', async () => {
  const begin = performance.now();
  await there.robot.massMatrix(
    { q: numbers(300 * 7) },
    {
      chunkRows: 10,
      deadlineMs: 400,
      progress: () => {
        const end = performance.now() + 40;
        while (performance.now() < end);
      },
    },
  );
  assert.ok(performance.now() - begin > 1000);
});

test('failing fast names the row of the whole batch', async () => {
  const q = numbers(3000 * 7);
  q[2345 * 7] = NaN;
  await assert.rejects(
    there.robot.massMatrix({ q }, { failFast: true, chunkRows: 1000 }),
    { reason: 'ROW_FAILED', row: 2345, message: /^Row 2345 failed: / },
  );
});

for (const { limit, fitting } of [
  { limit: ['--max-rows', '300'], fitting: 300 },
  { limit: ['--max-message-bytes', '70000'], fitting: 192 },
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
