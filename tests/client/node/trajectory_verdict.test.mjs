// Verdicts that no server of ours sends: what lacks is told, not made up.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toVerdict } from '../client/node/dist/trajectory_verdict.js';
import { messageType } from '../client/node/dist/protocol.js';

const type = messageType('TrajectoryVerdict');
const peak = { sample: 1, time: 0.5, value: 2, between: false };
const DEMAND = {
  joint: 'elbow',
  torque: peak,
  velocity: peak,
  lowestPosition: peak,
  highestPosition: peak,
  highestPower: peak,
  lowestPower: peak,
};
const VERDICT = {
  joints: [DEMAND],
  violations: [{ joint: 'elbow', worst: peak }],
  firstViolation: { joint: 'elbow', worst: peak },
  remarks: [{ joint: 'elbow', worst: peak }],
  highestPower: peak,
  lowestPower: peak,
  slowDown: { possible: true, factor: 1.5 },
  pathInertia: { sigmaMin: peak, condition: peak },
  echo: { timing: {} },
};

// As it is decoded: what is absent is null.
function read(fields) {
  const wire = type.decode(type.encode(type.fromObject(fields)).finish());
  const decoded = type.toObject(wire, { defaults: true, arrays: true });
  return toVerdict(decoded, decoded.echo);
}

function without({ [0]: name, [1]: inner }) {
  const { [name]: given, ...rest } = VERDICT;
  if (inner === undefined) return rest;
  const lacking = (message) => {
    const { [inner]: _, ...others } = message;
    return others;
  };
  return {
    ...rest,
    [name]: Array.isArray(given) ? given.map(lacking) : lacking(given),
  };
}

test('what is there is read', () => {
  const verdict = read(VERDICT);
  assert.deepEqual(verdict.joints[0].torque, peak);
  assert.deepEqual(verdict.violations[0].worst, peak);
  assert.deepEqual(verdict.slowDown, {
    possible: true,
    factor: 1.5,
    limitedBy: undefined,
    fastest: 0,
    fastestLimitedBy: undefined,
  });
});

for (const path of [
  ['highestPower'],
  ['lowestPower'],
  ['slowDown'],
  ['joints', 'torque'],
  ['joints', 'velocity'],
  ['joints', 'lowestPosition'],
  ['joints', 'highestPosition'],
  ['joints', 'highestPower'],
  ['joints', 'lowestPower'],
  ['violations', 'worst'],
  ['firstViolation', 'worst'],
  ['pathInertia', 'sigmaMin'],
  ['pathInertia', 'condition'],
]) {
  test(`a verdict without ${path.join('.')} is refused`, () => {
    assert.throws(() => read(without(path)), {
      name: 'TorquedError',
      code: 'INTERNAL',
      message: `the verdict lacks ${path.at(-1)}`,
    });
  });
}
