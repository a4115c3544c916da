// A model, and what is asked of it.

import type { Channel } from './channel.js';
import {
  type CheckOptions,
  checkTrajectory,
  type Trajectory,
  type TrajectoryCheck,
  wireStart,
} from './check_trajectory.js';
import {
  type DynamicsOptions,
  INPUTS,
  type JointInfo,
  type ModelInfo,
  type QuantityMethods,
  type QuantityName,
  RESULT_TABLES,
  type States,
  type TrajectoryTable,
} from './contract.js';
import { RowError } from './errors.js';
import {
  computeBatch,
  type Evaluation,
  type EvaluationBase,
  type SizeLimits,
} from './evaluation.js';
import { type CallOptions, type ComputeOptions, wireWhat } from './options.js';
import type { CallLimits } from './retry.js';
import { type InputShape, readInputs } from './rows_input.js';

/** The interface of a client to its robots. */
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
  /** "name@revision": the model that every call uses. */
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
    const what = wireWhat(this.reference, quantities, options);
    const shape = this.#shape(options);
    const whole = await computeBatch({
      channel: this.#connection.channel,
      limits: this.#connection.limitsOf(options),
      what,
      inputs: readInputs(states, '', INPUTS, shape),
      quantities,
      shapeSizes: shape.sizes,
      sizes: this.#connection.sizes,
      progress: options.progress,
    });
    return whole as Evaluation<Q>;
  }

  /**
   * Whether the robot stays within its limits along a trajectory, where it does not, and
   * by how much. `trajectory` is all its samples, or an iterable or async iterable of
   * parts, which are sent while the next ones are made: any number of samples each, all
   * with the same inputs. All samples are kept until the end. The deadline is that of the
   * whole check, the making of the samples included. Rejects with TorquedError, or with
   * what `trajectory` throws.
   */
  async checkTrajectory<Table extends TrajectoryTable = never>(
    trajectory: Trajectory,
    options: CheckOptions<Table> = {},
  ): Promise<TrajectoryCheck<Table>> {
    // Refuses unknown options before it reads any.
    const start = wireStart(this.reference, options);
    const check = await checkTrajectory({
      channel: this.#connection.channel,
      limits: this.#connection.limitsOf(options),
      start,
      trajectory,
      shape: this.#shape(options),
      payloadBytes: this.#connection.sizes.payloadBytes,
      progress: options.progress,
    });
    return check as TrajectoryCheck<Table>;
  }

  #shape(options: DynamicsOptions): InputShape {
    const { nq, nv } = this.info;
    return {
      sizes: {
        nq,
        nv,
        links: nv,
        '10links': 10 * nv,
        m: options.axes?.length || 6,
        w: options.externalWrenches?.length ?? 0,
      },
      jointNames: options.jointNames ?? this.jointNames,
    };
  }
}

/** Every quantity is a method. */
export interface Robot extends QuantityMethods {}

for (const quantity of Object.keys(RESULT_TABLES) as QuantityName[]) {
  Object.defineProperty(Robot.prototype, quantity, {
    async value(this: Robot, states: States, options?: ComputeOptions) {
      const result = await this.compute([quantity], states, options);
      const { rows, rowStatus } = result as EvaluationBase;
      const [status] = rowStatus;
      if (rows === 1 && status && status.code !== 'SINGULAR_TASK_SPACE') {
        throw new RowError(status);
      }
      return result;
    },
  });
}
