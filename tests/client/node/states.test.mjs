// What is refused before it is sent names the field and the joint.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { Matrix, TorquedError } from 'torqued';
import { assertSameBits, numbers, withServer } from './support.mjs';

const there = withServer();
const SEVEN = [0, 0, 0, 0, 0, 0, 0];
const NAMES = SEVEN.map((_, k) => `panda_joint${k + 1}`);
const NAMED = Object.fromEntries(NAMES.map((name) => [name, 0]));
const JOINTS = 'WRONG_JOINT_NAMES';
const ROWS = 'WRONG_ROW_COUNT';
const COLUMNS = 'WRONG_COLUMN_COUNT';
const uneven = { ...NAMED, panda_joint3: [1, 2, 3], panda_joint5: [1, 2] };
const known = /elbow.*panda_joint1, panda_joint2/;
const noStates = /^states accepts an object/;
const noInput = /^states.taau does not exist; there are q, v, a, tau,/;

for (const [reason, field, states, more = {}] of [
  [JOINTS, 'q', { q: { panda_joint1: 0.1 } }, { joint: 'panda_joint2' }],
  [
    JOINTS,
    'v',
    { v: { ...NAMED, elbow: 0 } },
    { joint: 'elbow', message: known },
  ],
  [ROWS, 'q', { q: uneven }, { joint: 'panda_joint5' }],
  [COLUMNS, 'v', { v: numbers(8) }, { message: /8 numbers.* of 7/ }],
  [COLUMNS, 'q', { q: new Matrix(numbers(6), 1, 6) }],
  [
    'MALFORMED_ARRAY',
    'q',
    { q: [SEVEN, SEVEN.slice(1)] },
    { message: /row 1/ },
  ],
  [ROWS, 'base_twist', { q: numbers(21), baseTwist: numbers(12) }],
  ...[[], new Float64Array(0), [[]], [[], []]].map((v) => [ROWS, 'v', { v }]),
  ...[
    ['0', ...SEVEN.slice(1)],
    [[...SEVEN.slice(1), null]],
    '0',
    [7, [8]],
    [[7], 8],
  ].map((v) => ['INVALID_FIELD', 'v', { v }]),
  ['INVALID_FIELD', 'states.taau', { taau: SEVEN }, { message: noInput }],
  ...[undefined, null, 3, 'q', SEVEN].map((states) => [
    'INVALID_OPTION',
    'states',
    states,
    { message: noStates },
  ]),
]) {
  const given = field === 'states' ? states : { q: SEVEN, ...states };
  test(`${reason} of ${field}: ${inspect(states)}`, () =>
    assertRefused((robot) => robot.inverseDynamics(given), {
      reason,
      field,
      ...more,
    }));
}

for (const [field, options, message = /./] of [
  ['options.payload', { payload: null }],
  ['options.payload.mas', { payload: { mas: 30 } }],
  ['options.payload.mass', { payload: { mass: '1' } }],
  ['options.payload.center_of_mass', { payload: { centerOfMass: 3 } }],
  ['options.terms.coulomb_friction', { coulombFriction: 1 }],
  ['options.terms.gravity[0]', { gravity: ['1', 2, 3] }],
  ['options.external_wrenches[0]', { externalWrenches: ['x'] }],
  ['operational_space.axes', { axes: 'LINEAR_X' }],
  ['operational_space.axes[0]', { axes: ['X'] }, /'X'.*LINEAR_X/],
  ['options.reference_frame', { referenceFrame: 'BASE' }, /'BASE'.*WORLD/],
  ['options.precision', { precision: 'half' }, /'half'.*DOUBLE, SINGLE/],
]) {
  test(`${field} does not take ${JSON.stringify(options)}`, () =>
    assertRefused(
      (robot) => robot.compute(['operationalSpace'], { q: SEVEN }, options),
      { reason: 'INVALID_OPTION', field, message },
    ));
}

test('a quantity that there is not is told with those that there are', () =>
  assertRefused((robot) => robot.compute(['foo'], { q: SEVEN }), {
    reason: 'INVALID_FIELD',
    field: 'quantities[0]',
    message: /'foo'; there are INVERSE_DYNAMICS, MASS_MATRIX/,
  }));

function assertRefused(call, expected) {
  return assert.rejects(
    async () => call(there.robot),
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

test('numbers of single precision are taken, flat, in rows and by name', async () => {
  const q = numbers(14).map(Math.fround);
  const wanted = (await there.robot.massMatrix({ q })).massMatrix;
  const single = Float32Array.from(q);
  const columns = NAMES.map((name, joint) => [
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
