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
for (const [option, value] of [
  ['expectedCurrent', null],
  ['expectedCurrent', 5],
  ['label', null],
  ['defaultTip', 5],
]) {
  test(`a registration does not take ${option} ${value}`, async () => {
    const { revision } = await there.client.modelInfo('panda');
    const other = readFileSync(join(MODELS, 'ur5e.urdf'));
    await assert.rejects(
      there.client.registerUrdf('panda', other, { [option]: value }),
      {
        reason: 'INVALID_OPTION',
        field: `options.${option.replace(/[A-Z]/, (c) => `_${c.toLowerCase()}`)}`,
      },
    );
    const after = await there.client.modelInfo('panda');
    assert.equal(after.revision, revision);
  });
}

test('a name goes only with text for the revision that is expected', () =>
  assert.rejects(there.client.deleteModel('panda', { expectedCurrent: null }), {
    reason: 'INVALID_OPTION',
    field: 'options.expected_current',
  }));
