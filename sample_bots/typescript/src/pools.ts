import type { MessageInitShape } from "@bufbuild/protobuf";
import { wrong } from "./failure.js";
import { ChallengePolicy, type PoolEntrySchema, type PoolNotice, PoolReason } from "./gen/cheatarena/v1/pool_pb.js";

const MOST_POOLS = 32;
const MOST_SEATS = 1000; // that a bot may want in one pool
const LONGEST_NAME = 32; // characters of a pool's name, and of a version
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;

/** Whose challenges a bot accepts, by the word in CHEATARENA_CHALLENGES. */
const POLICIES = new Map([
  ["own", ChallengePolicy.UNSPECIFIED],
  ["nobody", ChallengePolicy.NOBODY],
  ["everybody", ChallengePolicy.EVERYBODY],
]);

export type PoolEntry = MessageInitShape<typeof PoolEntrySchema>;

/**
 * Returns the pools in a text such as `standard,cheater:3`, where the bot wants one seat and three. Throws a Failure
 * for a bad text, as the next functions do.
 */
export function readPools(text: string): PoolEntry[] {
  const parts = text.split(",").map((part) => part.trim());
  const pools = parts.filter((part) => part).map(readPool);
  if (pools.length > MOST_POOLS) {
    throw wrong(`CHEATARENA_POOLS names ${pools.length} pools, expected at most ${MOST_POOLS}`);
  }
  return pools;
}

function readPool(part: string): PoolEntry {
  const [, name = "", number = "1"] = /^([^:]*)(?::(.*))?$/s.exec(part) ?? [];
  const pool = name.trim();
  const seats = /^\d+$/.test(number) ? Number(number) : 0;
  if (!pool || !isShortText(pool) || seats < 1 || seats > MOST_SEATS) {
    throw wrong(
      `CHEATARENA_POOLS has ${JSON.stringify(part)}, expected NAME or NAME:SEATS, with a name of at most ` +
        `${LONGEST_NAME} printable characters and 1 to ${MOST_SEATS} seats`,
    );
  }
  return { pool, seats };
}

export function readVersion(text: string): string {
  if (isShortText(text)) return text;
  throw wrong(`CHEATARENA_VERSION is ${JSON.stringify(text)}, expected at most ${LONGEST_NAME} printable characters`);
}

export function readChallenges(word: string): ChallengePolicy {
  const policy = POLICIES.get(word);
  if (policy !== undefined) return policy;
  throw wrong(`CHEATARENA_CHALLENGES is ${JSON.stringify(word)}, expected own, nobody or everybody`);
}

function isShortText(text: string): boolean {
  return PRINTABLE.test(text) && [...text].length <= LONGEST_NAME;
}

/** Says in one line how many seats the bot gets in a pool, and why. */
export function describePool({ pool, seats, reason, detail, retryAfterMs }: PoolNotice): string {
  const count = seats === 1 ? "1 seat" : `${seats} seats`;
  if (reason === PoolReason.ENTERED) return `pool ${pool}: up to ${count} at once`;
  const again = retryAfterMs > 0n ? `; again in ${(Number(retryAfterMs) / 1000).toFixed()} s` : "";
  return `pool ${pool}: ${count}, because ${detail}${again}`;
}
