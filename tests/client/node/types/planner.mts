// Compiles against the package's types; lines that must not are marked.

import {
  connect,
  Matrix,
  type Evaluation,
  type States,
  type TrajectorySamples,
  type TrajectoryVerdict,
} from 'torqued';

const client = await connect('127.0.0.1:7421', { deadlineMs: 1000 });
const robot = await client.model('panda');
const states: States = {
  q: [[0, 0, 0]],
  v: new Float64Array(3),
  tau: { panda_joint1: 1, panda_joint2: [1, 2] },
};

const single: States = {
  q: new Float32Array(7),
  v: [new Float32Array(7)],
  tau: { panda_joint1: new Float32Array(1) },
};
await robot.massMatrix(single);

const { tau, rows, ok } = await robot.inverseDynamics(states);
export const torque: number = tau.at(0, 0) + rows + ok[0];

const both = await robot.compute(['massMatrix', 'operationalSpace'], states, {
  axes: ['LINEAR_X'],
  sigmaMin: true,
  gravity: [0, 0, -1.62],
});
export const inertia: Matrix = both.massMatrix;
export const rules: string[] = both.rule;
export const sigma: Float64Array | undefined = both.sigmaMin;
export const named: Evaluation<'jacobian' | 'framePose'> = await robot.compute(
  ['jacobian', 'framePose'],
  states,
);

// @ts-expect-error it was not asked for
both.jacobian;
// @ts-expect-error there is no such quantity
await robot.compute(['torques'], states);
// @ts-expect-error there is no such option
await robot.massMatrix(states, { tipframe: 'panda_hand' });
// @ts-expect-error there is no such axis
await robot.operationalSpace(states, { axes: ['X'] });
// @ts-expect-error no such input
await robot.massMatrix({ q: [0], velocity: [0] });

const motion: TrajectorySamples = { time: new Float64Array(2), q: [[0], [1]] };
const checked = await robot.checkTrajectory(motion, {
  derive: 'QUINTIC_SPLINE',
  drives: [{ dof: 'panda_joint1', effortLimit: 80 }],
  tables: ['TAU', 'PATH_A'],
});
export const verdict: TrajectoryVerdict = checked;
export const torques: Matrix = checked.tables.tau;
export const use: number | undefined = checked.joints[0]?.torqueUse?.value;
export const parts: TrajectoryVerdict = await robot.checkTrajectory(
  (async function* () {
    yield motion;
  })(),
);
await robot.checkTrajectory([motion, motion]);
// @ts-expect-error it was not asked for
checked.tables.pathB;
// @ts-expect-error there is no such table
await robot.checkTrajectory(motion, { tables: ['POWER'] });
// @ts-expect-error samples have a time
await robot.checkTrajectory({ q: [[0]] });
// @ts-expect-error a bound names its joint
await robot.checkTrajectory(motion, { drives: [{ effortLimit: 80 }] });
// @ts-expect-error a check has no external wrenches
await robot.checkTrajectory(motion, { externalWrenches: [] });
