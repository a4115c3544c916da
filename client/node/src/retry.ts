// When a call that failed is tried again: docs/retries.md.

import { TorquedError } from './errors.js';

const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 1000;
/** What the last try of a call has until its deadline. */
const LAST_TRY_MS = 50;
/** How long a call without a deadline is tried again. */
const LONGEST_OUTAGE_MS = 300_000;
const TOKENS = 50;
const TOKENS_PER_SECOND = 10;

/** A bucket of tokens for the tries of all calls of a client beyond the first ones.
 * It gains some every second and one with every call that is answered. */
export class RetryBudget {
  #tokens = TOKENS;
  #filled = performance.now();

  answered(): void {
    this.#tokens = Math.min(this.#tokens + 1, TOKENS);
  }

  /** Whether there was a token. */
  take(): boolean {
    const now = performance.now();
    const gained = ((now - this.#filled) / 1000) * TOKENS_PER_SECOND;
    this.#tokens = Math.min(this.#tokens + gained, TOKENS);
    this.#filled = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

/** Told before each wait for another try: what failed, and how long it
 * waits. */
export type Waiting = (error: TorquedError, delayMs: number) => void;

/** What bounds a call. */
export interface CallLimits {
  /** When it has to be done, as Date.now() counts; may be Infinity. */
  deadline: number;
  readonly signal: AbortSignal | undefined;
  /** Aborted when the client is closed. */
  readonly closing: AbortSignal;
  /** Undefined: the first failure is final. */
  retry: Retrying | undefined;
}

/** How a call is tried again. */
export interface Retrying {
  readonly waiting: Waiting | undefined;
  readonly budget: RetryBudget;
  /** Of a call without a deadline. Absent: LONGEST_OUTAGE_MS. */
  readonly longestOutageMs?: number;
}

/** Whether a failure may pass: of a call that changes nothing. */
export function mayPass({ code, retryDelayMs }: TorquedError): boolean {
  // Who cancels a call does not come here: it was the server, or gRPC.
  if (code === 'UNAVAILABLE' || code === 'CANCELLED') return true;
  // Without a delay it is a limit, which another try meets again.
  return code === 'RESOURCE_EXHAUSTED' && retryDelayMs !== undefined;
}

/** Of a call that changes something: the server says that it has not begun. */
export function hasNotBegun(error: TorquedError): boolean {
  return error.reason === 'DRAINING';
}

/** Resolves after that long; rejects with the reason of a signal at once. */
export function sleep(
  delayMs: number,
  ...signals: (AbortSignal | undefined)[]
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      for (const signal of signals) signal?.removeEventListener('abort', end);
      const aborted = signals.find((signal) => signal?.aborted);
      if (aborted) reject(aborted.reason);
      else resolve();
    };
    const timer = setTimeout(end, delayMs);
    for (const signal of signals) signal?.addEventListener('abort', end);
    if (signals.some((signal) => signal?.aborted)) end();
  });
}

/**
 * Runs `attempt` until it succeeds or fails for good, told whether it is another
 * try and by when it has to be done. It waits half to all of
 * what doubles from 50 ms to 1 s, never below what the server asks for, and
 * again until the budget has a token. The last try comes 50 ms before the
 * deadline, or before LONGEST_OUTAGE_MS from the first failure where there is
 * none, and takes no token.
 */
export async function untilDone<T>(
  attempt: (next: { again: boolean; end: number }) => Promise<T>,
  limits: CallLimits,
  isTransient: (error: TorquedError) => boolean = mayPass,
): Promise<T> {
  const { retry, signal, closing } = limits;
  let outageEnd = Infinity;
  // The deadline of a batch moves while it is answered.
  const end = () => Math.min(limits.deadline, outageEnd);
  let longestMs = FIRST_DELAY_MS;
  let before: TorquedError | undefined;
  for (let tries = 1; ; ++tries) {
    try {
      const result = await attempt({ again: tries > 1, end: end() });
      retry?.budget.answered();
      return result;
    } catch (error) {
      signal?.throwIfAborted();
      closing.throwIfAborted();
      if (!(error instanceof TorquedError)) throw error;
      const outageMs = retry?.longestOutageMs ?? LONGEST_OUTAGE_MS;
      if (end() === Infinity) outageEnd = Date.now() + outageMs;
      const isRight = retry && isTransient(error);
      let askedMs = error.retryDelayMs ?? 0;
      do {
        const lastMs = end() - LAST_TRY_MS - Date.now();
        // A try before what the server asks for is none.
        if (!isRight || lastMs <= 0 || askedMs > lastMs) {
          throw withHistory(error, tries, before);
        }
        const jittered = longestMs * (0.5 + 0.5 * Math.random());
        longestMs = Math.min(longestMs * 2, LONGEST_DELAY_MS);
        const delayMs = Math.max(Math.min(jittered, lastMs), askedMs);
        retry.waiting?.(error, delayMs);
        await sleep(delayMs, signal, closing);
        askedMs = 0;
      } while (end() - LAST_TRY_MS > Date.now() && !retry.budget.take());
      before = error;
    }
  }
}

// What came before, where it says more.
function withHistory(
  error: TorquedError,
  tries: number,
  before: TorquedError | undefined,
): TorquedError {
  let { message } = error;
  if (before && error.code === 'DEADLINE_EXCEEDED') {
    message += `; before that ${before.code}: ${before.message}`;
  }
  return tries > 1 ? error.with(`${message} (tried ${tries} times)`) : error;
}
