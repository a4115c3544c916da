// One connection to a server, and the calls over it.

import * as grpc from '@grpc/grpc-js';
import { setMaxListeners } from 'node:events';
import { type ErrorDetails, type StatusCode, TorquedError } from './errors.js';
import { view } from './message.js';
import { messageType, type Method } from './protocol.js';
import type { CallLimits } from './retry.js';
import { type Security, TLS } from './security.js';

/** Bytes that the server may send ahead of us, of each stream. */
const WINDOW_BYTES = 1024 * 1024;

export class Channel {
  readonly #client: grpc.Client;
  readonly #authorization: string | undefined;
  readonly #open = new Set<() => void>();
  readonly #closing = new AbortController();

  constructor(
    address: string,
    { credentials, channelOptions, authorization }: Security,
  ) {
    // Each call that waits for another try listens.
    setMaxListeners(0, this.closing);
    this.#authorization = authorization;
    this.#client = new grpc.Client(
      address.startsWith(TLS) ? address.slice(TLS.length) : address,
      credentials,
      {
        // The server limits messages.
        'grpc.max_receive_message_length': -1,
        // A server that restarts is found again soon.
        'grpc.initial_reconnect_backoff_ms': 100,
        'grpc.max_reconnect_backoff_ms': 2000,
        // Calls that may be repeated are repeated by this library.
        'grpc.enable_retries': 0,
        // A robot is near; a proxy of the environment is for the world.
        'grpc.enable_http_proxy': 0,
        // Closing closes the connection, also for other users of the address.
        'grpc.use_local_subchannel_pool': 1,
        'grpc-node.flow_control_window': WINDOW_BYTES,
        ...channelOptions,
      },
    );
  }

  /** One attempt. Rejects with TorquedError, or with the signal's reason.
   * `waitForReady`: it waits until a server is there. */
  unary<Reply>(
    method: Method,
    request: object,
    { deadline, signal }: CallLimits,
    waitForReady = false,
  ): Promise<Reply> {
    return new Promise<Reply>((resolve, reject) => {
      this.#checkOpen(signal);
      const forget = this.#watch(signal, () => {
        call.cancel();
        if (signal?.aborted) reject(signal.reason);
      });
      const call = this.#client.makeUnaryRequest(
        method.path,
        method.encode,
        method.decode,
        request,
        this.#metadata({ waitForReady }),
        { deadline },
        (error, reply) => {
          forget();
          if (error) reject(this.failure(error));
          else resolve(reply as Reply);
        },
      );
    });
  }

  /** Opens a stream; its errors come from `failure`. The caller cancels it where
   * it does not read it to the end. */
  stream(method: Method, { deadline, signal }: CallLimits) {
    this.#checkOpen(signal);
    const stream = this.#client.makeBidiStreamRequest<object, object>(
      method.path,
      method.encode,
      method.decode,
      this.#metadata(),
      { deadline },
    );
    const forget = this.#watch(signal, () => stream.cancel());
    stream.on('status', forget);
    // Also for a caller that does not read to the end.
    stream.on('error', forget);
    return stream;
  }

  /** The meaning of an error of gRPC. Other errors are returned unchanged. */
  failure(error: unknown): unknown {
    const code = (error as Partial<grpc.ServiceError> | null)?.code;
    if (typeof code !== 'number') return error;
    if (this.closing.aborted && code === grpc.status.CANCELLED) return closed();
    return decodeError(error as grpc.ServiceError);
  }

  /** Aborted by `close`. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Ends all calls and the connection. */
  close(): void {
    this.#closing.abort(closed());
    for (const cancel of [...this.#open]) cancel();
    this.#client.close();
  }

  // Calls `cancel` where the signal or `close` ends a call, until it is forgotten.
  #watch(signal: AbortSignal | undefined, cancel: () => void): () => void {
    this.#open.add(cancel);
    signal?.addEventListener('abort', cancel, { once: true });
    return () => {
      this.#open.delete(cancel);
      signal?.removeEventListener('abort', cancel);
    };
  }

  // Metadata of each call.
  #metadata(options: grpc.MetadataOptions = {}): grpc.Metadata {
    const metadata = new grpc.Metadata(options);
    if (this.#authorization !== undefined) {
      metadata.set('authorization', this.#authorization);
    }
    return metadata;
  }

  #checkOpen(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    this.closing.throwIfAborted();
  }
}

function closed(): TorquedError {
  return new TorquedError('CANCELLED', 'the client is closed');
}

// The messages mirror google.rpc, and so do the names. The text before the last slash
// does not matter.
const DETAIL = /(?:^|\/)google\.rpc\.(ErrorInfo|BadRequest|RetryInfo)$/;

/** torqued.v1.Status. */
interface WireStatus {
  code: number;
  details: { type_url: string; value: Uint8Array }[];
}

function detailsOf(failed: grpc.ServiceError): ErrorDetails {
  const bytes = failed.metadata.get('grpc-status-details-bin')[0];
  if (!(bytes instanceof Uint8Array)) return {};
  const found: ErrorDetails & { retryDelay?: number } = {};
  try {
    const status: unknown = messageType('Status').decode(bytes);
    const { code, details } = status as WireStatus;
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

// The words of gRPC for a connection that ended during a call, if the code is not
// UNAVAILABLE: gRPC in Node, and in C++ behind a proxy.
const LOST =
  /RST_STREAM|Stream removed|socket closed|connection (reset|closed|dropped)|write error|broken pipe|GOAWAY|session closed|No status (information )?received/i;

/** A connection that ended under a call is UNAVAILABLE. */
export function decodeError(failed: grpc.ServiceError): TorquedError {
  const details = detailsOf(failed);
  const code = (grpc.status[failed.code] ?? 'UNKNOWN') as StatusCode;
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
