// How a batch is cut into messages.

import type { TorquedError } from './errors.js';

/** Statuses that a reply lists at most. No message has more rows, so that every
 * row that is not OK is known. */
export const MAX_ROWS = 1000;

/** Bytes that a message has for everything but rows: names, echo, and the row
 * statuses at their longest. */
const OVERHEAD_BYTES = 384 * 1024;

/** Payload beyond which larger messages only cost. */
const GOOD_BYTES = 1024 * 1024;

/** Rows of a message such that neither it nor its reply gets too large; at
 * least 1. */
export function rowsPerMessage(
  numbersPerRow: number,
  maxMessageBytes: number,
): number {
  const payload = Math.min(
    Math.max(maxMessageBytes - OVERHEAD_BYTES, maxMessageBytes / 2),
    GOOD_BYTES,
  );
  const rows = Math.floor(payload / (8 * Math.max(numbersPerRow, 1)));
  return Math.min(Math.max(rows, 1), MAX_ROWS);
}

// Where gRPC itself refuses a message for its size, only its sentence tells:
// of gRPC in Node, in C++ and Go, in Java, and in .NET.
const TOO_LARGE =
  /message with a size larger than|essage larger than max|essage exceeds (the )?maximum/;

function isOfSize(error: TorquedError): boolean {
  if (error.code !== 'RESOURCE_EXHAUSTED') return false;
  // With a delay it is load.
  if (error.retryDelayMs !== undefined) return false;
  return error.reason === ''
    ? TOO_LARGE.test(error.message)
    : error.reason === 'REQUEST_TOO_LARGE';
}

/** Rows to send at a time after `error` has refused so many for their size: as
 * many as it says that fit, else half. Undefined where it is another error or
 * one row is too large. */
export function fewerRows(
  error: TorquedError,
  rows: number,
): number | undefined {
  if (!isOfSize(error)) return undefined;
  const fitting = Number(error.metadata['rows_that_fit']);
  const fewer = Number.isSafeInteger(fitting) ? fitting : Math.floor(rows / 2);
  return fewer >= 1 && fewer < rows ? fewer : undefined;
}
