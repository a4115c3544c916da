// The messages of the wire as they are decoded: enums are numbers, absent
// messages null, 64-bit integers what toNumber takes.

/** A 64-bit integer: protobufjs gives an object with toNumber. */
export type WireInteger = number | { toNumber(): number };

/** Exact up to 2^53. */
export function toNumber(integer: WireInteger): number {
  return typeof integer === 'number' ? integer : integer.toNumber();
}

/** torqued.v1.Array: at most one of its payloads holds rows. */
export interface WireArray {
  columns: number;
  values: number[];
  f64: Uint8Array;
  f32: Uint8Array;
}

export interface WireDuration {
  seconds: WireInteger;
  nanos: number;
}

export interface WireTiming {
  queue: WireDuration | null;
  compute: WireDuration | null;
}

export interface WireRowStatus {
  row: WireInteger;
  code: number;
  field: string;
  joint: string;
  value: number;
  message: string;
}

export interface WireOperationalSpace {
  axes: number[];
  singularity: number;
  damping: number;
  rankTolerance?: number | null;
  characteristicLength?: number | null;
  sigmaMin: boolean;
}

export interface WirePayload {
  frame: string;
  mass: number;
  centerOfMass: number[];
  inertia: number[];
}

export interface WireWrenchPlace {
  frame: string;
  referenceFrame: number;
}

export interface WireTerms {
  gravity: number[];
  viscousFriction: boolean;
  coulombFriction: boolean;
  coulombSmoothing: number;
}

export interface WireEcho {
  model: string;
  revision: string;
  jointNames: string[];
  terms: WireTerms | null;
  tipFrame: string;
  referenceFrame: number;
  operationalSpace: WireOperationalSpace | null;
  target: string;
  serverVersion: string;
  timing: WireTiming | null;
  precision: number;
  computedPrecision: number;
  validation: number;
  payload: WirePayload | null;
  externalWrenches: WireWrenchPlace[];
}

/** Tables under their names in camelCase, and what is no table. */
export type WireResults = Record<string, WireArray | null | undefined> & {
  rank: number[];
  sigmaMin: number[];
  rule: number[];
};

/** What the replies of Compute and of Evaluate have in common. */
export interface WireReply {
  rows: WireInteger;
  results: WireResults | null;
  rowStatus: WireRowStatus[];
  rowsNotOk: WireInteger;
  echo: WireEcho | null;
}

export interface WireEvaluateReply extends WireReply {
  firstRow: WireInteger;
  timing: WireTiming | null;
}

/** An array of the states, as it is sent. */
export interface SentArray {
  columns: number;
  f64: Uint8Array;
}

/** What says what to compute: the common part of ComputeRequest and
 * EvaluateStart. */
export interface WireWhat {
  model: string;
  quantities: number[];
  options: object;
  operationalSpace?: object;
}

/** States as fields of EvaluateChunk. */
export type WireChunk = Record<string, SentArray>;
