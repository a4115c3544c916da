// What is refused before it is sent names the field and the joint.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Matrix, TorquedError } from 'torqued';
import { assertSameBits, numbers, withServer } from './support.mjs';

const there = withServer();
const SEVEN = [0, 0, 0, 0, 0, 0, 0];

async function assertRefused(states, expected, options) {
  await assert.rejects(
    there.robot.inverseDynamics(states, options),
    (error) => {
      assert.ok(error instanceof TorquedError, String(error));
      assert.equal(error.code, 'INVALID_ARGUMENT');
      for (const [name, value] of Object.entries(expected)) {
        if (value instanceof RegExp) assert.match(error[name], value);
        else assert.equal(error[name], value, name);
      }
      return true;
    },
  );
}

test('a joint that lacks is named', () =>
  assertRefused(
    { q: { panda_joint1: 0.1 } },
    { reason: 'WRONG_JOINT_NAMES', field: 'q', joint: 'panda_joint2' },
  ));

test('a joint that is none is named, with those that there are', () => {
  const names = Object.fromEntries(there.robot.jointNames.map((n) => [n, 0]));
  return assertRefused(
    { q: SEVEN, v: { ...names, elbow: 0 } },
    {
      reason: 'WRONG_JOINT_NAMES',
      field: 'v',
      joint: 'elbow',
      message: /panda_joint1, panda_joint2/,
    },
  );
});

test('numbers of single precision are taken, flat, in rows and by name', async () => {
  const q = numbers(14).map(Math.fround);
  const wanted = (await there.robot.massMatrix({ q })).massMatrix;
  const single = Float32Array.from(q);
  const columns = there.robot.jointNames.map((name, joint) => [
    name,
    Float32Array.of(q[joint], q[7 + joint]),
  ]);
  for (const given of [
    single,
    [single.subarray(0, 7), single.subarray(7)],
    Object.fromEntries(columns),
  ]) {
    const { massMatrix } = await there.robot.massMatrix({ q: given });
    assertSameBits(massMatrix, wanted);
  }
});

test('what holds no inputs is refused', async () => {
  for (const states of [undefined, null, 3, 'q', SEVEN]) {
    for (const call of [
      () => there.robot.inverseDynamics(states),
      () => there.robot.compute(['massMatrix'], states),
    ]) {
      await assert.rejects(async () => call(), {
        name: 'TorquedError',
        code: 'INVALID_ARGUMENT',
        reason: 'INVALID_OPTION',
        field: 'states',
        message: /^states accepts an object/,
      });
    }
  }
});

test('names that are none are told with those that there are', async () => {
  const q = SEVEN;
  for (const [options, field, message] of [
    [{ referenceFrame: 'BASE' }, 'options.reference_frame', /'BASE'.*WORLD/],
    [{ precision: 'half' }, 'options.precision', /'half'.*DOUBLE, SINGLE/],
    [{ axes: ['X'] }, 'operational_space.axes[0]', /'X'.*LINEAR_X/],
  ]) {
    await assert.rejects(
      there.robot.compute(['operationalSpace'], { q }, options),
      { name: 'TorquedError', reason: 'INVALID_OPTION', field, message },
    );
  }
  await assert.rejects(there.robot.compute(['foo'], { q }), {
    reason: 'INVALID_FIELD',
    field: 'quantities[0]',
    message: /'foo'; there are INVERSE_DYNAMICS, MASS_MATRIX/,
  });
});

test('joints with different numbers of states are refused', () => {
  const names = Object.fromEntries(there.robot.jointNames.map((n) => [n, 0]));
  names.panda_joint3 = [1, 2, 3];
  names.panda_joint5 = [1, 2];
  return assertRefused(
    { q: names },
    { reason: 'WRONG_ROW_COUNT', field: 'q', joint: 'panda_joint5' },
  );
});

test('numbers that are no whole rows are refused', () =>
  assertRefused(
    { q: SEVEN, v: numbers(8) },
    { reason: 'WRONG_COLUMN_COUNT', field: 'v', message: /8 numbers.* of 7/ },
  ));

test('a table of other columns is refused by the server', () =>
  assertRefused(
    { q: new Matrix(numbers(6), 1, 6) },
    { reason: 'WRONG_COLUMN_COUNT', field: 'q' },
  ));

test('rows of different lengths are refused', () =>
  assertRefused(
    { q: [SEVEN, SEVEN.slice(1)] },
    { reason: 'MALFORMED_ARRAY', field: 'q', row: 1 },
  ));

test('inputs of different rows are refused', () =>
  assertRefused(
    { q: numbers(21), baseTwist: numbers(12) },
    { reason: 'WRONG_ROW_COUNT', field: 'base_twist' },
  ));

test('an input without numbers is not taken for absent', async () => {
  for (const empty of [[], new Float64Array(0), [[]], [[], []]]) {
    await assertRefused(
      { q: SEVEN, v: empty },
      { reason: 'WRONG_ROW_COUNT', field: 'v' },
    );
  }
});

test('what is no number is refused', async () => {
  for (const q of [['0', 0, 0, 0, 0, 0, 0], [[...SEVEN.slice(1), null]]]) {
    await assertRefused({ q }, { reason: 'INVALID_FIELD', field: 'q' });
  }
  for (const v of ['0,0', [7, [8]], [[7], 8]]) {
    await assertRefused({ q: SEVEN, v }, { reason: 'INVALID_FIELD' });
  }
});

test('a number of rows for each message is a count', () =>
  assertRefused(
    { q: SEVEN },
    { reason: 'INVALID_OPTION', field: 'options.chunkRows' },
    { chunkRows: 0 },
  ));

test('misspelt members and values of a wrong kind are refused', async () => {
  for (const [field, options] of [
    ['options.payload', { payload: null }],
    ['options.payload.mas', { payload: { mas: 30 } }],
    ['options.payload.mass', { payload: { mass: '1' } }],
    ['options.payload.center_of_mass', { payload: { centerOfMass: 3 } }],
    ['options.terms.coulomb_friction', { coulombFriction: 1 }],
    ['options.terms.gravity[0]', { gravity: ['1', 2, 3] }],
    ['options.external_wrenches[0]', { externalWrenches: ['x'] }],
    ['operational_space.axes', { axes: 'LINEAR_X' }],
  ]) {
    await assertRefused(
      { q: SEVEN },
      { reason: 'INVALID_OPTION', field },
      options,
    );
  }
});
