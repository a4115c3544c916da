// What comes out of a computation.

import { milliseconds } from './decode_error.js';
import { tidyValidation, type ValidationLevel, validations } from './models.js';
import {
  optionEnums,
  type Precision,
  type ReferenceFrame,
  type SingularityRule,
  type TaskAxis,
} from './options.js';
import type { QuantityName, QuantityResults } from './quantities.js';
import type { RowStatus } from './row_status.js';
import type { WireDuration, WireEcho, WireTiming } from './wire.js';

/** How long the server took, milliseconds. */
export interface Timing {
  /** From the arrival of a request to the start of its computing. */
  queueMs: number;
  /** From there to its last row. */
  computeMs: number;
}

/** What the numbers of a result refer to, with defaults filled in. */
export interface Echo {
  /** The model's name as referenced; "" for @revision. */
  readonly model: string;
  /** The model's revision, 64 hex digits. */
  readonly revision: string;
  /** Joint of every joint-sized column and row. */
  readonly jointNames: readonly string[];
  readonly gravity: readonly number[];
  readonly friction: Readonly<{
    viscous: boolean;
    coulomb: boolean;
    smoothing: number;
  }>;
  /** "" where nothing uses a frame. */
  readonly tipFrame: string;
  readonly referenceFrame: ReferenceFrame;
  /** Undefined where no quantity uses a task. */
  readonly task:
    | Readonly<{
        axes: readonly TaskAxis[];
        singularity: SingularityRule;
        damping: number;
        rankTolerance: number;
        characteristicLength: number;
        sigmaMin: boolean;
      }>
    | undefined;
  /** As asked for. */
  readonly precision: Precision;
  /**
   * The precision that computed: 'DOUBLE' for robots of over 256 degrees of
   * freedom, also if 'SINGLE' was asked for.
   */
  readonly computedPrecision: Precision;
  /** Of the model, as registered. */
  readonly validation: ValidationLevel;
  /** Undefined: none. */
  readonly payload:
    | Readonly<{
        frame: string;
        mass: number;
        centerOfMass: readonly number[];
        inertia: readonly number[];
      }>
    | undefined;
  readonly externalWrenches: readonly Readonly<{
    frame: string;
    referenceFrame: ReferenceFrame;
  }>[];
  /** Instruction set of the kernels that computed this. */
  readonly target: string;
  readonly serverVersion: string;
  /** Of a batch in several parts the sum over the parts, which overlap. */
  readonly timing: Timing;
}

/**
 * From a row on, another server than before computed, with another target or of
 * another version: its numbers differ by rounding from those that the one
 * before would have given.
 */
export interface Handover {
  readonly firstRow: number;
  readonly target: string;
  readonly serverVersion: string;
}

/** What every result has. */
export interface EvaluationBase {
  /** Number of states. */
  readonly rows: number;
  /** One byte per state: 1 where it is OK, 0 where `rowStatus` says why not. */
  readonly ok: Uint8Array;
  /** Rows that are not OK, ascending; the first 100 000 of them. */
  readonly rowStatus: readonly RowStatus[];
  /** All rows that are not OK. */
  readonly rowsNotOk: number;
  readonly echo: Echo;
  /** Where a batch that was interrupted went on with a server that computes
   * other bits; empty in almost all cases. */
  readonly handovers: readonly Handover[];
}

type Intersection<Union> = (
  Union extends unknown ? (each: Union) => void : never
) extends (all: infer All) => void
  ? All
  : never;

/** The results of the quantities `Q` for all states. */
export type Evaluation<Q extends QuantityName = never> = EvaluationBase &
  ([Q] extends [never] ? unknown : Intersection<QuantityResults[Q]>);

/** The results of one chunk of a stream. `rowStatus` counts from the start of
 * the stream, `ok` and the tables from the start of the chunk. */
export type ChunkEvaluation<Q extends QuantityName> = Evaluation<Q> & {
  /** Number of the chunk's first state in the stream. */
  readonly firstRow: number;
};

function timeOf(duration: WireDuration | null | undefined): number {
  return (duration && milliseconds(duration)) || 0;
}

/** Zeros where there is none. */
export function toTiming(timing: WireTiming | null | undefined): Timing {
  return {
    queueMs: timeOf(timing?.queue),
    computeMs: timeOf(timing?.compute),
  };
}

/** `timing` becomes that of the echo. */
export function toEcho(echo: WireEcho, timing: Timing): Echo {
  const { terms, operationalSpace: task, payload } = echo;
  const frame = (number: number) => optionEnums.referenceFrames.name(number);
  return {
    model: echo.model,
    revision: echo.revision,
    jointNames: echo.jointNames,
    gravity: terms?.gravity ?? [],
    friction: {
      viscous: terms?.viscousFriction ?? false,
      coulomb: terms?.coulombFriction ?? false,
      smoothing: terms?.coulombSmoothing ?? 0,
    },
    tipFrame: echo.tipFrame,
    referenceFrame: frame(echo.referenceFrame),
    task: task
      ? {
          axes: task.axes.map((axis) => optionEnums.taskAxes.name(axis)),
          singularity: optionEnums.singularityRules.name(task.singularity),
          damping: task.damping,
          rankTolerance: task.rankTolerance ?? 0,
          characteristicLength: task.characteristicLength ?? 0,
          sigmaMin: task.sigmaMin,
        }
      : undefined,
    precision: optionEnums.precisions.name(echo.precision),
    computedPrecision: optionEnums.precisions.name(
      echo.computedPrecision || echo.precision,
    ),
    validation: tidyValidation(validations.name(echo.validation)),
    payload: payload
      ? {
          frame: payload.frame,
          mass: payload.mass,
          centerOfMass: payload.centerOfMass,
          inertia: payload.inertia,
        }
      : undefined,
    externalWrenches: echo.externalWrenches.map((place) => ({
      frame: place.frame,
      referenceFrame: frame(place.referenceFrame),
    })),
    target: echo.target,
    serverVersion: echo.serverVersion,
    timing,
  };
}
