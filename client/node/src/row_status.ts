// Rows that are not OK.

import { WireEnum } from './protocol.js';
import { toNumber, type WireRowStatus } from './wire.js';

/**
 * Why a row is not OK.
 * - INVALID_INPUT: an input number is NaN or infinite; all outputs are NaN.
 * - SINGULAR_MASS_MATRIX: a degree of freedom moves no mass at this state; what
 *   solves with M is NaN.
 * - SINGULAR_TASK_SPACE: the task has lost rank; Lambda and eta follow the
 *   singularity rule.
 * - NOT_FINITE_RESULT: the result overflowed; the quantity is NaN.
 * - WEAK_TASK_SPACE: not given any more. The task has full rank and hardly moves
 *   beside its frame's whole Jacobian; Lambda and eta are exact for the model as
 *   written.
 */
export type RowCode =
  | 'INVALID_INPUT'
  | 'SINGULAR_MASS_MATRIX'
  | 'SINGULAR_TASK_SPACE'
  | 'NOT_FINITE_RESULT'
  | 'WEAK_TASK_SPACE';

/** A row that is not OK. */
export interface RowStatus {
  /** Counted from the first state of the call. */
  readonly row: number;
  readonly code: RowCode;
  /** The input at fault ("q", "base_twist", ...) or the quantity concerned
   * ("lambda", ...), by its name in the contract. */
  readonly field: string;
  /** The joint concerned; "" where none is. */
  readonly joint: string;
  /** The offending value: an input number, a pivot of M, the smallest singular
   * value of the scaled task Jacobian, or, for WEAK_TASK_SPACE, the task's
   * smallest singular value divided by the norm of its frame's Jacobian. */
  readonly value: number;
  /** One sentence for a person. */
  readonly message: string;
}

const rowCodes = new WireEnum<RowCode>('RowCode', 'ROW_CODE_');

/** `offset` is added to the row. */
export function toRowStatus(status: WireRowStatus, offset: number): RowStatus {
  return {
    row: toNumber(status.row) + offset,
    code: rowCodes.name(status.code),
    field: status.field,
    joint: status.joint,
    value: status.value,
    message: status.message,
  };
}

/** Whether the row has no answer at all of what is concerned. */
export function hasNoAnswer(code: RowCode): boolean {
  return code !== 'SINGULAR_TASK_SPACE' && code !== 'WEAK_TASK_SPACE';
}
