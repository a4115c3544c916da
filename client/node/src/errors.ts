// Why a call failed.

import type { status } from '@grpc/grpc-js';
import type { RowCode, RowStatus } from './contract.js';

/** How a call ended, in the words of gRPC. */
export type StatusCode = keyof typeof status;

/** A field of the request that was found at fault. */
export interface FieldViolation {
  /** Its path: "q", "options.joint_names[3]", "source:42" (a line). */
  readonly field: string;
  /** One sentence for a person. */
  readonly description: string;
}

/** Details of a failure in addition to its code and its sentence. */
export type ErrorDetails = Partial<
  Pick<TorquedError, 'reason' | 'metadata' | 'fieldViolations' | 'retryDelayMs'>
>;

/** Every failure of a call: by the server's word, by the connection's, or because an
 * argument cannot be sent. Branch on `code` and `reason`; texts may change. A call
 * that an AbortSignal ends rejects with the signal's reason instead. */
export class TorquedError extends Error {
  override readonly name: string = 'TorquedError';
  /** "INVALID_ARGUMENT", "UNAVAILABLE", ... */
  readonly code: StatusCode;
  /** A name of the enum Reason, as "MODEL_NOT_FOUND"; "" where the failure did
   * not come from the service (no connection, deadline, a proxy). */
  readonly reason: string;
  /** The subject of the reason: model, joint, row, limit, next_row, ... */
  readonly metadata: Readonly<Record<string, string>>;
  /** All fields at fault. */
  readonly fieldViolations: readonly FieldViolation[];
  /** How long the server asks to wait before another try; undefined: it does
   * not ask for one. */
  readonly retryDelayMs: number | undefined;

  constructor(code: StatusCode, message: string, details: ErrorDetails = {}) {
    super(message);
    this.code = code;
    this.reason = details.reason ?? '';
    this.metadata = details.metadata ?? {};
    this.fieldViolations = details.fieldViolations ?? [];
    this.retryDelayMs = details.retryDelayMs;
  }

  /** The same failure in other words, with more to say of what it is about. */
  with(message: string, metadata: Readonly<Record<string, string>> = {}) {
    return new TorquedError(this.code, message, {
      ...this,
      metadata: { ...this.metadata, ...metadata },
    });
  }

  /** The first field at fault, undefined where none is. */
  get field(): string | undefined {
    return this.fieldViolations[0]?.field;
  }

  /** The joint at fault, undefined where none is. */
  get joint(): string | undefined {
    return this.metadata['joint'];
  }

  /** The row at fault, counted from the first state of the call. */
  get row(): number | undefined {
    const row = this.metadata['row'];
    return row === undefined ? undefined : Number(row);
  }
}

/** The only state of a call has no answer: an input is not finite (INVALID_INPUT),
 * its mass matrix is singular (SINGULAR_MASS_MATRIX), or a result overflowed
 * (NOT_FINITE_RESULT). The methods of a quantity reject with it; `compute`, and
 * batches, resolve and tell it in `rowStatus`. */
export class RowError extends TorquedError {
  override readonly name = 'RowError';
  readonly rowCode: RowCode | undefined;
  /** The cause: an input number, a pivot of the mass matrix. */
  readonly value: number;

  constructor(status: RowStatus) {
    super('INVALID_ARGUMENT', status.message, {
      reason: 'ROW_FAILED',
      metadata: {
        row: String(status.row),
        ...(status.code === undefined ? {} : { code: status.code }),
        ...(status.joint === '' ? {} : { joint: status.joint }),
      },
      fieldViolations: [{ field: status.field, description: status.message }],
    });
    this.rowCode = status.code;
    this.value = status.value;
  }
}

/** An argument that cannot be sent. */
export function badArgument(
  reason: string,
  field: string,
  message: string,
  metadata: Record<string, string> = {},
): TorquedError {
  return new TorquedError('INVALID_ARGUMENT', message, {
    reason,
    metadata,
    fieldViolations: [{ field, description: message }],
  });
}

/** The failure of a registration; of a refused model with its faults, by the
 * lines of `file`. */
export function withFaults(error: unknown, file: string | undefined): unknown {
  if (!(error instanceof TorquedError) || error.reason !== 'INVALID_MODEL') {
    return error;
  }
  const source = file ?? 'source';
  const faults = error.fieldViolations.map(
    ({ field, description }) =>
      `${field.replace('source', () => source)}: ${description}`,
  );
  const total = `${error.metadata['errors']} error(s)`;
  const message = [`${source}: ${total}`, ...faults].join('\n  ');
  return error.with(message, file ? { file } : {});
}
