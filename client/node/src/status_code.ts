// The codes of gRPC by name.

/** How a call ended, in the words of gRPC. */
export type StatusCode = (typeof STATUS_CODES)[number];

const STATUS_CODES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const;

/** The name of a code; UNKNOWN for a number that is none. */
export function statusCode(number: number): StatusCode {
  return STATUS_CODES[number] ?? 'UNKNOWN';
}
