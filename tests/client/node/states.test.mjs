// What is refused before it is sent names the field and the joint.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Matrix, TorquedError } from 'torqued';
import { assertSameBits, numbers, withServer } from './support.mjs';

const there = withServer();
const SEVEN = [0, 0, 0, 0, 0, 0, 0];
const NAMES = SEVEN.map((_, k) => `panda_joint${k + 1}`);
const NAMED = Object.fromEntries(NAMES.map((name) => [name, 0]));

for (const [what, states, field, reason, more = {}] of [
  [
    'a joint that lacks',
    { q: { panda_joint1: 0.1 } },
    'q',
    'WRONG_JOINT_NAMES',
    { joint: 'panda_joint2' },
  ],
  [
    'a joint that is none',
    { q: SEVEN, v: { ...NAMED, elbow: 0 } },
    'v',
    'WRONG_JOINT_NAMES',
    { joint: 'elbow', message: /panda_joint1, panda_joint2/ },
  ],
  [
    'a joint with another number of states',
    { q: { ...NAMED, panda_joint3: [1, 2, 3], panda_joint5: [1, 2] } },
    'q',
    'WRONG_ROW_COUNT',
    { joint: 'panda_joint5' },
  ],
  [
    'numbers that are no whole rows',
    { q: SEVEN, v: numbers(8) },
    'v',
    'WRONG_COLUMN_COUNT',
    { message: /8 numbers.* of 7/ },
  ],
  [
    'a table of other columns',
    { q: new Matrix(numbers(6), 1, 6) },
    'q',
    'WRONG_COLUMN_COUNT',
  ],
  [
    'rows of different lengths',
    { q: [SEVEN, SEVEN.slice(1)] },
    'q',
    'MALFORMED_ARRAY',
    { row: 1 },
  ],
  [
    'inputs of different rows',
    { q: numbers(21), baseTwist: numbers(12) },
    'base_twist',
    'WRONG_ROW_COUNT',
  ],
  ...[[], new Float64Array(0), [[]], [[], []]].map((v) => [
    'an input without numbers',
    { q: SEVEN, v },
    'v',
    'WRONG_ROW_COUNT',
  ]),
  ...[
    ['0', 0, 0, 0, 0, 0, 0],
    [[...SEVEN.slice(1), null]],
    '0,0',
    [7, [8]],
    [[7], 8],
  ].map((v) => ['what is no number', { q: SEVEN, v }, 'v', 'INVALID_FIELD']),
  ...[undefined, null, 3, 'q', SEVEN].map((states) => [
    'what holds no inputs',
    states,
    'states',
    'INVALID_OPTION',
    { message: /^states accepts an object/ },
  ]),
  [
    'an input that there is not',
    { q: SEVEN, taau: SEVEN },
    'states.taau',
    'INVALID_FIELD',
    { message: /^states.taau does not exist; there are q, v, a, tau,/ },
  ],
]) {
  test(`${what} is refused`, () =>
    assertRefused((robot) => robot.inverseDynamics(states), {
      reason,
      field,
      ...more,
    }));
}

for (const [field, options, message = /./] of [
  ['options.chunkRows', { chunkRows: 0 }],
  ['options.payload', { payload: null }],
  ['options.payload.mas', { payload: { mas: 30 } }],
  ['options.payload.mass', { payload: { mass: '1' } }],
  ['options.payload.center_of_mass', { payload: { centerOfMass: 3 } }],
  ['options.terms.coulomb_friction', { coulombFriction: 1 }],
  ['options.terms.gravity[0]', { gravity: ['1', 2, 3] }],
  ['options.external_wrenches[0]', { externalWrenches: ['x'] }],
  ['operational_space.axes', { axes: 'LINEAR_X' }],
  ['operational_space.axes[0]', { axes: ['X'] }, /'X'.*LINEAR_X/],
  [
    'options.reference_frame',
    { referenceFrame: 'BASE' },
    /'BASE'.*LOCAL.*WORLD/,
  ],
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
