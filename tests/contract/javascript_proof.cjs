// Checks what the guide says about messages in JavaScript. Runs where its lines have written arena.cjs.
const assert = require("node:assert/strict");
const { Play } = require("./arena.cjs").PlayService.service;

const NONCE = "18446744073709551557"; // no Number is so exact

const receive = (frame) => Play.responseDeserialize(Play.responseSerialize(frame));
const send = (frame) => Play.requestDeserialize(Play.requestSerialize(frame));

const played = { seat: 0, rank: 0, count: 2 };
const frame = receive({
  messages: [{ match: 3, entrant: 0, events: [{ cheat_played: played }], prompts: [{ id: 1, cheat_window: {} }] }],
  notices: [{ ping: { nonce: NONCE } }],
});

const [message] = frame.messages;
assert.equal(message.entrant, 0, "a zero is there");
assert.deepEqual([message.answers, frame.messages[0].snapshot], [[], null], "so is an empty list; a missing message is null");
assert.deepEqual([message.events[0].fact, message.prompts[0].options], ["cheat_played", "cheat_window"], "a oneof is named");
assert.deepEqual({ ...message.events[0].cheat_played, cards: 0 }, { ...played, emptied: false, cards: 0 }, "to_move is absent");
assert.equal(frame.notices[0].notice, "ping");
assert.equal(send({ notices: [{ pong: { nonce: frame.notices[0].ping.nonce } }] }).notices[0].pong.nonce, NONCE);
assert.notEqual(send({ notices: [{ pong: { nonce: Number(NONCE) } }] }).notices[0].pong.nonce, NONCE, "a Number is rounded");

const [decision] = send({ decisions: [{ prompt_id: 1, promptt: 2, cheat: { kind: "CHEAT_ACTION_KIND_CALL" } }] }).decisions;
assert.equal(decision.cheat.kind, "CHEAT_ACTION_KIND_CALL");
const [misspelled] = send({ decisions: [{ prompt_id: 1, cheat: { kind: "CALL" } }] }).decisions;
assert.equal(misspelled.cheat.kind, "CHEAT_ACTION_KIND_UNSPECIFIED", "the names of values have their prefix");
