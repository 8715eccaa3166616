import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "./settings.js";

test("a Unix socket is on this machine, so it needs neither a port nor TLS", () => {
  const settings = readSettings({ CHEATARENA_ADDRESS: "unix:/run/arena.sock", CHEATARENA_TOKEN: "cat_x" });
  assert.equal(settings.socketPath, "/run/arena.sock");
  assert.equal(settings.tls, undefined);
  const relative = { CHEATARENA_ADDRESS: "unix:arena.sock", CHEATARENA_TOKEN: "cat_x" };
  assert.throws(() => readSettings(relative), /expected host:port/);
});
