// What a check says of the samples themselves.

import { WireEnum } from './protocol.js';
import {
  type Absent,
  type Peak,
  toPeak,
  type WirePeak,
} from './trajectory_peak.js';
import { toNumber, type WireInteger } from './wire.js';

/** VELOCITY: v is not the rate of q; ACCELERATION: a is not the rate of v. */
export type RemarkKind = 'VELOCITY' | 'ACCELERATION';

/** Steps close together in which the samples of one joint contradict each other;
 * docs/trajectory.md says by which tolerance. */
export interface Remark {
  readonly kind: RemarkKind;
  readonly joint: string;
  /** Where the first step begins and the last one ends. */
  readonly firstSample: number;
  readonly lastSample: number;
  /** Times of these, s. */
  readonly begin: number;
  readonly end: number;
  /** How many from first to last contradict. */
  readonly steps: number;
  /** The worst step, from this sample to the next, or the middle step of the
   * worst span of steps, and the mean of the rate over step or span: rad/s or
   * m/s, of an acceleration these per second. */
  readonly worst: Peak;
  /** The difference quotient over step or span. */
  readonly expected: number;
  /** By how much the two may differ there. */
  readonly tolerance: number;
}

/** A step between samples that is too long to tell what happens within it;
 * docs/trajectory.md says when. */
export interface CoarseStep {
  /** Where it begins, and when, s. */
  readonly sample: number;
  readonly time: number;
  /** s. */
  readonly duration: number;
  readonly joint: string;
  /** Within the step: rad or m, rad/s or m/s. */
  readonly positionChange: number;
  readonly velocityChange: number;
}

export interface WireRemark {
  kind: number;
  joint: string;
  firstSample: WireInteger;
  lastSample: WireInteger;
  begin: number;
  end: number;
  steps: WireInteger;
  worst: WirePeak | Absent;
  expected: number;
  tolerance: number;
}

export interface WireCoarseStep {
  sample: WireInteger;
  time: number;
  duration: number;
  joint: string;
  positionChange: number;
  velocityChange: number;
}

const remarkKinds = new WireEnum<RemarkKind>('RemarkKind', 'REMARK_KIND_');

export function toRemark(remark: WireRemark): Remark {
  return {
    kind: remarkKinds.name(remark.kind),
    joint: remark.joint,
    firstSample: toNumber(remark.firstSample),
    lastSample: toNumber(remark.lastSample),
    begin: remark.begin,
    end: remark.end,
    steps: toNumber(remark.steps),
    worst: toPeak(remark, 'worst'),
    expected: remark.expected,
    tolerance: remark.tolerance,
  };
}

export function toCoarseStep(
  step: WireCoarseStep | Absent,
): CoarseStep | undefined {
  if (!step) return undefined;
  const { sample, time, duration, joint, positionChange, velocityChange } =
    step;
  return {
    sample: toNumber(sample),
    time,
    duration,
    joint,
    positionChange,
    velocityChange,
  };
}
