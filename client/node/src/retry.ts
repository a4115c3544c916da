// When a call that failed is tried again: docs/grpc.md.

import { setTimeout } from 'node:timers/promises';
import { TorquedError } from './errors.js';

const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 1000;
/** The time that the last try of a call has until its deadline. */
const LAST_TRY_MS = 50;

/** Told before each wait for another try: what failed, and how long it
 * waits. */
export type Waiting = (error: TorquedError, delayMs: number) => void;

/** Limits of a call. */
export interface CallLimits {
  /** When it has to be done, as Date.now() counts; may be Infinity. */
  deadline: number;
  readonly signal: AbortSignal | undefined;
  /** Aborted when the client is closed. */
  readonly closing: AbortSignal;
  /** False: the first failure is final. */
  readonly retry: boolean;
  readonly onRetry: Waiting | undefined;
}

/** Whether a failure may pass: of a call that changes nothing. */
function mayPass({ code, retryDelayMs }: TorquedError): boolean {
  // Who cancels a call does not come here: it was the server, or gRPC.
  if (code === 'UNAVAILABLE' || code === 'CANCELLED') return true;
  // Without a delay it is a limit, which another try meets again.
  return code === 'RESOURCE_EXHAUSTED' && retryDelayMs !== undefined;
}

/** Resolves after that long; rejects with the reason of a signal at once. */
export async function sleep(
  delayMs: number,
  ...signals: (AbortSignal | undefined)[]
): Promise<void> {
  const over = new AbortController();
  const { signal: isOver } = over;
  const end = () => over.abort();
  for (const signal of signals) {
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end, { signal: isOver });
  }
  await setTimeout(delayMs, undefined, { signal: isOver }).catch(() => {});
  end();
  for (const signal of signals) signal?.throwIfAborted();
}

/**
 * Runs `attempt` until it succeeds or cannot be retried. The argument says whether it is
 * another try. It waits half to all of what doubles from 50 ms to 1 s, never below what
 * the server asks for. The last try comes 50 ms before the deadline, if there is one.
 */
export async function untilDone<T>(
  attempt: (again: boolean) => Promise<T>,
  limits: CallLimits,
  isTransient: (error: TorquedError) => boolean = mayPass,
): Promise<T> {
  const { signal, closing } = limits;
  let longestMs = FIRST_DELAY_MS;
  for (let again = false; ; again = true) {
    try {
      return await attempt(again);
    } catch (error) {
      signal?.throwIfAborted();
      closing.throwIfAborted();
      if (!(error instanceof TorquedError)) throw error;
      const lastMs = limits.deadline - LAST_TRY_MS - Date.now();
      const askedMs = error.retryDelayMs ?? 0;
      const isInTime = lastMs > 0 && askedMs <= lastMs;
      if (!limits.retry || !isTransient(error) || !isInTime) {
        throw error;
      }
      const jittered = longestMs * (0.5 + 0.5 * Math.random());
      longestMs = Math.min(longestMs * 2, LONGEST_DELAY_MS);
      const delayMs = Math.max(Math.min(jittered, lastMs), askedMs);
      limits.onRetry?.(error, delayMs);
      await sleep(delayMs, signal, closing);
    }
  }
}
