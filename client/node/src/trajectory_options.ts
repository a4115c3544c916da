// How a trajectory is checked.

import {
  flagOf,
  listOf,
  numberOf,
  numbersOf,
  wrongKind,
} from './argument_shape.js';
import {
  CALL_NAMES,
  type CallOptions,
  checkedProgress,
  checkMembers,
  type DynamicsOptions,
  noChoice,
  tipWrenchFrame,
  wireOptions,
  wireTask,
} from './options.js';
import { WireEnum } from './protocol.js';
import { camelName, wireName } from './quantities.js';

/** How velocities and accelerations follow from positions: derivatives of the
 * interpolating spline with not-a-knot ends, of at least 4 or 6 samples. */
export type Differentiation = 'CUBIC_SPLINE' | 'QUINTIC_SPLINE';

// As the command line and the Python client call them.
const SHORT_NAMES = {
  cubic: 'CUBIC_SPLINE',
  quintic: 'QUINTIC_SPLINE',
} as const;

/** Numbers in a row; a copy of them is sent. */
export type NumberList = readonly number[] | Float64Array | Float32Array;

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
   * 0. At most 1024. */
  speeds?: NumberList;
  /** As many, N m or N, at least 0. */
  torques?: NumberList;
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
  /** A remark, where v is not the rate of q or a not that of v, makes the answer
   * no, as a broken limit does. Absent: false. */
  consistent?: boolean;
  /** Where v and a are absent. */
  derive?: Differentiation | keyof typeof SHORT_NAMES;
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

// By the name in camelCase, which the verdict has as well.
const tableNumbers = new Map(
  tableEnum.choices.map((name) => [camelName(name), tableEnum.number(name)]),
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
  consistent: true,
  derive: true,
  tables: true,
  progress: true,
  ...CALL_NAMES,
};

type Member = typeof joint | typeof numberOf | typeof numbersOf;

// How each member is read. `joint` stands before all else.
const BOUND_MEMBERS: Readonly<Record<keyof JointBounds, Member>> = {
  joint,
  lower: numberOf,
  upper: numberOf,
  velocity: numberOf,
  effort: numberOf,
  speeds: numbersOf,
  torques: numbersOf,
};

const DRIVE_MEMBERS: Readonly<Record<keyof JointDrive, Member>> = {
  joint,
  viscousFriction: numberOf,
  coulombFriction: numberOf,
  armature: numberOf,
};

function joint(value: unknown, field: string): string {
  if (typeof value === 'string') return value;
  throw wrongKind('INVALID_OPTION', field, value, "joint's name");
}

// The limits or the drives of joints, as they are sent.
function ofJoints(
  given: readonly { joint: string }[] | undefined,
  members: Readonly<Record<string, Member>>,
  field: string,
): object[] {
  return Array.from(listOf(given, field), (one, k) => {
    const where = `${field}[${k}]`;
    checkMembers(one, members, where);
    const values = new Map<string, unknown>(Object.entries(one));
    return Object.fromEntries(
      Object.entries(members).map(([name, read]) => [
        name,
        read(values.get(name), `${where}.${wireName(name).toLowerCase()}`),
      ]),
    );
  });
}

function tableNumber(table: unknown, k: number): number {
  const field = `start.tables[${k}]`;
  if (typeof table !== 'string') {
    throw wrongKind('INVALID_FIELD', field, table, "table's name");
  }
  const number = tableNumbers.get(table);
  if (number !== undefined) return number;
  throw noChoice('INVALID_FIELD', field, table, [...tableNumbers.keys()]);
}

function differentiation(given: unknown): number {
  const field = 'start.derive';
  if (given !== undefined && typeof given !== 'string') {
    throw wrongKind('INVALID_OPTION', field, given, 'name of a way');
  }
  if (given === undefined) return 0;
  const short = new Map<string, Differentiation>(Object.entries(SHORT_NAMES));
  const number = differentiations.number(short.get(given) ?? given);
  // Neither does 'UNSPECIFIED' say a way.
  if (number) return number;
  throw noChoice('INVALID_OPTION', field, given, [
    ...short.keys(),
    ...differentiations.choices,
  ]);
}

/** CheckTrajectoryStart. Throws for what is no option. */
export function wireStart(model: string, options: CheckOptions): object {
  checkMembers(options, NAMES, 'options');
  checkedProgress(options.progress);
  return {
    model,
    options: wireOptions(options),
    ...(options.task === undefined
      ? {}
      : { operationalSpace: wireTask(options.task) }),
    tipWrenchReferenceFrame: tipWrenchFrame(options),
    bounds: ofJoints(options.bounds, BOUND_MEMBERS, 'start.bounds'),
    drives: ofJoints(options.drives, DRIVE_MEMBERS, 'start.drives'),
    derating: numberOf(options.derating, 'start.derating'),
    mergeGap: numberOf(options.mergeGap, 'start.merge_gap') ?? 0,
    consistent: flagOf(options.consistent, 'start.consistent') ?? false,
    derive: differentiation(options.derive),
    tables: Array.from(listOf(options.tables, 'start.tables'), tableNumber),
  };
}
