// Robot dynamics of a torqued server: see docs/node.md.

export type {
  CheckOptions,
  Trajectory,
  TrajectoryCheck,
  TrajectorySamples,
} from './check_trajectory.js';
export {
  Client,
  connect,
  type ConnectOptions,
  type DeleteOptions,
  type Registration,
  type RegisterOptions,
  type UrdfOptions,
} from './client.js';
export type * from './contract.js';
export { RESULT_TABLES } from './contract.js';
export {
  type FieldViolation,
  RowError,
  type StatusCode,
  TorquedError,
} from './errors.js';
export type { Evaluation, EvaluationBase } from './evaluation.js';
export {
  LocalServer,
  LocalServerError,
  type LocalServerOptions,
  startLocalServer,
} from './local_server.js';
export { Matrix } from './matrix.js';
export type { CallOptions, ComputeOptions } from './options.js';
export type { Waiting } from './retry.js';
export { Robot } from './robot.js';
export type { ByJointName, JointRows, NumberList, Rows } from './rows_input.js';
export type { SecurityOptions } from './security.js';
