// What comes out of a computation.

import type {
  Echo,
  QuantityName,
  QuantityResults,
  RowStatus,
} from './contract.js';

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

/** How long the server took, s. */
export interface Timing {
  /** From the arrival of a request to the start of its computing. */
  queue: number;
  /** From there to its last row. */
  compute: number;
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
  /** Of a batch in several parts the sum over the parts, which overlap. */
  readonly timing: Timing;
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
