// When a call that failed is tried again.

import { TorquedError } from './errors.js';

const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 1000;

/** Told before each wait for another try: what failed, and how long it
 * waits. */
export type Waiting = (error: TorquedError, delayMs: number) => void;

/** What bounds a call. */
export interface CallLimits {
  /** When it has to be done, as Date.now() counts; may be Infinity. */
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
  /** Aborted when the client is closed. */
  readonly closing: AbortSignal;
  /** Undefined: the first failure is final. */
  readonly retry: { readonly waiting: Waiting | undefined } | undefined;
}

function isTransient(error: TorquedError): boolean {
  if (error.code === 'UNAVAILABLE') return true;
  // Without a delay it is a limit, which another try meets again.
  return (
    error.code === 'RESOURCE_EXHAUSTED' && error.retryDelayMs !== undefined
  );
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

/** The delays between the tries of one call: doubling from 50 ms to 1 s, never
 * below what the server asks for. */
export class RetrySchedule {
  readonly #limits: CallLimits;
  #delayMs = FIRST_DELAY_MS;

  constructor(limits: CallLimits) {
    this.#limits = limits;
  }

  /** Waits for the next try; throws `error` where it is final: where it is of
   * another kind, or the deadline would pass first. */
  async wait(error: unknown): Promise<void> {
    const { retry, deadline, signal, closing } = this.#limits;
    if (!retry || !(error instanceof TorquedError) || !isTransient(error)) {
      throw error;
    }
    const delayMs = Math.max(this.#delayMs, error.retryDelayMs ?? 0);
    this.#delayMs = Math.min(this.#delayMs * 2, LONGEST_DELAY_MS);
    if (Date.now() + delayMs >= deadline) throw error;
    retry.waiting?.(error, delayMs);
    await sleep(delayMs, signal ? [signal, closing] : [closing]);
  }

  /** Something was answered: begins anew. */
  reset(): void {
    this.#delayMs = FIRST_DELAY_MS;
  }
}

/** Runs `attempt` until it succeeds or fails for good. */
export async function untilDone<T>(
  attempt: () => Promise<T>,
  limits: CallLimits,
): Promise<T> {
  const schedule = new RetrySchedule(limits);
  while (true) {
    try {
      return await attempt();
    } catch (error) {
      await schedule.wait(error);
    }
  }
}
