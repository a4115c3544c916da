// What comes out of a computation.

import type {
  Echo,
  QuantityName,
  QuantityResults,
  RowStatus,
} from './contract.js';

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
}

type Intersection<Union> = (
  Union extends unknown ? (each: Union) => void : never
) extends (all: infer All) => void
  ? All
  : never;

/** The results of the quantities `Q` for all states. */
export type Evaluation<Q extends QuantityName = never> = EvaluationBase &
  ([Q] extends [never] ? unknown : Intersection<QuantityResults[Q]>);
