const ANSWER_US = 10_000_000; // that a decision may wait for its answer
const CONFIRM_US = 1_000_000; // between two frames that lack it

/**
 * Notices a line that is dead one way: frames come, but no answers to what this bot has sent. It goes by the server's
 * clock, so that neither a pause of this process nor a stall of the server counts.
 */
export class Watch {
  /** The smallest difference between this machine's clock and the server's. */
  #offsetUs = Number.POSITIVE_INFINITY;
  /** When a frame first lacked an answer. */
  #lateUs: number | undefined;

  /**
   * Notes a frame of an instant, and when the oldest decision without an answer was sent. Returns false if nothing of
   * what this bot sends arrives.
   */
  hear(nowUs: number, oldestUs: number): boolean {
    this.#offsetUs = Math.min(this.#offsetUs, performance.now() * 1000 - nowUs);
    if (oldestUs > nowUs - ANSWER_US) this.#lateUs = undefined;
    else this.#lateUs ??= nowUs;
    return this.#lateUs === undefined || nowUs - this.#lateUs < CONFIRM_US;
  }

  /** Returns the instant on the server's clock. */
  nowUs(): number {
    return performance.now() * 1000 - this.#offsetUs;
  }
}
