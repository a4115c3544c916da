import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, Matrix, startLocalServer } from 'torqued';
import {
  assertSameBits,
  MODELS,
  numbers,
  randomStates,
  withServer,
} from './support.mjs';

const there = withServer();
// Servers that take so many states in a message.
const thousand = withServer({ arguments: ['--max-rows', '1000'] });
const ten = withServer({ arguments: ['--max-rows', '10'] });

const rowsOf = (data, first, count) =>
  data.subarray(first * 7, (first + count) * 7);

test('a large batch goes in parts with the same bits', async () => {
  const { q, v, a } = randomStates(7, 2500);
  const whole = [];
  const { tau, rows, echo } = await thousand.robot.inverseDynamics(
    { q, v, a },
    { progress: (...step) => whole.push(step) },
  );
  const steps = [1000, 2000, 2500].map((done) => [done, 2500]);
  assert.deepEqual(whole, steps);
  assert.equal(rows, 2500);
  assert.ok(echo.timing.compute > 0);
  for (const first of [0, 900, 2499]) {
    const count = Math.min(700, 2500 - first);
    const [once, part] = [[], (data) => rowsOf(data, first, count)];
    const unary = await there.robot.inverseDynamics(
      { q: part(q), v: part(v), a: part(a) },
      { progress: (...step) => once.push(step) },
    );
    assert.deepEqual(once, [[count, count]]);
    assertSameBits(unary.tau, new Matrix(part(tau.data), count, 7));
  }
});

test('every bad row is known, however many', async () => {
  const q = numbers(3000 * 7);
  // More than a reply lists.
  const isBad = (row) => row < 1000 || row % 3 !== 0;
  const rows = Array.from({ length: 3000 }, (_, row) => row);
  const bad = rows.filter(isBad);
  for (const row of bad) q[row * 7 + 4] = Infinity;
  const result = await there.robot.massMatrix({ q });
  assert.equal(result.rowsNotOk, bad.length);
  assert.deepEqual(
    result.rowStatus.map(({ row, joint }) => `${row} ${joint}`),
    bad.map((row) => `${row} panda_joint5`),
  );
  for (const row of rows) {
    assert.equal(result.ok[row], isBad(row) ? 0 : 1);
    const isNaN = result.massMatrix.row(row).every(Number.isNaN);
    assert.equal(isNaN, isBad(row));
  }
});

test('a deadline is until another part is answered', async () => {
  const begin = performance.now();
  await ten.robot.massMatrix(
    { q: numbers(300 * 7) },
    {
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
  await assert.rejects(thousand.robot.massMatrix({ q }, { failFast: true }), {
    reason: 'ROW_FAILED',
    row: 2345,
    message: /^Row 2345 failed: /,
  });
});

for (const [flag, limit, fitting] of [
  ['--max-rows', '300', 300],
  ['--max-message-bytes', '70000', 208],
]) {
  test(`messages over ${flag} are cut smaller`, async () => {
    const server = await startLocalServer({
      models: [MODELS],
      arguments: [flag, limit],
    });
    const told = [];
    const client = await connect(server.address);
    const robot = await client.model('panda');
    const { q, v, a } = randomStates(7, 2000);
    for (const rows of [700, 2000]) {
      const first = (data) => rowsOf(data, 0, rows);
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
