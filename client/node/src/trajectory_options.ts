// How a trajectory is checked.

import { badArgument } from './errors.js';
import {
  type CallOptions,
  checkNames,
  type DynamicsOptions,
  enumNumber,
  optionEnum,
  tipWrenchFrame,
  wireOptions,
  wireTask,
} from './options.js';
import { WireEnum } from './protocol.js';
import { wireName } from './quantities.js';

/** How velocities and accelerations follow from positions: derivatives of the
 * interpolating spline with not-a-knot ends, of at least 4 or 6 samples. */
export type Differentiation = 'CUBIC_SPLINE' | 'QUINTIC_SPLINE';

/** Limits of one joint, in the place of the model's. What is absent is the
 * model's. */
export interface JointBounds {
  /** Name of a movable joint; each at most once. */
  joint: string;
  /** rad or m. */
  lower?: number;
  /** rad or m. */
  upper?: number;
  /** rad/s or m/s, at least 0. */
  velocity?: number;
  /** N m or N, at least 0. */
  effort?: number;
  /** What the drive gives at which speed, beside `effort`: straight between
   * these points, constant outside. Speeds, rad/s or m/s, increase from at least
   * 0. */
  speeds?: readonly number[];
  /** As many, N m or N, at least 0. */
  torques?: readonly number[];
}

/** Friction and rotor inertia of one joint, in the place of the model's. What is
 * absent is the model's. Friction counts only where `friction` has it. */
export interface JointDrive {
  /** Name of a movable joint; each at most once. */
  joint: string;
  /** N m s/rad or N s/m, at least 0. */
  viscousFriction?: number;
  /** N m or N, at least 0. */
  coulombFriction?: number;
  /** kg m^2 or kg, at least 0. */
  armature?: number;
}

/**
 * A table with one row per sample; one column per joint but for sigmaMin and
 * condition, which have one.
 * - tau: torques, all terms.
 * - torqueLimit: what they may be, at the speeds of the samples, derated;
 *   infinite where a joint has none.
 * - v, a: as the check used them.
 * - pathA ... pathE: of the path dynamics tau = a s'' + b s'^2 + c + d s' + e,
 *   with the trajectory's own time as s. d and e are viscous and Coulomb
 *   friction. Bobrow, Dubowsky & Gibson 1985.
 * - sigmaMin, condition: only with `task`; see PathInertia.
 */
export type TrajectoryTable =
  | 'tau'
  | 'torqueLimit'
  | 'v'
  | 'a'
  | 'pathA'
  | 'pathB'
  | 'pathC'
  | 'pathD'
  | 'pathE'
  | 'sigmaMin'
  | 'condition';

/** Options of `checkTrajectory`; everything may be absent. */
export interface CheckOptions<Table extends TrajectoryTable = TrajectoryTable>
  extends Omit<DynamicsOptions, 'failFast' | 'externalWrenches'>, CallOptions {
  bounds?: readonly JointBounds[];
  drives?: readonly JointDrive[];
  /** All torque limits are multiplied by it; above 0, at most 1. Absent: 1. */
  derating?: number;
  /** Violations of a joint that are at most so many seconds apart are told as
   * one; at least 0. Absent: 0. */
  mergeGap?: number;
  /** Where v and a are absent. */
  derive?: Differentiation;
  /** Tables to return, each at most once. Absent: none. */
  tables?: readonly Table[];
  /** Called while the server computes. A check that has to begin anew counts
   * anew. */
  progress?: (done: number, total: number) => void;
}

export const differentiations = new WireEnum<Differentiation>(
  'Differentiation',
  'DIFFERENTIATION_',
);
export const tableEnum = new WireEnum<string>(
  'TrajectoryTable',
  'TRAJECTORY_TABLE_',
);

const NAMES: Readonly<Record<keyof CheckOptions, true>> = {
  jointNames: true,
  gravity: true,
  friction: true,
  tipFrame: true,
  referenceFrame: true,
  tipWrenchReferenceFrame: true,
  payload: true,
  task: true,
  precision: true,
  encoding: true,
  bounds: true,
  drives: true,
  derating: true,
  mergeGap: true,
  derive: true,
  tables: true,
  progress: true,
  deadlineMs: true,
  signal: true,
};

const BOUND_NAMES: Readonly<Record<keyof JointBounds, true>> = {
  joint: true,
  lower: true,
  upper: true,
  velocity: true,
  effort: true,
  speeds: true,
  torques: true,
};

const DRIVE_NAMES: Readonly<Record<keyof JointDrive, true>> = {
  joint: true,
  viscousFriction: true,
  coulombFriction: true,
  armature: true,
};

function tableNumber(table: string, k: number): number {
  const field = `start.tables[${k}]`;
  return enumNumber(
    tableEnum,
    typeof table === 'string' ? wireName(table) : String(table),
    'INVALID_FIELD',
    field,
  );
}

function checkNumbers(value: unknown, field: string): void {
  if (value === undefined || value === null || typeof value === 'number') {
    return;
  }
  const isNumbers =
    Array.isArray(value) && value.every((x) => typeof x === 'number');
  if (!isNumbers) {
    throw badArgument(
      'INVALID_OPTION',
      field,
      `${field} is ${typeof value}, which is no number`,
    );
  }
}

// The limits or the drive of a joint, as they are.
function ofJoint<Given extends { joint: string }>(
  given: Given,
  names: Readonly<Record<keyof Given & string, true>>,
  where: string,
): Given {
  checkNames(given, names, where);
  for (const [name, value] of Object.entries(given)) {
    if (name !== 'joint') checkNumbers(value, `${where}.${name}`);
  }
  return given;
}

/** CheckTrajectoryStart. Throws for what is no option. */
export function wireStart(model: string, options: CheckOptions): object {
  checkNames(options, NAMES);
  return {
    model,
    options: wireOptions(options),
    ...(options.task ? { operationalSpace: wireTask(options.task) } : {}),
    tipWrenchReferenceFrame: tipWrenchFrame(options),
    bounds: (options.bounds ?? []).map((bounds, k) =>
      ofJoint(bounds, BOUND_NAMES, `start.bounds[${k}]`),
    ),
    drives: (options.drives ?? []).map((drive, k) =>
      ofJoint(drive, DRIVE_NAMES, `start.drives[${k}]`),
    ),
    derating: options.derating,
    mergeGap: options.mergeGap ?? 0,
    derive: optionEnum(differentiations, options.derive, 'start.derive'),
    tables: (options.tables ?? []).map(tableNumber),
  };
}
