import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Matrix, RESULT_TABLES, RowError } from 'torqued';
import {
  assertSameBits,
  numbers,
  randomStates,
  withServer,
} from './support.mjs';

const there = withServer();

// Of 7 joints and 3 axes.
const SIZES = { nv: 7, links: 7, '10links': 70, m: 3 };
const sizesOf = (shape) =>
  shape
    .split(' ')
    .filter(Boolean)
    .map((word) => SIZES[word] ?? Number(word));
const LISTS = ['rank', 'rule', 'sigmaMin'];
const OF_TASKS = ['operationalSpace', 'taskProjection', 'taskTorque'];
const TASK = { axes: ['LINEAR_X', 'LINEAR_Y', 'LINEAR_Z'] };

for (const [quantity, results] of Object.entries(RESULT_TABLES)) {
  test(`${quantity} is a method whose results have their shapes`, async () => {
    const options = OF_TASKS.includes(quantity) ? TASK : {};
    const result = await there.robot[quantity](randomStates(7, 3), options);
    assert.equal(result.rows, 3);
    assert.deepEqual([...result.ok], [1, 1, 1]);
    for (const [name, shape] of Object.entries(results)) {
      if (LISTS.includes(name)) continue;
      const sizes = sizesOf(shape);
      const last = result[name].matrix(2);
      assert.equal(result[name].rows, 3, name);
      assert.equal(last.rows, sizes.length < 2 ? 1 : sizes[0], name);
      const size = sizes.reduce((product, size) => product * size, 1);
      assert.equal(last.rows * last.columns, size, name);
      assert.deepEqual([...last.data], [...result[name].row(2)], name);
      assert.ok(last.data.every(Number.isFinite), name);
    }
  });
}

test('states are flat arrays, arrays of rows or matrices', async () => {
  const q = numbers(14);
  const flat = await there.robot.inverseDynamics({ q });
  const place = new Float64Array(30);
  place.set(q, 11);
  for (const given of [
    [Array.from(q.subarray(0, 7)), q.subarray(7)],
    Array.from(q),
    new Matrix(q, 2, 7),
    place.subarray(11, 25),
  ]) {
    const { tau } = await there.robot.inverseDynamics({ q: given });
    assertSameBits(tau, flat.tau);
  }
});

test('joints may be named, in any order', async () => {
  const ur5e = await there.client.model('ur5e');
  const q = { wrist_3_joint: 0.6, wrist_1_joint: 0.4, elbow_joint: [0.3, 0.9] };
  Object.assign(q, { shoulder_pan_joint: 0.1, shoulder_lift_joint: 0.2 });
  q.wrist_2_joint = Float64Array.of(0.5, 0.7);
  const byName = await ur5e.inverseDynamics({ q });
  const rows = [0, 1].map((k) =>
    ur5e.jointNames.map((name) => (q[name].length ? q[name][k] : q[name])),
  );
  assertSameBits(byName.tau, (await ur5e.inverseDynamics({ q: rows })).tau);
});

test('names win over places in the order of a call', async () => {
  const { q } = randomStates(7, 1);
  const jointNames = [...there.robot.jointNames].reverse();
  const options = { jointNames };
  const placed = { q: q.slice().reverse() };
  const reversed = await there.robot.massMatrix(placed, options);
  const named = Object.fromEntries(
    there.robot.jointNames.map((name, i) => [name, q[i]]),
  );
  const again = await there.robot.massMatrix({ q: named }, options);
  assertSameBits(again.massMatrix, reversed.massMatrix);
});

test('options are echoed under the names of the language', async () => {
  const payload = { mass: 2, centerOfMass: [0, 0, 0.1], frame: 'panda_link7' };
  const externalWrenches = [{ frame: 'panda_link4', referenceFrame: 'WORLD' }];
  const { echo } = await there.robot.inverseDynamics(
    { q: numbers(7), externalWrenchesOnRobot: [1, 2, 3, 4, 5, 6] },
    { gravity: [1, 2, -3], payload, externalWrenches },
  );
  assert.deepEqual(echo.terms.gravity, [1, 2, -3]);
  assert.deepEqual(echo.payload.centerOfMass, payload.centerOfMass);
  assert.deepEqual(echo.externalWrenches, externalWrenches);
});

test('the only state without an answer rejects, but not in compute', async () => {
  const q = [0, 0, NaN, 0, 0, 0, 0];
  await assert.rejects(there.robot.massMatrix({ q }), (error) => {
    assert.ok(error instanceof RowError);
    assert.equal(error.rowCode, 'INVALID_INPUT');
    assert.equal(error.reason, 'ROW_FAILED');
    assert.equal(error.field, 'q');
    assert.equal(error.joint, 'panda_joint3');
    assert.equal(error.row, 0);
    return true;
  });
  const result = await there.robot.compute(['massMatrix'], { q });
  assert.deepEqual([...result.ok], [0]);
  assert.ok(result.massMatrix.data.every(Number.isNaN));
});

test('arrays may travel in single precision', async () => {
  const { q } = randomStates(7, 5);
  const exact = await there.robot.massMatrix({ q });
  const rounded = await there.robot.massMatrix({ q }, { encoding: 'F32' });
  const expected = Float32Array.from(exact.massMatrix.data);
  assert.deepEqual([...rounded.massMatrix.data], [...expected]);
  const text = await there.robot.massMatrix({ q }, { encoding: 'VALUES' });
  assertSameBits(text.massMatrix, exact.massMatrix);
});
