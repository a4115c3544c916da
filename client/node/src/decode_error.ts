// What a failed call of gRPC says, with the details of its trailer.

import type { Metadata } from '@grpc/grpc-js';
import type protobuf from 'protobufjs';
import { type FieldViolation, TorquedError } from './errors.js';
import { messageType } from './protocol.js';
import { type StatusCode, statusCode } from './status_code.js';
import { seconds } from './message.js';

const TRAILER = 'grpc-status-details-bin';

const Status = messageType('Status');
const ErrorInfo = messageType('ErrorInfo');
const BadRequest = messageType('BadRequest');
const RetryInfo = messageType('RetryInfo');

/** How gRPC says that a call failed. */
export interface FailedStatus {
  readonly code: number;
  readonly details: string;
  readonly metadata?: Metadata;
}

interface Details {
  reason?: string;
  metadata?: Record<string, string>;
  fieldViolations?: FieldViolation[];
  retryDelayMs?: number;
}

interface Any {
  type_url: string;
  value: Uint8Array;
}

function decodeAs<T>(type: protobuf.Type, bytes: Uint8Array): T {
  return type.decode(bytes) as unknown as T;
}

// The messages mirror google.rpc, and so do the names. What stands before the
// last slash does not matter.
function addDetail(any: Any, details: Details): void {
  const type = any.type_url.slice(any.type_url.lastIndexOf('/') + 1);
  if (type === 'google.rpc.ErrorInfo') {
    const info = decodeAs<{ reason: string; metadata: Record<string, string> }>(
      ErrorInfo,
      any.value,
    );
    details.reason = info.reason;
    details.metadata = { ...info.metadata };
  } else if (type === 'google.rpc.BadRequest') {
    const bad = decodeAs<{ fieldViolations: FieldViolation[] }>(
      BadRequest,
      any.value,
    );
    details.fieldViolations = bad.fieldViolations.map(
      ({ field, description }) => ({ field, description }),
    );
  } else if (type === 'google.rpc.RetryInfo') {
    const { retryDelay } = decodeAs<{
      retryDelay: { seconds: unknown; nanos: number } | null;
    }>(RetryInfo, any.value);
    const delay = retryDelay ? seconds(retryDelay) : -1;
    if (delay >= 0) details.retryDelayMs = delay * 1000;
  }
}

function detailsOf(failed: FailedStatus): Details {
  const details: Details = {};
  const bytes = failed.metadata?.get(TRAILER)[0];
  if (bytes === undefined || typeof bytes === 'string') return details;
  try {
    const status = decodeAs<{ code: number; details: Any[] }>(Status, bytes);
    // Details of another code are void: gRPC ended the call before the service.
    if (status.code !== failed.code) return details;
    for (const any of status.details) addDetail(any, details);
  } catch {
    // Damaged details leave the code and the sentence.
  }
  return details;
}

// What gRPC says of a connection that ended under a call where it has another
// code for it than UNAVAILABLE: gRPC in Node, and in C++ behind a proxy.
const LOST =
  /RST_STREAM|Stream removed|socket closed|connection (reset|closed|dropped)|write error|broken pipe|GOAWAY|session closed|No status (information )?received/i;

function codeOf(failed: FailedStatus, details: Details): StatusCode {
  const code = statusCode(failed.code);
  const isVague = code === 'INTERNAL' || code === 'UNKNOWN';
  return isVague && !details.reason && LOST.test(failed.details)
    ? 'UNAVAILABLE'
    : code;
}

/** A connection that ended under a call is UNAVAILABLE. Details that are absent
 * or damaged leave the code and the sentence. */
export function decodeError(failed: FailedStatus): TorquedError {
  const details = detailsOf(failed);
  return new TorquedError(codeOf(failed, details), failed.details, details);
}
