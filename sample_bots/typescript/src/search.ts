import type { ConnectError } from "@connectrpc/connect";
import { describe, ExitCode, Failure, findFailure } from "./failure.js";
import type { Farewell } from "./gen/cheatarena/v1/session_pb.js";

const MAX_PAUSE_MS = 2000; // between two attempts to connect
const QUIET_MS = 2000; // before the bot says that it is still trying

/** Looks for a server while there is no stream. */
export class Search {
  /** Whether the server has answered on this stream. */
  isOver = false;
  /** Whether an arena has ever answered at the address. */
  #isKnown = false;
  /** Whether a line has said that the bot is still trying. */
  #isTold = false;
  #beganMs = performance.now();
  #pauseMs = 0;

  constructor(
    readonly address: string,
    readonly patienceMs: number,
  ) {}

  /** Notes that the server has answered. */
  end(): void {
    this.isOver = true;
    this.#isKnown = true;
  }

  /** Returns how many milliseconds to wait before the next stream. Throws a Failure if there is no point in one. */
  next(error: ConnectError, farewell: Farewell | undefined): number {
    if (this.isOver) {
      this.isOver = this.#isTold = false;
      this.#beganMs = performance.now();
      this.#pauseMs = 0;
    }
    const failure = findFailure(error, farewell, this.address, this.#isKnown);
    if (failure) throw failure;
    const awayMs = performance.now() - this.#beganMs;
    const leftMs = this.patienceMs - awayMs;
    if (leftMs <= 0) {
      const text = `no server at ${this.address} for ${this.patienceMs / 1000} s, so this bot gives up`;
      throw new Failure(ExitCode.Unavailable, `${text} (${describe(error)})`);
    }
    if (!this.#isTold && awayMs >= QUIET_MS) {
      this.#isTold = true;
      const left = `giving up in ${Math.round(leftMs / 1000)} s`;
      console.error(`still trying ${this.address} (${describe(error)}); ${left}`);
    }
    this.#pauseMs = Math.min(2 * this.#pauseMs + 100, MAX_PAUSE_MS);
    return Math.min(this.#pauseMs, leftMs);
  }
}
