import assert from "node:assert/strict";
import { test } from "node:test";
import { Watch } from "./watch.js";

const SECOND = 1_000_000;

test("a line that is dead one way is noticed by the frames", () => {
  const watch = new Watch();
  for (const second of [3, 9, 10, 10.9]) assert.equal(watch.hear(second * SECOND, 0), true);
  assert.equal(watch.hear(11 * SECOND, 0), false);
});

test("a stall of the server is no dead line", () => {
  const watch = new Watch();
  assert.equal(watch.hear(30 * SECOND, 0), true);
  assert.equal(watch.hear(30 * SECOND + 1, Number.POSITIVE_INFINITY), true); // the answer comes in the next frame
  assert.equal(watch.hear(50 * SECOND, 31 * SECOND), true);
  assert.equal(watch.hear(70 * SECOND, 65 * SECOND), true);
});
