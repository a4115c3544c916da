// A model, and what is asked of it.

import { computeBatch, type SizeLimits } from './batch.js';
import type { Channel } from './channel.js';
import {
  type CheckOptions,
  checkTrajectory,
  tableNames,
  type TrajectoryCheck,
  wireStart,
} from './check_trajectory.js';
import {
  type DynamicsOptions,
  type JointInfo,
  type ModelInfo,
  type QuantityMethods,
  type QuantityName,
  RESULT_TABLES,
  type States,
  type TrajectoryTable,
} from './contract.js';
import { badArgument, RowError } from './errors.js';
import type { Evaluation, EvaluationBase } from './evaluation.js';
import type { Asked } from './evaluation_builder.js';
import {
  axesOf,
  type CallOptions,
  checkedProgress,
  type ComputeOptions,
  wireWhat,
} from './options.js';
import type { CallLimits } from './retry.js';
import { readStates, type StateShape } from './states.js';
import type { Trajectory } from './trajectory_samples.js';

const ANSWER = Symbol('answer');

/** What a robot needs of its client. */
export interface RobotConnection {
  readonly channel: Channel;
  readonly sizes: SizeLimits;
  limitsOf(options: CallOptions): CallLimits;
}

/**
 * One revision of a model of a server: every call uses this one, even after the
 * name has moved to another.
 *
 * Every quantity is a method; `compute` has several in one call. States are one
 * or many; a batch of any size may be given, and travels in parts. Every call
 * rejects with TorquedError, or with the reason of its signal; the method of a
 * quantity also with RowError where its only state has no answer. Rows of a
 * batch that are not OK are NaN where undefined and named in `rowStatus`.
 */
export class Robot {
  /** "@revision": the model that every call uses. */
  readonly reference: string;
  readonly info: ModelInfo;
  /** Names of the joints: the order of joint columns unless the options say
   * otherwise. */
  readonly jointNames: readonly string[];
  readonly #connection: RobotConnection;

  /** Made by `Client.model`. */
  constructor(info: ModelInfo, connection: RobotConnection) {
    this.reference = `@${info.revision}`;
    this.info = info;
    this.jointNames = info.joints.map((joint) => joint.name);
    this.#connection = connection;
  }

  /** The movable joints, in canonical order. */
  get joints(): readonly JointInfo[] {
    return this.info.joints;
  }

  /** Several quantities of the same states in one call. Never rejects with
   * RowError: look at `ok` or `rowStatus`. */
  async compute<Q extends QuantityName>(
    quantities: readonly Q[],
    states: States,
    options: ComputeOptions = {},
  ): Promise<Evaluation<Q>> {
    const whole = await computeBatch({
      channel: this.#connection.channel,
      limits: this.#connection.limitsOf(options),
      what: wireWhat(this.reference, quantities, options),
      inputs: readStates(states, this.#shape(options)),
      asked: this.#asked(quantities, options),
      sizes: withChunkRows(this.#connection.sizes, options.chunkRows),
      progress: checkedProgress(options.progress),
    });
    return whole as Evaluation<Q>;
  }

  /**
   * Whether the robot keeps its limits along a trajectory, where not, and by how
   * much. `trajectory` is all its samples, or an iterable or async iterable of
   * parts, which are sent while the next ones are made: any number of samples
   * each, all with the same inputs. The verdict does not depend on how they are
   * cut. The server keeps all samples until the end, and so does this side,
   * which begins anew after UNAVAILABLE and OVERLOADED; it may be refused for
   * its size (REQUEST_TOO_LARGE). The deadline is that of the whole check, the
   * making of the samples included. Rejects with TorquedError: fields are named
   * "samples.q", "start.drives[2].effort_limit", single numbers by their place in the
   * whole trajectory, "q[120][3]"; or with what `trajectory` throws.
   */
  async checkTrajectory<Table extends TrajectoryTable = never>(
    trajectory: Trajectory,
    options: CheckOptions<Table> = {},
  ): Promise<TrajectoryCheck<Table>> {
    // Refuses what is no option, before anything is read of it.
    const start = wireStart(this.reference, options);
    const check = await checkTrajectory({
      channel: this.#connection.channel,
      limits: this.#connection.limitsOf(options),
      start,
      trajectory,
      shape: {
        nq: this.info.nq,
        nv: this.info.nv,
        jointNames: options.jointNames ?? this.jointNames,
        maxMessageBytes: this.#connection.sizes.messageBytes,
      },
      tables: tableNames(start),
      progress: options.progress,
    });
    return check as TrajectoryCheck<Table>;
  }

  /** What the method of a quantity returns. */
  async [ANSWER]<Q extends QuantityName>(
    quantity: Q,
    states: States,
    options?: ComputeOptions,
  ): Promise<Evaluation<Q>> {
    const result = await this.compute([quantity], states, options);
    const { rows, rowStatus } = result as EvaluationBase;
    const [status] = rowStatus;
    if (rows === 1 && status && status.code !== 'SINGULAR_TASK_SPACE') {
      throw new RowError(status);
    }
    return result;
  }

  #asked(quantities: readonly QuantityName[], options: DynamicsOptions): Asked {
    return {
      quantities,
      joints: this.info.nv,
      axes: axesOf(options),
      sigmaMin: options.sigmaMin ?? false,
    };
  }

  #shape(options: DynamicsOptions): StateShape {
    return {
      nq: this.info.nq,
      nv: this.info.nv,
      jointNames: options.jointNames ?? this.jointNames,
      axes: axesOf(options),
      externalWrenches: options.externalWrenches?.length ?? 0,
    };
  }
}

/** Every quantity is a method. */
export interface Robot extends QuantityMethods {}

for (const quantity of Object.keys(RESULT_TABLES) as QuantityName[]) {
  Object.defineProperty(Robot.prototype, quantity, {
    value(this: Robot, states: States, options?: ComputeOptions) {
      return this[ANSWER](quantity, states, options);
    },
  });
}

/** Throws INVALID_OPTION unless it is a count, or absent. */
export function withChunkRows(sizes: SizeLimits, rows?: number): SizeLimits {
  if (rows === undefined) return sizes;
  if (!Number.isInteger(rows) || rows < 1) {
    throw badArgument(
      'INVALID_OPTION',
      'options.chunkRows',
      `chunkRows is ${rows}, which is not a whole number from 1 on`,
    );
  }
  return { ...sizes, rows: Math.min(rows, sizes.rows) };
}
