// When a call that failed is tried again: docs/retries.md.

import { TorquedError } from './errors.js';
import type { RetryBudget } from './retry_budget.js';

const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 1000;
/** What the last try of a call has until its deadline. */
const LAST_TRY_MS = 50;
/** How long a call without a deadline is tried again while nothing is
 * answered. */
const LONGEST_OUTAGE_MS = 300_000;

/** Told before each wait for another try: what failed, and how long it
 * waits. */
export type Waiting = (error: TorquedError, delayMs: number) => void;

/** How a call is tried again. */
export interface Retrying {
  readonly waiting: Waiting | undefined;
  readonly budget: RetryBudget;
  /** Of a call without a deadline. Absent: LONGEST_OUTAGE_MS. */
  readonly longestOutageMs?: number;
}

/** What bounds a call. */
export interface CallLimits {
  /** When it has to be done, as Date.now() counts; may be Infinity. */
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
  /** Aborted when the client is closed. */
  readonly closing: AbortSignal;
  /** Undefined: the first failure is final. */
  readonly retry: Retrying | undefined;
}

/** One of the tries of a call. */
export interface Try {
  /** Another one has failed. */
  readonly again: boolean;
  /** The deadline, or where there is none the end of the outage, as Date.now()
   * counts. */
  readonly end: number;
}

/** Whether a failure may pass. */
export type IsTransient = (error: TorquedError) => boolean;

/** Of a call that changes nothing. */
export function mayPass(error: TorquedError): boolean {
  // Who cancels a call does not come here: it was the server, or gRPC.
  if (error.code === 'UNAVAILABLE' || error.code === 'CANCELLED') return true;
  // Without a delay it is a limit, which another try meets again.
  return (
    error.code === 'RESOURCE_EXHAUSTED' && error.retryDelayMs !== undefined
  );
}

/** Of a call that changes something: the server says that it has not begun. */
export function hasNotBegun(error: TorquedError): boolean {
  return error.reason === 'DRAINING';
}

/** Resolves after that long; rejects with the reason of a signal at once. */
export function sleep(
  delayMs: number,
  signals: readonly AbortSignal[] = [],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', end);
      const aborted = signals.find((signal) => signal.aborted);
      if (aborted) reject(aborted.reason);
      else resolve();
    };
    const timer = setTimeout(end, delayMs);
    for (const signal of signals) signal.addEventListener('abort', end);
    if (signals.some((signal) => signal.aborted)) end();
  });
}

/**
 * The waits between the tries of one call: half to all of what doubles from
 * 50 ms to 1 s, never below what the server asks for, and again until the budget
 * has a token. The last try comes 50 ms before the deadline, or before
 * LONGEST_OUTAGE_MS from the first failure since an answer where there is none,
 * and takes no token.
 */
export class RetrySchedule {
  readonly #limits: CallLimits;
  readonly #isTransient: IsTransient;
  #delayMs = FIRST_DELAY_MS;
  #outageEnd: number | undefined;
  #tries = 1;
  #before: TorquedError | undefined;

  constructor(limits: CallLimits, isTransient: IsTransient = mayPass) {
    this.#limits = limits;
    this.#isTransient = isTransient;
  }

  /** Waits for the next try; throws `error` where it is final: where it is of
   * another kind, or there is no time. */
  async wait(error: unknown): Promise<void> {
    const { retry, signal, closing } = this.#limits;
    signal?.throwIfAborted();
    closing.throwIfAborted();
    if (!(error instanceof TorquedError)) throw error;
    if (!retry || !this.#isTransient(error)) throw this.#withHistory(error);
    this.#outageEnd ??=
      Date.now() + (retry.longestOutageMs ?? LONGEST_OUTAGE_MS);
    this.#before = error;
    await this.#pause(error, retry, error.retryDelayMs ?? 0);
    while (this.#untilLastTryMs() > 0 && !retry.budget.take()) {
      await this.#pause(error, retry, 0);
    }
    this.#tries += 1;
  }

  /** Something was answered: begins anew. */
  answered(): void {
    this.#delayMs = FIRST_DELAY_MS;
    this.#outageEnd = undefined;
    this.#limits.retry?.budget.answered();
  }

  async #pause(
    error: TorquedError,
    { waiting }: Retrying,
    askedMs: number,
  ): Promise<void> {
    const lastMs = this.#untilLastTryMs();
    // A try before what the server asks for is none.
    if (lastMs <= 0 || askedMs > lastMs) throw this.#withHistory(error);
    const jittered = this.#delayMs * (0.5 + 0.5 * Math.random());
    this.#delayMs = Math.min(this.#delayMs * 2, LONGEST_DELAY_MS);
    const delayMs = Math.max(Math.min(jittered, lastMs), askedMs);
    const { signal, closing } = this.#limits;
    waiting?.(error, delayMs);
    await sleep(delayMs, signal ? [signal, closing] : [closing]);
  }

  /** What the next try knows of those before it. */
  get nextTry(): Try {
    const { deadline } = this.#limits;
    return {
      again: this.#tries > 1,
      end: deadline === Infinity ? (this.#outageEnd ?? deadline) : deadline,
    };
  }

  #untilLastTryMs(): number {
    return this.nextTry.end - LAST_TRY_MS - Date.now();
  }

  // What came before, where it says more.
  #withHistory(error: TorquedError): TorquedError {
    const before = this.#before;
    let { message } = error;
    if (before && error.code === 'DEADLINE_EXCEEDED') {
      message += `; before that ${before.code}: ${before.message}`;
    }
    if (this.#tries > 1) message += ` (tried ${this.#tries} times)`;
    return message === error.message ? error : error.withMessage(message);
  }
}

/** Runs `attempt` until it succeeds or fails for good. */
export async function untilDone<T>(
  attempt: (next: Try) => Promise<T>,
  limits: CallLimits,
  isTransient: IsTransient = mayPass,
): Promise<T> {
  const schedule = new RetrySchedule(limits, isTransient);
  while (true) {
    try {
      const result = await attempt(schedule.nextTry);
      schedule.answered();
      return result;
    } catch (error) {
      await schedule.wait(error);
    }
  }
}
