// Options that there are not are refused, with those that there are.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect, startLocalServer } from 'torqued';
import { MODELS, numbers, withServer } from './support.mjs';

const there = withServer();
const panda = readFileSync(join(MODELS, 'panda.urdf'));
const q = numbers(7);
const time = [0, 1];
const still = [Array(7).fill(0), Array(7).fill(0)];
const path = { time, q: still, v: still, a: still };

const of = (name, ...before) => [
  name,
  (options) => there.client[name](...before, options),
];
const ofRobot = (name, ...before) => [
  name,
  (options) => there.robot[name](...before, options),
];

for (const [[name, call], option, meant] of [
  [of('registerUrdf', 'panda', panda), 'expect', 'expectedCurrent'],
  [of('validateUrdf', panda), 'label', 'validation'],
  [of('deleteModel', 'panda'), 'expectd', 'expectedCurrent'],
  [of('model', 'panda'), 'deadline', 'deadlineMs'],
  [of('serverInfo'), 'retries', 'signal'],
  [ofRobot('massMatrix', { q }), 'gravityy', 'gravity'],
  [ofRobot('checkTrajectory', path), 'deratingFactor', 'derating'],
  [['connect', (o) => connect('127.0.0.1:1', o)], 'wait', 'waitForServerMs'],
  [['startLocalServer', startLocalServer], 'model', 'models'],
]) {
  test(`${name} has no option ${option}`, () =>
    assert.rejects(
      async () => call({ [option]: '' }),
      (error) => {
        assert.equal(error.reason, 'INVALID_OPTION');
        assert.equal(error.field, `options.${option}`);
        const said = `options.${option} does not exist; there are `;
        assert.ok(error.message.startsWith(said), error.message);
        return error.message.slice(said.length).split(', ').includes(meant);
      },
    ));
}

// null is not absent: it would be left out of the message.
for (const [field, call] of [
  ...[null, 5].flatMap((expectedCurrent) => [
    [
      'expected_current',
      (c) => c.registerUrdf('panda', panda, { expectedCurrent }),
    ],
    ['expected_current', (c) => c.deleteModel('panda', { expectedCurrent })],
  ]),
  ['label', (c) => c.registerUrdf('panda', panda, { label: null })],
  ['default_tip', (c) => c.registerUrdf('panda', panda, { defaultTip: 5 })],
]) {
  test(`a change does not take ${field} that is no text: ${call}`, () =>
    assert.rejects(async () => call(there.client), {
      reason: 'INVALID_OPTION',
      field: `options.${field}`,
    }));
}
