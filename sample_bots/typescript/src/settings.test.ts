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

test("what an editor adds to a token is stripped, and other characters are refused", () => {
  const read = (token: string) => readSettings({ CHEATARENA_ADDRESS: "127.0.0.1:1", CHEATARENA_TOKEN: token });
  for (const token of ["cat_x\r\n", "\ufeffcat_x", " cat_x\t"]) assert.equal(read(token).token, "cat_x");
  for (const token of ["cat_é", "cat_a b", "“cat_x”"])
    assert.throws(() => read(token), /CHEATARENA_TOKEN is not a token/);
});
