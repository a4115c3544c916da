// A model, and what is asked of it.

import { computeBatch } from './batch.js';
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
import { type Chunks, evaluateChunks } from './evaluate.js';
import type {
  ChunkEvaluation,
  Evaluation,
  EvaluationBase,
} from './evaluation.js';
import type { Asked } from './evaluation_builder.js';
import { MAX_ROWS } from './message_rows.js';
import {
  axesOf,
  type CallOptions,
  checkedProgress,
  type ComputeOptions,
  type EvaluateOptions,
  wireWhat,
} from './options.js';
import type { CallLimits } from './retry.js';
import { readStates, type StateShape } from './states.js';
import type { Trajectory } from './trajectory_samples.js';

const ANSWER = Symbol('answer');

/** What a robot needs of its client. */
export interface RobotConnection {
  readonly channel: Channel;
  readonly chunkRows: number;
  readonly maxMessageBytes: number;
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
      maxMessageBytes: this.#connection.maxMessageBytes,
      limits: this.#connection.limitsOf(options),
      what: wireWhat(this.reference, quantities, options),
      inputs: readStates(states, this.#shape(options)),
      asked: this.#asked(quantities, options),
      chunkRows: checkedChunkRows(
        options.chunkRows ?? this.#connection.chunkRows,
      ),
      progress: checkedProgress(options.progress),
    });
    return whole as Evaluation<Q>;
  }

  /**
   * The same for any number of chunks of states, through a stream: one result
   * for each chunk, in order, with the numbers that `compute` gives. At most 16
   * chunks are taken from `chunks` ahead of the results that are used, so that
   * it may go on for ever. About 1000 states a chunk is a good size; at most
   * 1000 statuses of a chunk are listed. Interrupted by UNAVAILABLE or
   * OVERLOADED, it goes on in another stream. Leaving the loop ends the call; so
   * does what `chunks` throws, which is thrown on. The deadline is that of the
   * whole stream: `deadlineMs: Infinity` has none. Throws at once for options
   * that are none.
   */
  evaluate<Q extends QuantityName>(
    quantities: readonly Q[],
    chunks: Chunks,
    options: EvaluateOptions = {},
  ): AsyncGenerator<ChunkEvaluation<Q>, void, undefined> {
    const { channel } = this.#connection;
    return evaluateChunks<Q>(
      {
        channel,
        limits: this.#connection.limitsOf(options),
        what: wireWhat(this.reference, quantities, options),
      },
      chunks,
      this.#shape(options),
      this.#asked(quantities, options),
    );
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
   * "samples.q", "start.bounds[2].effort", single numbers by their place in the
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
        maxMessageBytes: this.#connection.maxMessageBytes,
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

/** Throws INVALID_OPTION unless a message may have so many rows. */
export function checkedChunkRows(rows: number): number {
  if (!Number.isInteger(rows) || rows < 1 || rows > MAX_ROWS) {
    throw badArgument(
      'INVALID_OPTION',
      'options.chunkRows',
      `chunkRows is ${rows}, which is not from 1 to ${MAX_ROWS}`,
    );
  }
  return rows;
}
