// What can be computed, and which results it has.

import type { Matrix } from './matrix.js';

/** The rule that a row's Lambda follows; UNDEFINED where there is none. */
export type TaskRule =
  'FULL_RANK' | 'RANGE_RESTRICTED' | 'DAMPED' | 'UNDEFINED';

/**
 * The results of every quantity, one row per state. n: joints (degrees of
 * freedom), m: axes of the task. Spatial vectors are (angular; linear), units
 * SI; joint-sized rows and columns follow the echo's joint names. Reference:
 * in the reference frame of the options, at the tip frame. What each needs and
 * uses: the methods of `Robot` and docs/quantities.md.
 */
export interface QuantityResults {
  inverseDynamics: {
    /** n columns, N m or N. */
    tau: Matrix;
  };
  massMatrix: {
    /** n x n, symmetric; kg m^2 of turning joints. */
    massMatrix: Matrix;
  };
  forwardDynamics: {
    /** n columns, rad/s^2 or m/s^2. */
    a: Matrix;
  };
  biasForces: {
    /** n columns, N m or N. */
    bias: Matrix;
  };
  framePose: {
    /** 3 x 4, (R p): x_base = R x_tip + p. */
    pose: Matrix;
  };
  jacobian: {
    /** 6 x n, reference. */
    jacobian: Matrix;
  };
  jacobianDrift: {
    /** 6 columns, Jdot v, reference. */
    jacobianDrift: Matrix;
  };
  operationalSpace: {
    /** m x m, reference. */
    lambda: Matrix;
    /** m columns: force = Lambda acceleration + eta. */
    eta: Matrix;
    /** Numerical rank of the scaled task Jacobian, one per state. */
    rank: Uint32Array;
    /** One per state. */
    rule: TaskRule[];
    /** The smallest singular value of the scaled task Jacobian, one per state;
     * undefined unless `task.sigmaMin` asks for it. */
    sigmaMin?: Float64Array;
  };
  gravityForces: {
    /** n columns, N m or N: what holds the robot still. */
    gravity: Matrix;
  };
  coriolisForces: {
    /** n columns, N m or N, without friction. */
    coriolis: Matrix;
  };
  coriolisMatrix: {
    /** n x n: coriolis = C v. */
    coriolisMatrix: Matrix;
  };
  christoffelSymbols: {
    /** n x n^2: c_ijk at row i, column j n + k. */
    christoffel: Matrix;
  };
  massMatrixRate: {
    /** n x n, symmetric. */
    massMatrixRate: Matrix;
  };
  massMatrixInverse: {
    /** n x n, symmetric. */
    massMatrixInverse: Matrix;
  };
  energy: {
    /** 1 column, J, rotors included. */
    kineticEnergy: Matrix;
    /** 1 column, J, zero at the base's origin. */
    potentialEnergy: Matrix;
  };
  centerOfMass: {
    /** 3 columns, m, base axes, from the base's origin. */
    centerOfMass: Matrix;
    /** 3 columns, m/s, base axes. */
    centerOfMassVelocity: Matrix;
  };
  momentum: {
    /** 6 columns, about the centre of mass, base axes. */
    momentum: Matrix;
  };
  momentumMatrix: {
    /** 6 x n: momentum = matrix v. */
    momentumMatrix: Matrix;
  };
  linkTwists: {
    /** n x 6: of the link that each joint moves, in that link's frame. */
    linkTwists: Matrix;
  };
  linkAccelerations: {
    /** n x 6: rates of the twists' components, without gravity. */
    linkAccelerations: Matrix;
  };
  frameVelocity: {
    /** 6 columns, J v, reference. */
    frameVelocity: Matrix;
  };
  frameAcceleration: {
    /** 6 columns, spatial, reference. */
    frameAcceleration: Matrix;
    /** 6 columns, reference; linear half: the second derivative of the
     * position. */
    frameAccelerationClassical: Matrix;
  };
  jacobianRate: {
    /** 6 x n, Jdot, reference. */
    jacobianRate: Matrix;
  };
  jointWrenches: {
    /** n x 6 (moment; force): what passes through each joint, in the frame of
     * the link that it moves. */
    jointWrenches: Matrix;
  };
  baseWrench: {
    /** 6 columns (moment; force), base axes: of the base on the robot. */
    baseWrench: Matrix;
  };
  regressor: {
    /** n x 10 n: tau = Y p without friction and armature. */
    regressor: Matrix;
  };
  inverseDynamicsDerivatives: {
    /** n x n: dtau_i/dq_j. */
    dtauDq: Matrix;
    /** n x n: dtau_i/dv_j. */
    dtauDv: Matrix;
  };
  forwardDynamicsDerivatives: {
    /** n x n: da_i/dq_j at constant tau. */
    daDq: Matrix;
    /** n x n: da_i/dv_j. */
    daDv: Matrix;
    /** n x n: the inverse of M. */
    daDtau: Matrix;
  };
  taskProjection: {
    /** m x m: W = J M^-1 J^T. */
    mobility: Matrix;
    /** n x m: Jbar = M^-1 J^T Lambda. */
    consistentInverse: Matrix;
    /** n x n: N = 1 - Jbar J. */
    nullSpaceProjector: Matrix;
  };
  forwardFrameAcceleration: {
    /** 6 columns, reference: J a + Jdot v with the a of forward dynamics. */
    forwardFrameAcceleration: Matrix;
  };
  taskTorque: {
    /** n columns, N m or N. */
    taskTorque: Matrix;
  };
  powerBalance: {
    /** 8 columns, W: rates of kinetic and potential energy; powers of the joint
     * torques, of viscous and Coulomb friction, of the tip wrench, of the
     * external wrenches, of the base. */
    powerBalance: Matrix;
  };
}

/** A quantity, by the name of its method. */
export type QuantityName = keyof QuantityResults;

/** Rows and columns of a state's matrix, for n joints and m axes. */
export type Shape = (n: number, m: number) => readonly [number, number];

const one: Shape = () => [1, 1];
const three: Shape = () => [1, 3];
const six: Shape = () => [1, 6];
const eight: Shape = () => [1, 8];
const pose: Shape = () => [3, 4];
const joints: Shape = (n) => [1, n];
const jointsByJoints: Shape = (n) => [n, n];
const sixByJoints: Shape = (n) => [6, n];
const jointsBySix: Shape = (n) => [n, 6];
const jointsCubed: Shape = (n) => [n, n * n];
const regressor: Shape = (n) => [n, 10 * n];
const jointsByAxes: Shape = (n, m) => [n, m];
const axes: Shape = (_n, m) => [1, m];
const axesByAxes: Shape = (_n, m) => [m, m];

// Of the operational space, beside rank, rule and sigmaMin.
const TABLES: Readonly<Record<QuantityName, Readonly<Record<string, Shape>>>> =
  {
    inverseDynamics: { tau: joints },
    massMatrix: { massMatrix: jointsByJoints },
    forwardDynamics: { a: joints },
    biasForces: { bias: joints },
    framePose: { pose },
    jacobian: { jacobian: sixByJoints },
    jacobianDrift: { jacobianDrift: six },
    operationalSpace: { lambda: axesByAxes, eta: axes },
    gravityForces: { gravity: joints },
    coriolisForces: { coriolis: joints },
    coriolisMatrix: { coriolisMatrix: jointsByJoints },
    christoffelSymbols: { christoffel: jointsCubed },
    massMatrixRate: { massMatrixRate: jointsByJoints },
    massMatrixInverse: { massMatrixInverse: jointsByJoints },
    energy: { kineticEnergy: one, potentialEnergy: one },
    centerOfMass: { centerOfMass: three, centerOfMassVelocity: three },
    momentum: { momentum: six },
    momentumMatrix: { momentumMatrix: sixByJoints },
    linkTwists: { linkTwists: jointsBySix },
    linkAccelerations: { linkAccelerations: jointsBySix },
    frameVelocity: { frameVelocity: six },
    frameAcceleration: {
      frameAcceleration: six,
      frameAccelerationClassical: six,
    },
    jacobianRate: { jacobianRate: sixByJoints },
    jointWrenches: { jointWrenches: jointsBySix },
    baseWrench: { baseWrench: six },
    regressor: { regressor },
    inverseDynamicsDerivatives: {
      dtauDq: jointsByJoints,
      dtauDv: jointsByJoints,
    },
    forwardDynamicsDerivatives: {
      daDq: jointsByJoints,
      daDv: jointsByJoints,
      daDtau: jointsByJoints,
    },
    taskProjection: {
      mobility: axesByAxes,
      consistentInverse: jointsByAxes,
      nullSpaceProjector: jointsByJoints,
    },
    forwardFrameAcceleration: { forwardFrameAcceleration: six },
    taskTorque: { taskTorque: joints },
    powerBalance: { powerBalance: eight },
  };

/** The tables of each quantity. */
export const RESULT_TABLES = Object.fromEntries(
  Object.entries(TABLES).map(([name, tables]) => [
    name,
    Object.entries(tables),
  ]),
) as unknown as Readonly<
  Record<QuantityName, readonly (readonly [string, Shape])[]>
>;

/** The names of all quantities, in the order of the contract. */
export const QUANTITIES = Object.keys(TABLES) as readonly QuantityName[];

/** The contract's name without its prefix: "INVERSE_DYNAMICS". */
export function wireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** "PATH_A" -> "pathA". */
export function camelName(name: string): string {
  return name
    .toLowerCase()
    .replace(/_[a-z]/g, (pair) => pair.slice(1).toUpperCase());
}
