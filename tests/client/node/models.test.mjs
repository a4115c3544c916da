import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TorquedError } from 'torqued';
import { view } from '../client/node/dist/message.js';
import { messageType } from '../client/node/dist/protocol.js';
import { assertSameBits, MODELS, numbers, withServer } from './support.mjs';

const there = withServer();
const ur5e = readFileSync(join(MODELS, 'ur5e.urdf'));

test('models are listed with their revisions', async () => {
  const models = await there.client.listModels();
  assert.deepEqual(
    models.map(({ name, nq, nv, state }) => [name, nq, nv, state]),
    [
      ['panda', 7, 7, 'READY'],
      ['planar_2r', 2, 2, 'READY'],
      ['ur5e', 6, 6, 'READY'],
    ],
  );
  for (const { revision, registeredAt } of models) {
    assert.match(revision, /^[0-9a-f]{64}$/);
    assert.ok(Math.abs(registeredAt - Date.now()) < 600_000);
  }
});

test('a robot knows its joints, limits and frames', async () => {
  const { info, joints, jointNames } = there.robot;
  assert.equal(joints.length, 7);
  assert.equal(jointNames[6], 'panda_joint7');
  const [first] = joints;
  assert.equal(first.type, 'REVOLUTE');
  assert.deepEqual(first.axis, [0, 0, 1]);
  assert.deepEqual(
    [first.lower, first.upper, first.velocity, first.effort],
    [-2.8973, 2.8973, 2.175, 87],
  );
  assert.deepEqual([first.qIndex, first.vIndex], [0, 0]);
  assert.ok(info.frames.includes('panda_link4'));
  assert.deepEqual(info.gravity, [0, 0, -9.81]);
  assert.ok(info.movingMass > 10);
  assert.ok(Array.isArray(info.report.findings));
});

test('an absent limit is infinite', async () => {
  const spinner = `<robot name="spinner"><link name="base"/>
    <link name="wheel"><inertial><mass value="1"/><inertia ixx="1" iyy="1"
      izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="axle" type="continuous"><parent link="base"/>
      <child link="wheel"/><axis xyz="0 0 1"/></joint></robot>`;
  const { robot } = await there.client.registerUrdf('spinner', spinner);
  const [axle] = robot.joints;
  assert.equal(axle.type, 'CONTINUOUS');
  assert.deepEqual([axle.lower, axle.effort], [-Infinity, Infinity]);
  await there.client.deleteModel('spinner');
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

  const q = numbers(6);
  const old = await client.model(`arm@${first.model.revision}`);
  assert.equal(
    (await client.model('arm@raw')).info.revision,
    old.info.revision,
  );
  const now = await client.model('arm');
  for (const [robot, { revision }] of [
    [first.robot, first.model],
    [old, first.model],
    [second.robot, second.model],
    [now, second.model],
  ]) {
    const { echo } = await robot.framePose({ q });
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
  await assert.rejects(client.model('arm'), { reason: 'MODEL_NOT_FOUND' });
});

test('a model that is refused is told line by line', async () => {
  const broken = ur5e.toString().replace('<mass value="', '<mass value="x');
  await assert.rejects(there.client.registerUrdf('bad', broken), (error) => {
    assert.ok(error instanceof TorquedError);
    assert.equal(error.code, 'INVALID_ARGUMENT');
    assert.equal(error.reason, 'INVALID_MODEL');
    assert.match(error.field, /^source:\d+$/);
    assert.notEqual(error.fieldViolations[0].description, '');
    assert.equal(error.retryDelayMs, undefined);
    return true;
  });
  const { valid, report, model } = await there.client.validateUrdf(broken);
  assert.equal(valid, false);
  assert.equal(model, undefined);
  assert.ok(report.errors > 0);
  assert.equal(report.findings[0].severity, 'ERROR');
  assert.ok(report.findings[0].line > 0);
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
        const [head, ...faults] = error.message.split('\n');
        assert.equal(head, `${source}: 3 errors`);
        assert.deepEqual(
          faults.map((fault) => fault.slice(0, fault.indexOf(': ', 20) + 1)),
          [
            `  ${source}:3: invalid-number:`,
            `  ${source}:3: missing-element:`,
            `  ${source}:4: unknown-joint-type:`,
          ],
        );
        assert.deepEqual(
          error.fieldViolations.map(({ field }) => field),
          ['source:3', 'source:3', 'source:4'],
        );
        assert.equal(error.metadata.file, options.file);
        return true;
      },
    ));
}

test('of many faults the first are shown and the others counted', async () => {
  const links = Array.from(
    { length: 300 },
    (_, k) =>
      `<link name='l${k}'><inertial><mass value='x'/></inertial></link>`,
  );
  const urdf = `<robot name='r'>\n${links.join('\n')}\n</robot>`;
  await assert.rejects(there.client.registerUrdf('bad', urdf), (error) => {
    const lines = error.message.split('\n');
    const count = Number(/^source: (\d+) errors$/.exec(lines[0])[1]);
    assert.ok(count >= 300);
    assert.equal(lines.length, 22);
    assert.equal(lines.at(-1), `  and ${count - 20} more`);
    return true;
  });
});

test('a number that a newer server sends is that number as text', () => {
  const info = view(
    'ModelInfo',
    messageType('ModelInfo').fromObject({
      state: 99,
      options: { validation: 99 },
      joints: [{ name: 'axle', type: 99 }],
      report: { findings: [{ severity: 99, message: 'new' }] },
    }),
  );
  assert.equal(info.state, '99');
  assert.equal(info.format, undefined);
  assert.equal(info.options.validation, '99');
  assert.equal(info.joints[0].type, '99');
  assert.equal(info.report.findings[0].severity, '99');
  assert.equal(info.report.findings[0].message, 'new');
});

test('a description can be tried without storing it', async () => {
  await assert.rejects(there.client.validateUrdf(ur5e, { validation: 'LAX' }), {
    reason: 'INVALID_OPTION',
    field: 'options.validation',
  });
  const { valid, model } = await there.client.validateUrdf(ur5e);
  assert.equal(valid, true);
  assert.equal(model.robotName.length > 0, true);
  assert.equal(model.registeredAt, undefined);
});

test('a model that there is not is named with those that there are', () =>
  assert.rejects(there.client.model('nobody'), (error) => {
    assert.equal(error.name, 'TorquedError');
    assert.equal(error.code, 'NOT_FOUND');
    assert.equal(error.reason, 'MODEL_NOT_FOUND');
    assert.match(error.message, /nobody.*panda/);
    assert.equal(error.field, undefined);
    assert.equal(error.joint, undefined);
    assert.equal(error.row, undefined);
    return true;
  }));

test('the server tells what it is', async () => {
  const info = await there.client.serverInfo();
  assert.match(info.serverVersion, /^\d+\.\d+/);
  assert.ok(info.targets.some(({ name }) => name === info.target));
  assert.ok(info.targets.at(-1).lanesDouble >= 1);
  assert.equal(info.maxMessageBytes, 16 * 1024 * 1024);
  assert.ok(info.maxInflightBytes > 0 && info.threads > 0);
});
