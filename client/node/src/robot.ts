// A model, and what is asked of it.

import { computeBatch } from './batch.js';
import type { Channel } from './channel.js';
import { checkTrajectory } from './check_trajectory.js';
import { badArgument, RowError } from './errors.js';
import { type Chunks, evaluateChunks } from './evaluate.js';
import type {
  ChunkEvaluation,
  Evaluation,
  EvaluationBase,
} from './evaluation.js';
import type { Asked } from './evaluation_builder.js';
import { MAX_ROWS } from './message_rows.js';
import type { Joint, ModelInfo } from './models.js';
import {
  type CallOptions,
  checkedProgress,
  type ComputeOptions,
  type DynamicsOptions,
  type EvaluateOptions,
  tipWrenchFrame,
  wireWhat,
} from './options.js';
import type { QuantityName } from './quantities.js';
import type { CallLimits } from './retry.js';
import { hasNoAnswer } from './row_status.js';
import { readStates, type States, type StateShape } from './states.js';
import {
  type CheckOptions,
  type TrajectoryTable,
  wireStart,
} from './trajectory_options.js';
import type { Trajectory } from './trajectory_samples.js';
import type { TrajectoryCheck } from './trajectory_verdict.js';

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
  /** "name@revision", of the model that every call uses. */
  readonly reference: string;
  readonly info: ModelInfo;
  /** Names of the joints: the order of joint columns unless the options say
   * otherwise. */
  readonly jointNames: readonly string[];
  readonly #connection: RobotConnection;

  /** Made by `Client.model`. */
  constructor(info: ModelInfo, connection: RobotConnection) {
    this.reference = `${info.name}@${info.revision}`;
    this.info = info;
    this.jointNames = info.joints.map((joint) => joint.name);
    this.#connection = connection;
  }

  /** The movable joints, in canonical order. */
  get joints(): readonly Joint[] {
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
      tipWrenchFrame: tipWrenchFrame(options),
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
        tipWrenchFrame: tipWrenchFrame(options),
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
    return checkTrajectory({
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
      tables: options.tables ?? [],
      progress: options.progress,
    });
  }

  /** tau for q, v, a. Uses gravity, friction, wrenches, base motion. */
  inverseDynamics(states: States, options?: ComputeOptions) {
    return this.#answer('inverseDynamics', states, options);
  }

  /** M for q. */
  massMatrix(states: States, options?: ComputeOptions) {
    return this.#answer('massMatrix', states, options);
  }

  /** a for q, v, tau. Uses gravity, friction, wrenches, base motion. */
  forwardDynamics(states: States, options?: ComputeOptions) {
    return this.#answer('forwardDynamics', states, options);
  }

  /**
   * h = c + g (+ friction) for q, v, without wrenches. Uses gravity,
   * friction, base motion.
   */
  biasForces(states: States, options?: ComputeOptions) {
    return this.#answer('biasForces', states, options);
  }

  /** The pose of the tip frame in the base frame for q. */
  framePose(states: States, options?: ComputeOptions) {
    return this.#answer('framePose', states, options);
  }

  /** J of the tip frame for q. */
  jacobian(states: States, options?: ComputeOptions) {
    return this.#answer('jacobian', states, options);
  }

  /** Jdot v for q, v. Uses base motion. */
  jacobianDrift(states: States, options?: ComputeOptions) {
    return this.#answer('jacobianDrift', states, options);
  }

  /**
   * Lambda and eta of the task for q, v. Uses gravity, friction, base
   * motion, `task`.
   */
  operationalSpace(states: States, options?: ComputeOptions) {
    return this.#answer('operationalSpace', states, options);
  }

  /** g for q: what holds the robot still. Uses gravity. */
  gravityForces(states: States, options?: ComputeOptions) {
    return this.#answer('gravityForces', states, options);
  }

  /** c for q, v, without friction. Uses base motion. */
  coriolisForces(states: States, options?: ComputeOptions) {
    return this.#answer('coriolisForces', states, options);
  }

  /** C with c = C v and Mdot - 2 C skew, for q, v. */
  coriolisMatrix(states: States, options?: ComputeOptions) {
    return this.#answer('coriolisMatrix', states, options);
  }

  /**
   * Christoffel symbols of the first kind for q. At most 100 degrees of
   * freedom.
   */
  christoffelSymbols(states: States, options?: ComputeOptions) {
    return this.#answer('christoffelSymbols', states, options);
  }

  /** Mdot for q, v. */
  massMatrixRate(states: States, options?: ComputeOptions) {
    return this.#answer('massMatrixRate', states, options);
  }

  /** The inverse of M for q. */
  massMatrixInverse(states: States, options?: ComputeOptions) {
    return this.#answer('massMatrixInverse', states, options);
  }

  /** Kinetic and potential energy for q, v. Uses gravity, base motion. */
  energy(states: States, options?: ComputeOptions) {
    return this.#answer('energy', states, options);
  }

  /** The centre of mass and its velocity for q, v. Uses base motion. */
  centerOfMass(states: States, options?: ComputeOptions) {
    return this.#answer('centerOfMass', states, options);
  }

  /** The momentum about the centre of mass for q, v. Uses base motion. */
  momentum(states: States, options?: ComputeOptions) {
    return this.#answer('momentum', states, options);
  }

  /** The centroidal momentum matrix for q. */
  momentumMatrix(states: States, options?: ComputeOptions) {
    return this.#answer('momentumMatrix', states, options);
  }

  /** The twist of every moving link for q, v. Uses base motion. */
  linkTwists(states: States, options?: ComputeOptions) {
    return this.#answer('linkTwists', states, options);
  }

  /** The acceleration of every moving link for q, v, a. Uses base motion. */
  linkAccelerations(states: States, options?: ComputeOptions) {
    return this.#answer('linkAccelerations', states, options);
  }

  /** The twist of the tip frame for q, v. Uses base motion. */
  frameVelocity(states: States, options?: ComputeOptions) {
    return this.#answer('frameVelocity', states, options);
  }

  /** The acceleration of the tip frame for q, v, a. Uses base motion. */
  frameAcceleration(states: States, options?: ComputeOptions) {
    return this.#answer('frameAcceleration', states, options);
  }

  /** Jdot for q, v. */
  jacobianRate(states: States, options?: ComputeOptions) {
    return this.#answer('jacobianRate', states, options);
  }

  /**
   * The wrench that passes through every joint for q, v, a. Uses gravity,
   * wrenches, base motion.
   */
  jointWrenches(states: States, options?: ComputeOptions) {
    return this.#answer('jointWrenches', states, options);
  }

  /**
   * The wrench of the base on the robot for q, v, a. Uses gravity, wrenches,
   * base motion.
   */
  baseWrench(states: States, options?: ComputeOptions) {
    return this.#answer('baseWrench', states, options);
  }

  /**
   * Y with tau = Y p, for q, v, a. Uses gravity, base motion. At most 256
   * degrees of freedom.
   */
  regressor(states: States, options?: ComputeOptions) {
    return this.#answer('regressor', states, options);
  }

  /**
   * dtau/dq and dtau/dv for q, v, a; dtau/da is M. Uses gravity, friction,
   * wrenches, base motion.
   */
  inverseDynamicsDerivatives(states: States, options?: ComputeOptions) {
    return this.#answer('inverseDynamicsDerivatives', states, options);
  }

  /**
   * da/dq, da/dv and da/dtau for q, v, tau. Uses gravity, friction,
   * wrenches, base motion.
   */
  forwardDynamicsDerivatives(states: States, options?: ComputeOptions) {
    return this.#answer('forwardDynamicsDerivatives', states, options);
  }

  /**
   * Mobility, consistent inverse and null-space projector of the task for q.
   * Uses `task`.
   */
  taskProjection(states: States, options?: ComputeOptions) {
    return this.#answer('taskProjection', states, options);
  }

  /**
   * The acceleration of the tip frame for q, v, tau. Uses gravity, friction,
   * wrenches, base motion.
   */
  forwardFrameAcceleration(states: States, options?: ComputeOptions) {
    return this.#answer('forwardFrameAcceleration', states, options);
  }

  /**
   * The joint torques that bring about `taskAcceleration`, for q, v. Uses
   * `nullSpaceTorque`, `task`, gravity, friction, wrenches, base motion.
   */
  taskTorque(states: States, options?: ComputeOptions) {
    return this.#answer('taskTorque', states, options);
  }

  /**
   * Where the energy comes from and goes to, for q, v, a. Uses gravity,
   * friction, wrenches, base motion.
   */
  powerBalance(states: States, options?: ComputeOptions) {
    return this.#answer('powerBalance', states, options);
  }

  async #answer<Q extends QuantityName>(
    quantity: Q,
    states: States,
    options?: ComputeOptions,
  ): Promise<Evaluation<Q>> {
    const result = await this.compute([quantity], states, options);
    const { rows, rowStatus } = result as EvaluationBase;
    const [status] = rowStatus;
    if (rows === 1 && status && hasNoAnswer(status.code)) {
      throw new RowError(status);
    }
    return result;
  }

  #asked(quantities: readonly QuantityName[], options: DynamicsOptions): Asked {
    return {
      quantities,
      joints: this.info.nv,
      axes: axesOf(options),
      sigmaMin: options.task?.sigmaMin ?? false,
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

function axesOf({ task }: DynamicsOptions): number {
  return task?.axes?.length || 6;
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
