import { createHash, randomBytes } from "node:crypto";
import { hostname } from "node:os";

const GAMES = "cheat,cheater";

/**
 * The name of this process among the programs of its bot. If nobody chose it, it derives from this machine, so that a
 * program that starts again finds its seats.
 */
export class Instance {
  name: string;
  /** Whether the server may still give this program another name. */
  isDerived: boolean;
  /** Whether nobody chose the name. */
  #mayChange: boolean;

  constructor(chosen: string, version: string) {
    const host = /^[0-9a-f]{12}$/.test(hostname()) ? "container" : hostname(); // each container has another name
    const digest = createHash("sha256").update([host, GAMES, version].join("\n")).digest("hex");
    this.name = chosen || digest.slice(0, 16);
    this.isDerived = this.#mayChange = !chosen;
  }

  /** Takes the name that the server gave, and returns whether it is another one. Older servers give none. */
  settle(given: string): boolean {
    const isOther = this.#mayChange && given !== "" && given !== this.name;
    this.isDerived = false;
    if (isOther) this.name = given;
    return isOther;
  }

  /**
   * Takes a random name, once, because an older server lets another program replace this one. Returns false for a name
   * that must not change.
   */
  giveWay(): boolean {
    if (!this.#mayChange) return false;
    this.name = randomBytes(8).toString("hex");
    this.isDerived = this.#mayChange = false;
    return true;
  }
}
