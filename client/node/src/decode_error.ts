// What a failed call of gRPC says, with the details of its trailer.

import { type Metadata, status } from '@grpc/grpc-js';
import { type ErrorDetails, type StatusCode, TorquedError } from './errors.js';
import { view } from './message.js';
import { messageType } from './protocol.js';

/** How gRPC says that a call failed. */
export interface FailedStatus {
  readonly code: number;
  readonly details: string;
  readonly metadata?: Metadata;
}

// The messages mirror google.rpc, and so do the names. What stands before the last
// slash does not matter.
const DETAIL = /(?:^|\/)google\.rpc\.(ErrorInfo|BadRequest|RetryInfo)$/;

function detailsOf(failed: FailedStatus): ErrorDetails {
  const bytes = failed.metadata?.get('grpc-status-details-bin')[0];
  if (!(bytes instanceof Uint8Array)) return {};
  const found: ErrorDetails & { retryDelay?: number } = {};
  try {
    const { code, details } = messageType('Status').decode(
      bytes,
    ) as unknown as {
      code: number;
      details: { type_url: string; value: Uint8Array }[];
    };
    // Details of another code are void: gRPC ended the call before the service.
    if (code !== failed.code) return {};
    for (const { type_url, value } of details) {
      const name = DETAIL.exec(type_url)?.[1];
      if (!name) continue;
      Object.assign(found, view(name, messageType(name).decode(value)));
    }
  } catch {
    // Damaged details leave the code and the sentence.
    return {};
  }
  const { retryDelay = -1 } = found;
  return retryDelay < 0 ? found : { ...found, retryDelayMs: retryDelay * 1000 };
}

// What gRPC says of a connection that ended under a call where it has another
// code for it than UNAVAILABLE: gRPC in Node, and in C++ behind a proxy.
const LOST =
  /RST_STREAM|Stream removed|socket closed|connection (reset|closed|dropped)|write error|broken pipe|GOAWAY|session closed|No status (information )?received/i;

/** A connection that ended under a call is UNAVAILABLE. Details that are absent
 * or damaged leave the code and the sentence. */
export function decodeError(failed: FailedStatus): TorquedError {
  const details = detailsOf(failed);
  const code = (status[failed.code] ?? 'UNKNOWN') as StatusCode;
  const isLost =
    (code === 'INTERNAL' || code === 'UNKNOWN') &&
    !details.reason &&
    LOST.test(failed.details);
  return new TorquedError(
    isLost ? 'UNAVAILABLE' : code,
    failed.details,
    details,
  );
}
