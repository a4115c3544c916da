import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RESULT_TABLES, RowError } from 'torqued';
import {
  assertClose,
  assertSameBits,
  numbers,
  randomStates,
  withServer,
} from './support.mjs';

const there = withServer();
const QUANTITIES = Object.keys(RESULT_TABLES);

// Of 7 joints and 3 axes.
const SIZES = { nv: 7, links: 7, '10links': 70, m: 3 };
const sizesOf = (shape) =>
  shape
    .split(' ')
    .filter(Boolean)
    .map((word) => SIZES[word] ?? Number(word));
const LISTS = ['rank', 'rule', 'sigmaMin'];
const tablesOf = (quantity) =>
  Object.entries(RESULT_TABLES[quantity]).filter(
    ([name]) => !LISTS.includes(name),
  );

const OF_TASKS = ['operationalSpace', 'taskProjection', 'taskTorque'];

function optionsOf(quantity) {
  const axes = ['LINEAR_X', 'LINEAR_Y', 'LINEAR_Z'];
  return OF_TASKS.includes(quantity) ? { axes } : {};
}

test('every quantity is a method whose results have their shapes', async () => {
  const states = randomStates(7, 3);
  for (const quantity of QUANTITIES) {
    const result = await there.robot[quantity](states, optionsOf(quantity));
    assert.equal(result.rows, 3);
    assert.deepEqual([...result.ok], [1, 1, 1]);
    for (const [name, shape] of tablesOf(quantity)) {
      const sizes = sizesOf(shape);
      const last = result[name].matrix(2);
      const height = sizes.length < 2 ? 1 : sizes[0];
      assert.equal(result[name].rows, 3, name);
      assert.equal(last.rows, height, name);
      assert.equal(
        last.rows * last.columns,
        sizes.reduce((product, size) => product * size, 1),
        name,
      );
      assert.deepEqual([...last.data], [...result[name].row(2)], name);
      assert.ok(last.data.every(Number.isFinite), name);
    }
  }
});

test('one call has all quantities, with the bits of their own calls', async () => {
  const states = randomStates(7, 2);
  const options = {
    axes: ['LINEAR_X', 'LINEAR_Y', 'LINEAR_Z'],
    sigmaMin: true,
  };
  const all = await there.robot.compute(QUANTITIES, states, options);
  for (const quantity of QUANTITIES) {
    const alone = await there.robot[quantity](states, optionsOf(quantity));
    for (const [name] of tablesOf(quantity)) {
      assertSameBits(all[name], alone[name]);
    }
  }
  assert.deepEqual([...all.rank], [3, 3]);
  assert.deepEqual(all.rule, ['FULL_RANK', 'FULL_RANK']);
  assert.ok(all.sigmaMin.every((sigma) => sigma > 0));
});

test('states are flat arrays, arrays of rows or matrices', async () => {
  const q = numbers(14);
  const flat = await there.robot.inverseDynamics({ q });
  const rows = [Array.from(q.subarray(0, 7)), q.subarray(7)];
  const { tau } = await there.robot.inverseDynamics({ q: rows });
  assertSameBits(tau, flat.tau);
  const list = await there.robot.inverseDynamics({ q: Array.from(q) });
  assertSameBits(list.tau, flat.tau);
  const again = await there.robot.forwardDynamics({ q, tau: flat.tau });
  assertClose(again.a.data, new Float64Array(14), 1e-10);
});

test('an array of numbers at any place in memory is sent as it is', async () => {
  const place = new Float64Array(30);
  place.set(numbers(7), 11);
  const { tau } = await there.robot.inverseDynamics({
    q: place.subarray(11, 18),
  });
  assertSameBits(
    tau,
    (await there.robot.inverseDynamics({ q: numbers(7) })).tau,
  );
});

test('an input of one row serves all states', async () => {
  const { q, v } = randomStates(7, 4);
  const one = v.slice(0, 7);
  const four = Float64Array.from({ length: 28 }, (_, i) => one[i % 7]);
  const { tau } = await there.robot.inverseDynamics({ q, v: one });
  assertSameBits(tau, (await there.robot.inverseDynamics({ q, v: four })).tau);
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

test('a joint order of the call permutes states and results', async () => {
  const { q, v } = randomStates(7, 1);
  const jointNames = [...there.robot.jointNames].reverse();
  const canonical = await there.robot.massMatrix({ q });
  const reversed = await there.robot.massMatrix(
    { q: q.slice().reverse() },
    { jointNames },
  );
  assert.deepEqual(reversed.echo.jointNames, jointNames);
  assertClose(
    reversed.massMatrix.row(0),
    canonical.massMatrix.row(0).slice().reverse(),
  );
  // Names win over places.
  const named = Object.fromEntries(
    there.robot.jointNames.map((name, i) => [name, q[i]]),
  );
  const again = await there.robot.massMatrix({ q: named }, { jointNames });
  assertSameBits(again.massMatrix, reversed.massMatrix);
  assert.ok(v.length === 7);
});

test('options have their effect and are echoed', async () => {
  const { q, v } = randomStates(7, 1);
  const plain = await there.robot.biasForces({ q, v });
  const { echo, bias } = await there.robot.biasForces(
    { q, v },
    {
      gravity: [1, 2, -3],
      payload: { mass: 2, centerOfMass: [0, 0, 0.1], frame: 'panda_link7' },
      viscousFriction: true,
    },
  );
  assert.deepEqual(echo.terms.gravity, [1, 2, -3]);
  assert.deepEqual(echo.payload.centerOfMass, [0, 0, 0.1]);
  assert.notDeepEqual([...bias.data], [...plain.bias.data]);
  const world = await there.robot.jacobian(
    { q },
    { referenceFrame: 'WORLD', tipFrame: 'panda_link3', precision: 'SINGLE' },
  );
  const { referenceFrame, tipFrame, precision } = world.echo;
  assert.deepEqual(
    [referenceFrame, tipFrame, precision],
    ['WORLD', 'panda_link3', 'SINGLE'],
  );
  const wrench = [1, 2, 3, 4, 5, 6];
  const places = [{ frame: 'panda_link4', referenceFrame: 'WORLD' }];
  const held = await there.robot.inverseDynamics(
    { q, externalWrenchesOnRobot: wrench },
    { externalWrenches: places },
  );
  assert.deepEqual(held.echo.externalWrenches, places);
  const tip = { q, tipWrenchOnEnvironment: wrench };
  const local = await there.robot.inverseDynamics(tip);
  const base = await there.robot.inverseDynamics(tip, {
    tipWrenchReferenceFrame: 'WORLD',
  });
  assert.notDeepEqual([...local.tau.data], [...base.tau.data]);
});

test('a singular task is told, and is an answer', async () => {
  const q = new Float64Array(7);
  const report = await there.robot.operationalSpace({ q });
  assert.deepEqual(report.rule, ['RANGE_RESTRICTED']);
  assert.deepEqual([...report.ok], [0]);
  assert.equal(report.rowStatus[0].code, 'SINGULAR_TASK_SPACE');
  const damped = await there.robot.operationalSpace(
    { q },
    { singularity: 'damped', damping: 0.1 },
  );
  assert.deepEqual(damped.rule, ['DAMPED']);
  assert.equal(damped.echo.operationalSpace.damping, 0.1);
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
