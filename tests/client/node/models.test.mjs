import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TorquedError } from 'torqued';
import { view } from '../client/node/dist/message.js';
import { messageType } from '../client/node/dist/protocol.js';
import { MODELS, numbers, withServer } from './support.mjs';

const there = withServer();
const ur5e = readFileSync(join(MODELS, 'ur5e.urdf'));

test('models are listed with what they are', async () => {
  const models = await there.client.listModels();
  assert.deepEqual(
    models.map(({ name, nq, nv, state }) => [name, nq, nv, state]),
    [
      ['panda', 7, 7, 'READY'],
      ['planar_2r', 2, 2, 'READY'],
      ['ur5e', 6, 6, 'READY'],
    ],
  );
  assert.ok(Math.abs(models[0].registeredAt - Date.now()) < 600_000);
  const { info, joints, jointNames } = there.robot;
  assert.equal(jointNames[6], 'panda_joint7');
  const { type, axis, lower, upper, velocity, effort } = joints[0];
  assert.equal(type, 'REVOLUTE');
  assert.deepEqual(axis, [0, 0, 1]);
  assert.deepEqual(
    [lower, upper, velocity, effort],
    [-2.8973, 2.8973, 2.175, 87],
  );
  assert.ok(info.frames.includes('panda_link4'));
  assert.ok(Array.isArray(info.report.findings));
});

test('an absent limit is infinite', () => {
  const { lower, effort } = view(
    'JointInfo',
    messageType('JointInfo').create(),
  );
  assert.deepEqual([lower, effort], [-Infinity, Infinity]);
});

test('a registration makes a robot, and names move', async () => {
  const { client } = there;
  const first = await client.registerUrdf('arm', ur5e, { label: 'raw' });
  assert.equal(first.changed, true);
  assert.equal((await client.registerUrdf('arm', ur5e)).changed, false);
  const second = await client.registerUrdf('arm', ur5e.toString(), {
    defaultTip: 'wrist_1_link',
  });
  assert.notEqual(second.model.revision, first.model.revision);
  assert.equal(second.model.tipFrame, 'wrist_1_link');

  for (const [robot, { revision }] of [
    [first.robot, first.model],
    [await client.model(`arm@${first.model.revision}`), first.model],
    [await client.model('arm@raw'), first.model],
    [second.robot, second.model],
    [await client.model('arm'), second.model],
  ]) {
    const { echo } = await robot.framePose({ q: numbers(6) });
    assert.equal(echo.revision, revision);
  }
  assert.deepEqual(Buffer.from(await client.modelSource('arm')), ur5e);

  await assert.rejects(
    client.registerUrdf('arm', ur5e, { expectedCurrent: '' }),
    { code: 'FAILED_PRECONDITION', reason: 'REVISION_CONFLICT' },
  );
  await assert.rejects(
    client.deleteModel('arm', { expectedCurrent: first.model.revision }),
    { reason: 'REVISION_CONFLICT' },
  );
  await client.deleteModel('arm');
  await assert.rejects(client.model('arm'), {
    code: 'NOT_FOUND',
    reason: 'MODEL_NOT_FOUND',
    message: /arm.*panda/,
    field: undefined,
  });
});

const FAULTY = `<robot name='r'>
<link name='a'/>
<link name='b'><inertial><mass value='heavy'/></inertial></link>
<joint name='j' type='revolut'><parent link='a'/><child link='b'/></joint>
</robot>`;

for (const [options, source] of [
  [{}, 'source'],
  [{ file: 'robots/bad.urdf' }, 'robots/bad.urdf'],
]) {
  test(`all faults of a model are shown by the lines of ${source}`, () =>
    assert.rejects(
      there.client.registerUrdf('bad', FAULTY, options),
      (error) => {
        assert.ok(error instanceof TorquedError);
        assert.equal(error.reason, 'INVALID_MODEL');
        assert.ok(error.message.startsWith(`${source}: 3 error(s)\n`));
        for (const fault of [
          '3: invalid-number: ',
          '3: missing-element: ',
          '4: unknown-joint-type: ',
        ]) {
          assert.ok(error.message.includes(`\n  ${source}:${fault}`), error);
        }
        const fields = error.fieldViolations.map(({ field }) => field);
        assert.deepEqual(fields, ['source:3', 'source:3', 'source:4']);
        assert.equal(error.metadata.file, options.file);
        return true;
      },
    ));
}

test('a number that a newer server sends is that number as text', () => {
  const info = view(
    'ModelInfo',
    messageType('ModelInfo').fromObject({
      state: 99,
      options: { validation: 99 },
      joints: [{ type: 99 }],
    }),
  );
  assert.deepEqual(
    [info.state, info.options.validation, info.joints[0].type, info.format],
    ['99', '99', '99', undefined],
  );
});

test('a description can be tried without storing it', async () => {
  const { client } = there;
  await assert.rejects(client.validateUrdf(ur5e, { validation: 'LAX' }), {
    reason: 'INVALID_OPTION',
    field: 'options.validation',
  });
  const { valid, model } = await client.validateUrdf(ur5e);
  assert.equal(valid, true);
  assert.equal(model.nq, 6);
  assert.equal(model.registeredAt, undefined);
  const faulty = await client.validateUrdf(FAULTY);
  assert.deepEqual([faulty.valid, faulty.model], [false, undefined]);
  assert.equal(faulty.report.errors, 3);
  const { severity, line } = faulty.report.findings[0];
  assert.deepEqual([severity, line], ['ERROR', 3]);
});

test('the server tells what it is', async () => {
  const info = await there.client.serverInfo();
  assert.match(info.serverVersion, /^\d+\.\d+/);
  assert.ok(info.targets.some(({ name }) => name === info.target));
  assert.ok(info.maxInflightBytes > 0 && info.threads > 0);
});
