// Verdicts on trajectories: what they say is what the samples show.

import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Matrix } from 'torqued';
import { RestartableServer } from './restartable_server.mjs';
import { assertClose, assertSameBits, withServer } from './support.mjs';

const there = withServer();
const N = 7;
const JOINTS = Array.from({ length: N }, (_, k) => `panda_joint${k + 1}`);

/** Samples of a smooth motion of all joints, with exact rates. */
function swinging(samples, wrench = false) {
  const time = Float64Array.from({ length: samples }, (_, k) => k / samples);
  const wave = (columns, scale, of) =>
    Float64Array.from({ length: samples * columns }, (_, i) => {
      const j = i % columns;
      return scale * of(3 * time[Math.floor(i / columns)] + 0.5 * j);
    });
  return {
    time,
    q: wave(N, 0.5, Math.sin),
    v: wave(N, 1.5, Math.cos),
    a: wave(N, -4.5, Math.sin),
    ...(wrench ? { tipWrenchOnEnvironment: wave(6, 5, Math.cos) } : {}),
  };
}

/** Rows [first, first + count). */
function partOf(samples, first, count) {
  return Object.fromEntries(
    Object.entries(samples).map(([name, data]) => {
      const columns = data.length / samples.time.length;
      return [name, data.subarray(first * columns, (first + count) * columns)];
    }),
  );
}

function partsOf(samples, count) {
  const parts = [];
  for (let first = 0; first < samples.time.length; first += count) {
    parts.push(partOf(samples, first, count));
  }
  return parts;
}

const columnOf = (data, columns, j) => data.filter((_, i) => i % columns === j);

const withoutTables = ({ tables, ...verdict }) => {
  assert.ok(tables);
  return verdict;
};

const MOTION = swinging(2500, true);
const { time, ...STATES } = MOTION;

test('a verdict is what the server says, under the names of the language', async () => {
  const options = { viscousFriction: true, gravity: [0.5, -0.2, -9.7] };
  const { tau } = await there.robot.inverseDynamics(STATES, options);
  const torque = columnOf(tau.data, N, 2);
  const most = torque.reduce((x, y) => (Math.abs(x) < Math.abs(y) ? y : x));
  const effortLimit = 0.9 * Math.abs(most);
  const verdict = await there.robot.checkTrajectory(MOTION, {
    ...options,
    tables: ['tau'],
    drives: [{ dof: JOINTS[2], effortLimit }],
    mergeGap: 10,
  });
  assert.ok(verdict.tables.tau instanceof Matrix);
  assertSameBits(verdict.tables.tau, tau);
  assert.equal(verdict.passes, false);
  const violation = verdict.violations.find(({ kind }) => kind === 'TORQUE');
  assert.deepEqual(
    [violation.joint, violation.limit],
    [JOINTS[2], effortLimit],
  );
  const sample = torque.indexOf(most);
  const place = { sample, time: time[sample], between: false };
  assert.deepEqual(violation.worst, { ...place, value: most });
  assert.deepEqual(verdict.joints[2].torque, violation.worst);
  assert.equal(verdict.pathInertia, undefined);
  assert.equal(verdict.derived, undefined);
  assert.deepEqual(verdict.echo.jointNames, JOINTS);
});

test('what was asked is told', async () => {
  const asked = {
    drives: [{ dof: JOINTS[3], torqueSpeed: [{ speed: 0.5, torque: 30 }] }],
    tipWrenchProfile: [{ time: 0, wrench: Float64Array.of(0, 0, 0, 0, 0, 1) }],
    derating: 0.5,
    derive: 'quintic',
    tables: ['torqueLimit', 'v'],
  };
  const { q } = MOTION;
  const told = await there.robot.checkTrajectory({ time, q }, asked);
  const { drives, tipWrenchProfile, tables, derive, derating } = told.asked;
  assert.deepEqual([derive, derating], ['QUINTIC_SPLINE', 0.5]);
  assert.deepEqual(tables, ['TORQUE_LIMIT', 'V']);
  assert.equal(drives[0].torqueSpeed[0].torque, 30);
  assert.equal(drives[0].velocityLimit, undefined);
  assert.deepEqual(tipWrenchProfile[0].wrench, [0, 0, 0, 0, 0, 1]);
  assert.equal(told.tables.torqueLimit.at(700, 3), 15);
  assertClose(told.tables.v.data, MOTION.v, 1e-4);
});

test('a robot without joints has tables without columns', async () => {
  const { robot } = await there.client.registerUrdf(
    'stand',
    '<robot name="stand"><link name="base"/></robot>',
  );
  for (const trajectory of [
    { time: [0, 0.5, 1], q: [[], [], []] },
    [{ time: [0, 0.5] }, { time: [1] }],
  ]) {
    const options = { tables: ['tau', 'condition'], task: true };
    const verdict = await robot.checkTrajectory(trajectory, options);
    assert.deepEqual([verdict.passes, verdict.samples], [true, 3]);
    assert.deepEqual(verdict.joints, []);
    assert.deepEqual(verdict.tables.tau.toArrays(), [[], [], []]);
    assert.equal(verdict.tables.condition.columns, 1);
  }
});

test('the verdict does not depend on how the samples come', async () => {
  const motion = swinging(20_000, true);
  const options = {
    derating: 0.1,
    tables: [
      ...['tau', 'v', 'a', 'pathA', 'pathB', 'pathC', 'pathD', 'pathE'],
      ...['sigmaMin', 'condition', 'torqueLimit'],
    ],
    task: true,
  };
  const whole = await there.robot.checkTrajectory(motion, options);
  assert.ok(whole.violationCount > 0);
  assert.equal(Object.keys(whole.tables).length, options.tables.length);
  const { sigmaMin } = whole.pathInertia;
  assert.equal(Math.min(...whole.tables.sigmaMin.data), sigmaMin.value);
  async function* made() {
    for (const part of partsOf(motion, 1234)) {
      await wait(1);
      yield part;
    }
  }
  for (const parts of [made(), partsOf(motion, 4096), [motion]]) {
    const same = await there.robot.checkTrajectory(parts, options);
    assert.deepEqual(withoutTables(same), withoutTables(whole));
    for (const name of options.tables) {
      assertSameBits(same.tables[name], whole.tables[name]);
    }
  }
});

test('progress is told to the end', async () => {
  const told = [];
  await there.robot.checkTrajectory(swinging(60_000), {
    progress: (done, total) => told.push([done, total]),
  });
  assert.deepEqual(told.at(-1), [60_000, 60_000]);
  assert.ok(told.every(([done, total]) => done <= total && total === 60_000));
});

test('one wrench serves all samples', async () => {
  const once = [1, 2, 3, 4, 5, 6];
  const every = new Float64Array(2500 * 6).map((_, i) => once[i % 6]);
  const tables = ['tau'];
  const [one, many] = await Promise.all(
    [once, every].map((tipWrenchOnEnvironment) =>
      there.robot.checkTrajectory(
        { ...MOTION, tipWrenchOnEnvironment },
        { tables },
      ),
    ),
  );
  assertSameBits(one.tables.tau, many.tables.tau);
});

test('joints come by name, and in the order of the caller', async () => {
  const reversed = [...JOINTS].reverse();
  const tables = ['tau'];
  const plain = await there.robot.checkTrajectory(MOTION, { tables });
  const byName = (data) =>
    Object.fromEntries(JOINTS.map((name, j) => [name, columnOf(data, N, j)]));
  const { q, v, a } = MOTION;
  const named = { ...MOTION, q: byName(q), v: byName(v), a: byName(a) };
  const same = await there.robot.checkTrajectory(named, { tables });
  assertSameBits(same.tables.tau, plain.tables.tau);
  const other = await there.robot.checkTrajectory(named, {
    tables,
    jointNames: reversed,
  });
  assert.deepEqual(
    other.joints.map(({ joint }) => joint),
    reversed,
  );
  assert.equal(other.tables.tau.at(5, 0), plain.tables.tau.at(5, 6));
});

const limits = (bounds) => ({ drives: [{ dof: JOINTS[0], ...bounds }] });
const spoilt = (name, at, number) => {
  const data = MOTION[name].slice();
  data[at] = number;
  return { ...MOTION, [name]: data };
};
const sixColumns = new Matrix(new Float64Array(2500 * 6), 2500, 6);

for (const [field, reason, samples, options] of [
  ['samples.q', 'WRONG_COLUMN_COUNT', { ...MOTION, q: sixColumns }],
  ['samples.v', 'WRONG_ROW_COUNT', { ...MOTION, v: new Float64Array(7) }],
  ['samples.time', 'MISSING_INPUT', { q: STATES.q }],
  ['samples.tim', 'INVALID_FIELD', { ...MOTION, tim: time }],
  ['samples', 'MISSING_INPUT', []],
  ['samples.q', 'WRONG_JOINT_NAMES', { time, q: { elbow: time } }],
  ['q[1207][3]', 'INVALID_SAMPLE', spoilt('q', 1207 * N + 3, NaN)],
  ['time[2100]', 'INVALID_SAMPLE', spoilt('time', 2100, 0)],
  ['samples', 'INVALID_OPTION', null],
  ...[
    ['options', 'x'],
    ['start.drives[0].dof', { drives: [{}] }],
    ['start.drives[0].efort', limits({ efort: 1 })],
    ['start.drives[0].effort_limit', limits({ effortLimit: null })],
    [
      'start.drives[0].torque_speed[0].torque',
      limits({ torqueSpeed: [{ torque: '4' }] }),
    ],
    ['start.derive', { derive: 'linear' }],
    ['start.tables[1]', { tables: ['tau', 'power'] }],
  ].map(([field, options]) => [field, 'INVALID_OPTION', MOTION, options]),
]) {
  test(`${reason} names ${field}`, async () => {
    const expected = { name: 'TorquedError', code: 'INVALID_ARGUMENT', reason };
    if (reason === 'INVALID_SAMPLE') {
      [expected.row, expected.joint] = field.match(/\d+/g).map(Number);
      expected.joint &&= JOINTS[expected.joint];
    }
    // In parts, too, numbers have their place in the whole.
    const ways = [samples];
    if (samples?.time?.length === 2500 && /\[/.test(field)) {
      ways.push(partsOf(samples, 1000));
    }
    for (const way of ways) {
      await assert.rejects(there.robot.checkTrajectory(way, options), {
        ...expected,
        field,
      });
    }
  });
}

test('what is refused at the start is told while samples are made', async () => {
  let closed = false;
  const more = new EventEmitter();
  async function* waiting() {
    try {
      yield partOf(MOTION, 0, 10);
      await once(more, 'it');
      yield partOf(MOTION, 10, 10);
      assert.fail('nobody wants more');
    } finally {
      closed = true;
    }
  }
  await assert.rejects(
    there.robot.checkTrajectory(waiting(), { tipFrame: 'nowhere' }),
    { reason: 'UNKNOWN_FRAME' },
  );
  more.emit('it');
  await wait(20);
  assert.ok(closed, 'the source is told that it is over');
});

test('what the samples throw is thrown on', async () => {
  const wrong = new Error('no more samples');
  async function* failing() {
    yield partOf(MOTION, 0, 100);
    throw wrong;
  }
  await assert.rejects(
    there.robot.checkTrajectory(failing()),
    (error) => error === wrong,
  );
  const bad = { ...partOf(MOTION, 100, 5), q: [[1]] };
  await assert.rejects(
    there.robot.checkTrajectory([partOf(MOTION, 0, 100), bad]),
    {
      field: 'samples.q',
      metadata: { part: '1' },
      message: /^part 1: samples.q/,
    },
  );
  await assert.rejects(there.robot.checkTrajectory(bad), {
    message: /^samples.q/,
  });
  // The server has forgotten it.
  assert.equal((await there.robot.checkTrajectory(MOTION)).samples, 2500);
});

test('a signal and a deadline end a check that waits for samples', async () => {
  async function* endless() {
    yield partOf(MOTION, 0, 100);
    await new Promise(() => {});
  }
  const controller = new AbortController();
  const call = there.robot.checkTrajectory(endless(), {
    signal: controller.signal,
  });
  setTimeout(() => controller.abort(new Error('enough')), 50);
  await assert.rejects(call, { message: 'enough' });
  await assert.rejects(
    there.robot.checkTrajectory(endless(), { deadlineMs: 100 }),
    { code: 'DEADLINE_EXCEEDED' },
  );
});

test('a check begins anew where its server was killed', async (t) => {
  const motion = swinging(100_000);
  const [retries, told, tables] = [[], [], ['tau']];
  const { server, robot } = await RestartableServer.of(t, {
    onRetry: (error) => retries.push(error.code),
  });
  let restart;
  let taken = 0;
  async function* parts() {
    for (const part of partsOf(motion, 20_000)) {
      taken += 1;
      yield part;
    }
  }
  const progress = (done) => {
    told.push(done);
    restart ??= server.kill().then(() => server.start());
  };
  const verdict = await robot.checkTrajectory(parts(), { tables, progress });
  await restart;
  assert.ok(retries.includes('UNAVAILABLE'));
  assert.equal(taken, 5, 'each part is made once');
  assert.ok(told.length > 1);
  // No less than before.
  const ascending = [...new Set(told)].sort((a, b) => a - b);
  assert.deepEqual(told, ascending);
  const expected = await there.robot.checkTrajectory(motion, { tables });
  assertSameBits(verdict.tables.tau, expected.tables.tau);
  assert.deepEqual(withoutTables(verdict), withoutTables(expected));
});
