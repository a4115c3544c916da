// How many tries beyond the first ones a client may make.

const TOKENS = 50;
const TOKENS_PER_SECOND = 10;

/** A bucket of tokens for all calls of a client, which gains some every second
 * and one with every call that is answered. Where it is empty a try
 * waits; none is refused. */
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
