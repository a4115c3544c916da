// How states are computed.

import {
  checkRecord,
  flagOf,
  listOf,
  numberOf,
  numbersOf,
  textOf,
  wrongKind,
} from './argument_shape.js';
import { badArgument } from './errors.js';
import { hint } from './near_names.js';
import { WireEnum } from './protocol.js';
import { QUANTITIES, type QuantityName, wireName } from './quantities.js';
import type { WireWhat } from './wire.js';

/**
 * Axes and reference point of a Jacobian, a wrench, Lambda and eta.
 * - LOCAL: those of the tip frame.
 * - LOCAL_WORLD_ALIGNED: axes of the base, origin of the tip frame.
 * - WORLD: those of the base.
 */
export type ReferenceFrame = 'LOCAL' | 'LOCAL_WORLD_ALIGNED' | 'WORLD';

/** One row of a task, in the reference frame. */
export type TaskAxis =
  | 'ANGULAR_X'
  | 'ANGULAR_Y'
  | 'ANGULAR_Z'
  | 'LINEAR_X'
  | 'LINEAR_Y'
  | 'LINEAR_Z';

/** What is returned where the task loses rank: REPORT restricts Lambda to the
 * directions that can move, DAMPED damps it with mu. */
export type SingularityRule = 'REPORT' | 'DAMPED';

/** Floating-point numbers of the computing. */
export type Precision = 'DOUBLE' | 'SINGLE';

/** How arrays of a reply travel. */
export type Encoding = 'VALUES' | 'F64' | 'F32';

/** Friction of the model's joints, all off unless asked for. */
export interface Friction {
  /** Add F_v v. */
  viscous?: boolean;
  /** Add F_s sgn(v). */
  coulomb?: boolean;
  /** A velocity e of at least 1e-9, rad/s or m/s: Coulomb friction is
   * F_s tanh(v / e). Absent or 0: sgn. */
  smoothing?: number;
}

/** A rigid body that a frame carries. */
export interface Payload {
  /** Link name. Absent: the tip frame. */
  frame?: string;
  /** kg, at least 0. */
  mass: number;
  /** Centre of mass in the frame, m. Absent: its origin. */
  centerOfMass?: readonly [number, number, number];
  /** Ixx, Ixy, Ixz, Iyy, Iyz, Izz about the centre of mass in axes of the
   * frame, kg m^2. Absent: a point mass. */
  inertia?: readonly [number, number, number, number, number, number];
}

/** Where an external wrench acts, and how it is given. */
export interface WrenchPlace {
  /** Link name. Absent: the tip frame. */
  frame?: string;
  /** Of that frame. Absent: LOCAL. */
  referenceFrame?: ReferenceFrame;
}

/** What an operational space is made of. */
export interface Task {
  /** In this order, each once. Absent: all six, angular first. */
  axes?: readonly TaskAxis[];
  /** Absent: REPORT. */
  singularity?: SingularityRule;
  /** mu of DAMPED, above 0. */
  damping?: number;
  /** In [0, 1): singular values above this times the largest count. Absent:
   * 1e-6. */
  rankTolerance?: number;
  /** By which linear rows are divided before that, m, from 1e-30 to 1e30.
   * Absent: 1. */
  characteristicLength?: number;
  /** Return the smallest singular values too. */
  sigmaMin?: boolean;
}

/** What to compute besides the states; everything may be absent. */
export interface DynamicsOptions {
  /** Order of the joints in this call, in states and results alike: every
   * movable joint once. Absent: the model's canonical order. */
  jointNames?: readonly string[];
  /** Gravitational acceleration, base axes, m/s^2. Absent: the model's. */
  gravity?: readonly [number, number, number];
  friction?: Friction;
  /** Link name. Absent: the model's tip frame. */
  tipFrame?: string;
  /** Of what refers to the tip, and of the task. Absent: LOCAL. */
  referenceFrame?: ReferenceFrame;
  /** Of the states' `tipWrenchOnEnvironment`. Absent: LOCAL. */
  tipWrenchReferenceFrame?: ReferenceFrame;
  payload?: Payload;
  /** Where the states' `externalWrenchesOnRobot` act, in their order. */
  externalWrenches?: readonly WrenchPlace[];
  task?: Task;
  /** Absent: DOUBLE. */
  precision?: Precision;
  /** Of the arrays of replies; results are Float64Array anyway. Absent: F64. */
  encoding?: Encoding;
  /** Fail the call (ROW_FAILED) when a row is not OK. */
  failFast?: boolean;
}

/** How a call is made. */
export interface CallOptions {
  /** Milliseconds for the whole call, with all retries and parts. Absent: that
   * of the connection. */
  deadlineMs?: number;
  /** Ends the call at once; it then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** The names of CallOptions. */
export const CALL_NAMES: Readonly<Record<keyof CallOptions, true>> = {
  deadlineMs: true,
  signal: true,
};

/** Options of `compute` and of the quantities' methods. */
export interface ComputeOptions extends DynamicsOptions, CallOptions {
  /** Called after each part of a batch, and once for one in a single part. */
  progress?: (done: number, total: number) => void;
  /** Most states of one message, 1 to 1000; a larger batch travels in parts.
   * Absent: that of the connection. */
  chunkRows?: number;
}

/** Options of `evaluate`. */
export interface EvaluateOptions extends DynamicsOptions, CallOptions {}

const referenceFrames = new WireEnum<ReferenceFrame>(
  'ReferenceFrame',
  'REFERENCE_FRAME_',
);
const taskAxes = new WireEnum<TaskAxis>('TaskAxis', 'TASK_AXIS_');
const singularityRules = new WireEnum<SingularityRule>(
  'SingularityRule',
  'SINGULARITY_RULE_',
);
const precisions = new WireEnum<Precision>('Precision', 'PRECISION_');
const encodings = new WireEnum<Encoding>('Encoding', 'ENCODING_');
const quantityEnum = new WireEnum<string>('Quantity', 'QUANTITY_');

/** The enums of options, which the echo has too. */
export const optionEnums = {
  referenceFrames,
  taskAxes,
  singularityRules,
  precisions,
};

/** Unspecified for an absent name. Throws INVALID_OPTION with the names that
 * there are. */
export function optionEnum(
  names: WireEnum<string>,
  name: string | undefined,
  field: string,
): number {
  if (name === undefined) return 0;
  const number = names.number(name);
  if (number !== undefined) return number;
  throw noChoice('INVALID_OPTION', field, name, names.choices);
}

/** The error of a name that is none of those that a field takes. */
export function noChoice(
  reason: string,
  field: string,
  name: string,
  choices: readonly string[],
): Error {
  const listed = choices.join(', ');
  return badArgument(
    reason,
    field,
    `${field} is '${name}', which is none of ${listed}`,
  );
}

// By the name in camelCase.
const quantityNumbers = new Map<string, number | undefined>(
  QUANTITIES.map((name) => [name, quantityEnum.number(wireName(name))]),
);

function quantityNumber(name: string): number {
  const number = quantityNumbers.get(name);
  if (number === undefined) {
    throw badArgument(
      'INVALID_FIELD',
      'quantities',
      `there is no quantity '${name}'; there are ${QUANTITIES.join(', ')}`,
    );
  }
  return number;
}

const TASK: Readonly<Record<keyof Task, true>> = {
  axes: true,
  singularity: true,
  damping: true,
  rankTolerance: true,
  characteristicLength: true,
  sigmaMin: true,
};

/** OperationalSpaceOptions. */
export function wireTask(task: Task): object {
  const where = 'operational_space';
  const field = (name: string) => `${where}.${name}`;
  checkMembers(task, TASK, where);
  return {
    axes: listOf(task.axes, field('axes')).map((axis, k) =>
      optionEnum(taskAxes, axis, field(`axes[${k}]`)),
    ),
    singularity: optionEnum(
      singularityRules,
      task.singularity,
      field('singularity'),
    ),
    damping: numberOf(task.damping, field('damping')) ?? 0,
    rankTolerance: numberOf(task.rankTolerance, field('rank_tolerance')),
    characteristicLength: numberOf(
      task.characteristicLength,
      field('characteristic_length'),
    ),
    sigmaMin: flagOf(task.sigmaMin, field('sigma_min')) ?? false,
  };
}

const FRICTION: Readonly<Record<keyof Friction, true>> = {
  viscous: true,
  coulomb: true,
  smoothing: true,
};

function wireTerms({ gravity, friction = {} }: DynamicsOptions): object {
  const field = (name: string) => `options.terms.${name}`;
  checkMembers(friction, FRICTION, 'options.friction');
  return {
    gravity: numbersOf(gravity, field('gravity')) ?? [],
    viscousFriction:
      flagOf(friction.viscous, field('viscous_friction')) ?? false,
    coulombFriction:
      flagOf(friction.coulomb, field('coulomb_friction')) ?? false,
    coulombSmoothing:
      numberOf(friction.smoothing, field('coulomb_smoothing')) ?? 0,
  };
}

const PAYLOAD: Readonly<Record<keyof Payload, true>> = {
  frame: true,
  mass: true,
  centerOfMass: true,
  inertia: true,
};

function wirePayload(payload: Payload): object {
  const where = 'options.payload';
  const field = (name: string) => `${where}.${name}`;
  checkMembers(payload, PAYLOAD, where);
  return {
    frame: textOf(payload.frame, field('frame')) ?? '',
    mass: numberOf(payload.mass, field('mass')) ?? 0,
    centerOfMass:
      numbersOf(payload.centerOfMass, field('center_of_mass')) ?? [],
    inertia: numbersOf(payload.inertia, field('inertia')) ?? [],
  };
}

const PLACE: Readonly<Record<keyof WrenchPlace, true>> = {
  frame: true,
  referenceFrame: true,
};

function wirePlace(place: WrenchPlace, k: number): object {
  const where = `options.external_wrenches[${k}]`;
  checkMembers(place, PLACE, where);
  return {
    frame: textOf(place.frame, `${where}.frame`) ?? '',
    referenceFrame: optionEnum(
      referenceFrames,
      place.referenceFrame,
      `${where}.reference_frame`,
    ),
  };
}

/** Options. */
export function wireOptions(options: DynamicsOptions): object {
  const { payload } = options;
  const field = (name: string) => `options.${name}`;
  return {
    jointNames: listOf(options.jointNames, field('joint_names')).map(
      (name, k) => textOf(name, field(`joint_names[${k}]`)) ?? '',
    ),
    terms: wireTerms(options),
    tipFrame: textOf(options.tipFrame, field('tip_frame')) ?? '',
    referenceFrame: optionEnum(
      referenceFrames,
      options.referenceFrame,
      field('reference_frame'),
    ),
    encoding: optionEnum(
      encodings,
      options.encoding ?? 'F64',
      field('encoding'),
    ),
    failFast: flagOf(options.failFast, field('fail_fast')) ?? false,
    precision: optionEnum(precisions, options.precision, field('precision')),
    payload: payload === undefined ? undefined : wirePayload(payload),
    externalWrenches: listOf(
      options.externalWrenches,
      field('external_wrenches'),
    ).map(wirePlace),
  };
}

const NAMES: Readonly<Record<keyof (ComputeOptions & EvaluateOptions), true>> =
  {
    jointNames: true,
    gravity: true,
    friction: true,
    tipFrame: true,
    referenceFrame: true,
    tipWrenchReferenceFrame: true,
    payload: true,
    externalWrenches: true,
    task: true,
    precision: true,
    encoding: true,
    failFast: true,
    ...CALL_NAMES,
    progress: true,
    chunkRows: true,
  };

/** Throws for a name that is no key of `names`. */
export function checkNames(
  options: object,
  names: Readonly<Record<string, unknown>>,
  where = 'options',
): void {
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(names, name)) {
      throw badArgument(
        'INVALID_OPTION',
        `${where}.${name}`,
        `there is no option ${name}${hint(name, Object.keys(names))}`,
      );
    }
  }
}

/** Throws for what is no record, and for a name that is no key of `names`. */
export function checkMembers(
  value: object,
  names: Readonly<Record<string, unknown>>,
  where: string,
): void {
  checkRecord(value, where);
  checkNames(value, names, where);
}

/** Everything but the states. Throws for what is no option. */
export function wireWhat(
  model: string,
  quantities: readonly QuantityName[],
  options: DynamicsOptions,
): WireWhat {
  checkNames(options, NAMES);
  if (!Array.isArray(quantities)) {
    throw wrongKind(
      'INVALID_FIELD',
      'quantities',
      quantities,
      'list of quantities',
    );
  }
  return {
    model,
    quantities: quantities.map(quantityNumber),
    options: wireOptions(options),
    ...(options.task === undefined
      ? {}
      : { operationalSpace: wireTask(options.task) }),
  };
}

/** The function itself, or undefined. Throws INVALID_OPTION for all else. */
export function checkedProgress<Progress>(progress: Progress): Progress {
  if (progress === undefined || typeof progress === 'function') return progress;
  throw wrongKind('INVALID_OPTION', 'options.progress', progress, 'function');
}

/** Reference frame of the tip wrench as a number. */
export function tipWrenchFrame(options: DynamicsOptions): number {
  return optionEnum(
    referenceFrames,
    options.tipWrenchReferenceFrame,
    'tip_wrench_on_environment.reference_frame',
  );
}
