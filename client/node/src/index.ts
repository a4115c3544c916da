// Robot dynamics of a torqued server: see docs/node.md.

export {
  Client,
  connect,
  type ConnectOptions,
  type Registration,
} from './client.js';
export { type FieldViolation, RowError, TorquedError } from './errors.js';
export type { Chunks } from './evaluate.js';
export type {
  ChunkEvaluation,
  Echo,
  Evaluation,
  EvaluationBase,
  Handover,
  Timing,
} from './evaluation.js';
export {
  findServerBinary,
  LocalServer,
  LocalServerError,
  type LocalServerOptions,
  startLocalServer,
} from './local_server.js';
export { Matrix } from './matrix.js';
export type {
  DeleteOptions,
  Finding,
  FindingPlace,
  Joint,
  LintReport,
  ModelFormat,
  ModelInfo,
  ModelSummary,
  RegisterOptions,
  UrdfOptions,
  Validation,
  ValidationLevel,
} from './models.js';
export type {
  CallOptions,
  ComputeOptions,
  DynamicsOptions,
  Encoding,
  EvaluateOptions,
  Friction,
  Payload,
  Precision,
  ReferenceFrame,
  SingularityRule,
  Task,
  TaskAxis,
  WrenchPlace,
} from './options.js';
export {
  QUANTITIES,
  type QuantityName,
  type QuantityResults,
  type TaskRule,
} from './quantities.js';
export type { Waiting } from './retry.js';
export { Robot } from './robot.js';
export type { RowCode, RowStatus } from './row_status.js';
export type { SecurityOptions } from './security.js';
export type { ByJointName, JointRows, Rows } from './rows_input.js';
export type { ServerInfo, Target } from './server_info.js';
export type { States } from './states.js';
export type { StatusCode } from './status_code.js';
export type {
  CheckOptions,
  Differentiation,
  JointBounds,
  JointDrive,
  NumberList,
  TrajectoryTable,
} from './trajectory_options.js';
export type { Peak } from './trajectory_peak.js';
export type { CoarseStep, Remark, RemarkKind } from './trajectory_remarks.js';
export type { Trajectory, TrajectorySamples } from './trajectory_samples.js';
export type {
  BoundsAsked,
  CheckAsked,
  JointDemand,
  LimitedBy,
  LimitKind,
  LimitViolation,
  PathInertia,
  PayloadRange,
  SlowDown,
  TorqueCurve,
  TrajectoryCheck,
  TrajectoryVerdict,
} from './trajectory_verdict.js';
