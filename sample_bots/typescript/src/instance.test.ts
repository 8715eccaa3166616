import assert from "node:assert/strict";
import { test } from "node:test";
import { Instance } from "./instance.js";

test("a program that starts again has the same instance, and takes the one that the server gives", () => {
  const [first, again] = [new Instance("", "2.1"), new Instance("", "2.1")];
  assert.match(first.name, /^[0-9a-f]{16}$/);
  assert.equal(first.name, again.name);
  assert.notEqual(first.name, new Instance("", "2.2").name);
  assert.equal(first.settle(first.name), false);
  assert.equal(again.settle("name.2"), true);
  assert.deepEqual([again.name, again.isDerived], ["name.2", false]);
  assert.equal(again.giveWay(), true);
  assert.equal(again.giveWay(), false);
});

test("a chosen instance stays", () => {
  const chosen = new Instance("one", "");
  assert.deepEqual(
    [chosen.isDerived, chosen.settle("other"), chosen.giveWay(), chosen.name],
    [false, false, false, "one"],
  );
});
