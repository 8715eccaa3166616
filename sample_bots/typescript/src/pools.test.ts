import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { ExitCode, Failure } from "./failure.js";
import { ChallengePolicy, PoolNoticeSchema, PoolReason } from "./gen/cheatarena/v1/pool_pb.js";
import { describePool } from "./pools.js";
import { Session } from "./session.js";
import { readSettings, type Settings } from "./settings.js";

/** Returns the settings of an environment with an address, a token and these variables. */
function read(variables: NodeJS.ProcessEnv): Settings {
  return readSettings({ CHEATARENA_ADDRESS: "127.0.0.1:1", CHEATARENA_TOKEN: "cat_x", ...variables });
}

test("each hello enters the pools", () => {
  const session = new Session(
    read({
      CHEATARENA_POOLS: "open, my dice:12,",
      CHEATARENA_VERSION: "2.1",
      CHEATARENA_CHALLENGES: "everybody",
    }),
  );
  for (let stream = 0; stream < 2; ++stream) {
    const [first] = session.hello().notices;
    assert(first?.notice?.case === "hello");
    const { pools, version, challenges } = first.notice.value;
    assert.deepEqual(pools, [
      { pool: "open", seats: 1 },
      { pool: "my dice", seats: 12 },
    ]);
    assert.deepEqual([version, challenges], ["2.1", ChallengePolicy.EVERYBODY]);
  }
});

test("without variables it enters no pool", () => {
  const { pools, version, challenges } = read({});
  assert.deepEqual([pools, version, challenges], [[], "", ChallengePolicy.UNSPECIFIED]);
});

test("a bad value is refused with its variable", () => {
  const longest = "p".repeat(32);
  for (const [name, value] of [
    ...["open:many", "open:0", "open:1001", "open:+1", "open:", ":3", `${longest}p`, "a\tb", "p,".repeat(33)].map(
      (pools) => ["CHEATARENA_POOLS", pools] as const,
    ),
    ["CHEATARENA_VERSION", `${longest}p`],
    ["CHEATARENA_VERSION", "a\tb"],
    ["CHEATARENA_CHALLENGES", "friends"],
  ] as const) {
    const isRefusal = (error: unknown) =>
      error instanceof Failure && error.exitCode === ExitCode.Usage && error.message.includes(name);
    assert.throws(() => read({ [name]: value }), isRefusal, `${name} ${value}`);
  }
});

test("the longest values are taken", () => {
  const longest = "😀".repeat(32);
  const settings = read({ CHEATARENA_POOLS: `${longest}:1000${",p".repeat(31)}`, CHEATARENA_VERSION: longest });
  assert.equal(settings.pools.length, 32);
});

test("a line says how many seats it gets and why", () => {
  const entered = { pool: "open", seats: 3, reason: PoolReason.ENTERED };
  const left = { pool: "open", reason: PoolReason.LEFT, detail: "the bot left", retryAfterMs: 30_000n };
  assert.deepEqual(
    [entered, left].map((notice) => describePool(create(PoolNoticeSchema, notice))),
    ["pool open: up to 3 seats at once", "pool open: 0 seats, because the bot left; again in 30 s"],
  );
});
