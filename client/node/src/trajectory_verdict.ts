// What a check of a trajectory says.

import { type Echo, toEcho, toTiming } from './evaluation.js';
import type { Matrix } from './matrix.js';
import { WireEnum } from './protocol.js';
import {
  type Differentiation,
  differentiations,
  type JointBounds,
  type JointDrive,
  tableEnum,
  type TrajectoryTable,
} from './trajectory_options.js';
import {
  type Absent,
  type Peak,
  present,
  toPeak,
  toPeakIfAny,
  type WirePeak,
  type WirePlace,
} from './trajectory_peak.js';
import {
  type CoarseStep,
  type Remark,
  toCoarseStep,
  toRemark,
  type WireCoarseStep,
  type WireRemark,
} from './trajectory_remarks.js';
import { toNumber, type WireEcho, type WireInteger } from './wire.js';

/** A limit by speed: as many speeds, rad/s or m/s, as torques, N m or N. */
export interface TorqueCurve {
  readonly speeds: Float64Array;
  readonly torques: Float64Array;
}

/** What the trajectory asks of one joint. Limits, and uses of them, are
 * undefined where there is no limit. */
export interface JointDemand {
  readonly joint: string;
  /** Of the largest magnitude, signed; N m or N. */
  readonly torque: Peak;
  /** The same, rad/s or m/s. */
  readonly velocity: Peak;
  /** |tau| over the limit at that speed, derated; infinite where that is 0. */
  readonly torqueUse: Peak | undefined;
  /** |v| over the limit. */
  readonly velocityUse: Peak | undefined;
  readonly lowestPosition: Peak;
  readonly highestPosition: Peak;
  /** Power that the drive gives, tau v, W. */
  readonly highestPower: Peak;
  readonly lowestPower: Peak;
  /** Root of the mean square over time. */
  readonly rmsTorque: number;
  /** The same of tau over its limit. */
  readonly rmsTorqueUse: number | undefined;
  /** J: integrals of the positive and of the negative power, at least 0. */
  readonly energyGiven: number;
  readonly energyTaken: number;
  /** The limits that counted. */
  readonly lowerLimit: number | undefined;
  readonly upperLimit: number | undefined;
  readonly velocityLimit: number | undefined;
  /** At rest, derated. */
  readonly torqueLimit: number | undefined;
  /** Corners of a torque limit that changes with the speed, by increasing
   * magnitude of the speed, derated; straight lines between them, constant
   * before the first and behind the last. Undefined where torqueLimit counts at
   * all speeds. */
  readonly torqueCurve: TorqueCurve | undefined;
  /** Violations of each kind, also those that are not listed. */
  readonly torqueViolations: number;
  readonly velocityViolations: number;
  readonly positionViolations: number;
  /** Remarks of each kind, also those that are not listed. */
  readonly velocityRemarks: number;
  readonly accelerationRemarks: number;
}

export type LimitKind = 'TORQUE' | 'VELOCITY' | 'POSITION';

/** Samples side by side at which one joint breaks one kind of limit, and the
 * extrema of a derived spline next to them. */
export interface LimitViolation {
  readonly kind: LimitKind;
  readonly joint: string;
  readonly firstSample: number;
  readonly lastSample: number;
  /** Times of these, s. */
  readonly begin: number;
  readonly end: number;
  /** How many from first to last break it; 0: nothing but an extremum between
   * firstSample and the next one does. */
  readonly samples: number;
  readonly worst: Peak;
  /** The limit at the worst sample. */
  readonly limit: number;
  /** There: |value| over the limit; of positions 1 and the share of the range by
   * which it is left. Infinite for a limit of 0. */
  readonly severity: number;
}

/** A sample, a joint and which of its limits stands in the way there. */
export interface LimitedBy {
  readonly sample: number;
  /** s. */
  readonly time: number;
  readonly joint: string;
  /** At `time` between this sample and the next one. */
  readonly between: boolean;
  /** Undefined only from a server that leaves it out. */
  readonly kind: LimitKind | undefined;
}

/** The payloads with which the torque limits are kept: the mass varies, centre
 * of mass and inertia per kg are those of `payload`, or of a point at the origin
 * of the tip frame. */
export interface PayloadRange {
  /** False: with none. */
  readonly possible: boolean;
  /** kg. */
  readonly least: number;
  /** kg; infinite where nothing is in its way. */
  readonly most: number;
  /** What stands in the way of more; undefined: nothing. */
  readonly limitedBy: LimitedBy | undefined;
}

/** How much slower the trajectory must run to keep torque and velocity limits,
 * or how much faster it may. */
export interface SlowDown {
  /** False: at no pace. `limitedBy` is what breaks its limit however slowly the
   * trajectory runs: a torque at rest, or a joint that moves where its velocity
   * limit is 0. */
  readonly possible: boolean;
  /** Times are multiplied by it; 1 where the limits are kept as it is. */
  readonly factor: number;
  /** What stands in the way of less; undefined: nothing. */
  readonly limitedBy: LimitedBy | undefined;
  /** Where `factor` is 1, up to so many times as fast the limits are kept: at
   * least 1, infinite where nothing is in the way; else 0. */
  readonly fastest: number;
  /** What stands in the way of more; undefined: nothing. */
  readonly fastestLimitedBy: LimitedBy | undefined;
}

/** Of the task along the path. */
export interface PathInertia {
  /** The smallest of the smallest singular values of the scaled Jacobian. */
  readonly sigmaMin: Peak;
  /** The largest ratio of the largest to the smallest eigenvalue of the scaled
   * Lambda; infinite at a singularity. */
  readonly condition: Peak;
}

/** Limits of one joint as they were asked for. */
export interface BoundsAsked extends JointBounds {
  speeds?: readonly number[];
  torques?: readonly number[];
}

/** What was asked beside the samples and what `echo` has. */
export interface CheckAsked {
  readonly bounds: readonly Readonly<BoundsAsked>[];
  readonly drives: readonly Readonly<JointDrive>[];
  /** Undefined: 1. */
  readonly derating: number | undefined;
  readonly mergeGap: number;
  readonly consistent: boolean;
  /** Undefined: v and a were given. */
  readonly derive: Differentiation | undefined;
  readonly tables: readonly TrajectoryTable[];
}

/** Whether a trajectory keeps the robot's limits, where not, and by how much. */
export interface TrajectoryVerdict {
  /** No limit is broken; with `consistent`, and there is no remark. */
  readonly passes: boolean;
  /** In the order of the joints. */
  readonly joints: readonly JointDemand[];
  /** The gravest first; at most 1000 are listed. */
  readonly violations: readonly LimitViolation[];
  /** All, also those that are not listed. */
  readonly violationCount: number;
  /** The one that begins first; undefined: none. */
  readonly firstViolation: LimitViolation | undefined;
  /** Where samples contradict each other, the gravest first; at most 100 are
   * listed. */
  readonly remarks: readonly Remark[];
  /** All, also those that are not listed. */
  readonly remarkCount: number;
  /** What was judged: "301 samples, nothing between them" or "301 samples and
   * the cubic spline between them". */
  readonly judged: string;
  /** Positions and velocities were judged between samples, too, at the extrema of
   * the spline that `derived` names. */
  readonly judgedBetween: boolean;
  /** The largest step, where it is coarse; undefined: none is. */
  readonly coarseStep: CoarseStep | undefined;
  readonly samples: number;
  /** s, from the first sample to the last. */
  readonly duration: number;
  /** Of all joints together, W and J. */
  readonly highestPower: Peak;
  readonly lowestPower: Peak;
  readonly energyGiven: number;
  readonly energyTaken: number;
  /** Undefined: there is no payload with a mass, and no tip frame to carry
   * one. */
  readonly payload: PayloadRange | undefined;
  readonly slowDown: SlowDown;
  /** Undefined: there is no `task` in the options. */
  readonly pathInertia: PathInertia | undefined;
  /** How v and a were derived; undefined: they were given. */
  readonly derived: Differentiation | undefined;
  readonly echo: Echo;
  /** Undefined: the server does not tell. */
  readonly asked: CheckAsked | undefined;
}

/** The verdict, and the tables that were asked for, one row per sample. */
export type TrajectoryCheck<Table extends TrajectoryTable = TrajectoryTable> =
  TrajectoryVerdict & { readonly tables: Readonly<Record<Table, Matrix>> };

interface WireLimitedBy extends WirePlace {
  joint: string;
  kind: number;
}

interface WireDemand {
  joint: string;
  torque: WirePeak | Absent;
  velocity: WirePeak | Absent;
  torqueUse: WirePeak | Absent;
  velocityUse: WirePeak | Absent;
  lowestPosition: WirePeak | Absent;
  highestPosition: WirePeak | Absent;
  highestPower: WirePeak | Absent;
  lowestPower: WirePeak | Absent;
  rmsTorque: number;
  rmsTorqueUse: number | Absent;
  energyGiven: number;
  energyTaken: number;
  lowerLimit: number | Absent;
  upperLimit: number | Absent;
  velocityLimit: number | Absent;
  torqueLimit: number | Absent;
  torqueLimitSpeeds: number[];
  torqueLimitTorques: number[];
  torqueViolations: WireInteger;
  velocityViolations: WireInteger;
  positionViolations: WireInteger;
  velocityRemarks: WireInteger;
  accelerationRemarks: WireInteger;
}

type WireOptional<T> = { [Name in keyof T]: T[Name] | null };

interface WireStart {
  bounds: WireOptional<BoundsAsked>[];
  drives: WireOptional<JointDrive>[];
  derating: number | Absent;
  mergeGap: number;
  consistent: boolean;
  derive: number;
  tables: number[];
}

interface WireViolation {
  kind: number;
  joint: string;
  firstSample: WireInteger;
  lastSample: WireInteger;
  begin: number;
  end: number;
  samples: WireInteger;
  worst: WirePeak | Absent;
  limit: number;
  severity: number;
}

/** torqued.v1.TrajectoryVerdict, as it is decoded. */
export interface WireVerdict {
  passes: boolean;
  joints: WireDemand[];
  violations: WireViolation[];
  violationCount: WireInteger;
  firstViolation: WireViolation | Absent;
  remarks: WireRemark[];
  remarkCount: WireInteger;
  judgedBetween: boolean;
  coarseStep: WireCoarseStep | Absent;
  samples: WireInteger;
  duration: number;
  highestPower: WirePeak | Absent;
  lowestPower: WirePeak | Absent;
  energyGiven: number;
  energyTaken: number;
  payload:
    | {
        possible: boolean;
        least: number;
        most: number;
        limitedBy: WireLimitedBy | Absent;
      }
    | Absent;
  slowDown:
    | {
        possible: boolean;
        factor: number;
        limitedBy: WireLimitedBy | Absent;
        fastest: number;
        fastestLimitedBy: WireLimitedBy | Absent;
      }
    | Absent;
  pathInertia:
    { sigmaMin: WirePeak | Absent; condition: WirePeak | Absent } | Absent;
  derived: number;
  echo: WireEcho | Absent;
  asked: WireStart | Absent;
}

const limitKinds = new WireEnum<LimitKind>('LimitKind', 'LIMIT_KIND_');
function toLimitedBy(place: WireLimitedBy | Absent): LimitedBy | undefined {
  if (!place) return undefined;
  const { sample, time, joint, between, kind } = place;
  return {
    sample: toNumber(sample),
    time,
    joint,
    between,
    kind: kind === 0 ? undefined : limitKinds.name(kind),
  };
}

function toCurve(demand: WireDemand): TorqueCurve | undefined {
  return demand.torqueLimitSpeeds.length === 0
    ? undefined
    : {
        speeds: Float64Array.from(demand.torqueLimitSpeeds),
        torques: Float64Array.from(demand.torqueLimitTorques),
      };
}

function toDemand(demand: WireDemand): JointDemand {
  return {
    joint: demand.joint,
    torque: toPeak(demand, 'torque'),
    velocity: toPeak(demand, 'velocity'),
    torqueUse: toPeakIfAny(demand.torqueUse),
    velocityUse: toPeakIfAny(demand.velocityUse),
    lowestPosition: toPeak(demand, 'lowestPosition'),
    highestPosition: toPeak(demand, 'highestPosition'),
    highestPower: toPeak(demand, 'highestPower'),
    lowestPower: toPeak(demand, 'lowestPower'),
    rmsTorque: demand.rmsTorque,
    rmsTorqueUse: demand.rmsTorqueUse ?? undefined,
    energyGiven: demand.energyGiven,
    energyTaken: demand.energyTaken,
    lowerLimit: demand.lowerLimit ?? undefined,
    upperLimit: demand.upperLimit ?? undefined,
    velocityLimit: demand.velocityLimit ?? undefined,
    torqueLimit: demand.torqueLimit ?? undefined,
    torqueCurve: toCurve(demand),
    torqueViolations: toNumber(demand.torqueViolations),
    velocityViolations: toNumber(demand.velocityViolations),
    positionViolations: toNumber(demand.positionViolations),
    velocityRemarks: toNumber(demand.velocityRemarks),
    accelerationRemarks: toNumber(demand.accelerationRemarks),
  };
}

function toDifferentiation(number: number): Differentiation | undefined {
  return number === 0 ? undefined : differentiations.name(number);
}

// PATH_A -> pathA
function toTable(number: number): TrajectoryTable {
  return tableEnum
    .name(number)
    .toLowerCase()
    .replace(/_([a-z])/g, (_, letter: string) =>
      letter.toUpperCase(),
    ) as TrajectoryTable;
}

// What is given of a joint, its own fields that are not absent.
function given<T extends object>(message: WireOptional<T>): T {
  return Object.fromEntries(
    Object.entries(message).filter(
      ([, value]) =>
        value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  ) as T;
}

function toAsked(start: WireStart): CheckAsked {
  return {
    bounds: start.bounds.map((bounds) => given<BoundsAsked>(bounds)),
    drives: start.drives.map((drive) => given<JointDrive>(drive)),
    derating: start.derating ?? undefined,
    mergeGap: start.mergeGap,
    consistent: start.consistent,
    derive: toDifferentiation(start.derive),
    tables: start.tables.map(toTable),
  };
}

function toViolation(violation: WireViolation): LimitViolation {
  return {
    kind: limitKinds.name(violation.kind),
    joint: violation.joint,
    firstSample: toNumber(violation.firstSample),
    lastSample: toNumber(violation.lastSample),
    begin: violation.begin,
    end: violation.end,
    samples: toNumber(violation.samples),
    worst: toPeak(violation, 'worst'),
    limit: violation.limit,
    severity: violation.severity,
  };
}

// What was judged, in words.
function judgedOf(verdict: WireVerdict): string {
  const samples = toNumber(verdict.samples);
  const text = `${samples} sample${samples === 1 ? '' : 's'}`;
  const derived = toDifferentiation(verdict.derived);
  if (verdict.judgedBetween && derived) {
    const spline = derived === 'CUBIC_SPLINE' ? 'cubic' : 'quintic';
    return `${text} and the ${spline} spline between them`;
  }
  return samples === 1 ? text : `${text}, nothing between them`;
}

/** Throws TorquedError where something is missing that every verdict has. */
export function toVerdict(
  verdict: WireVerdict,
  echo: WireEcho,
): TrajectoryVerdict {
  const { payload, pathInertia, firstViolation } = verdict;
  const slowDown = present(verdict.slowDown, 'slowDown');
  return {
    passes: verdict.passes,
    joints: verdict.joints.map(toDemand),
    violations: verdict.violations.map(toViolation),
    violationCount: toNumber(verdict.violationCount),
    firstViolation: firstViolation ? toViolation(firstViolation) : undefined,
    remarks: verdict.remarks.map(toRemark),
    remarkCount: toNumber(verdict.remarkCount),
    judged: judgedOf(verdict),
    judgedBetween: verdict.judgedBetween,
    coarseStep: toCoarseStep(verdict.coarseStep),
    samples: toNumber(verdict.samples),
    duration: verdict.duration,
    highestPower: toPeak(verdict, 'highestPower'),
    lowestPower: toPeak(verdict, 'lowestPower'),
    energyGiven: verdict.energyGiven,
    energyTaken: verdict.energyTaken,
    payload: payload
      ? {
          possible: payload.possible,
          least: payload.least,
          most: payload.most,
          limitedBy: toLimitedBy(payload.limitedBy),
        }
      : undefined,
    slowDown: {
      possible: slowDown.possible,
      factor: slowDown.factor,
      limitedBy: toLimitedBy(slowDown.limitedBy),
      fastest: slowDown.fastest,
      fastestLimitedBy: toLimitedBy(slowDown.fastestLimitedBy),
    },
    pathInertia: pathInertia
      ? {
          sigmaMin: toPeak(pathInertia, 'sigmaMin'),
          condition: toPeak(pathInertia, 'condition'),
        }
      : undefined,
    derived: toDifferentiation(verdict.derived),
    echo: toEcho(echo, toTiming(echo.timing)),
    asked: verdict.asked ? toAsked(verdict.asked) : undefined,
  };
}
