import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Cheater, leastUseful, missingCards, nearest, TAKE, WILD } from "./cheater.js";
import { CheaterActSchema, CheaterAttack, CheaterPickSchema } from "./gen/cheatarena/v1/cheater_pb.js";
import { EventSchema } from "./gen/cheatarena/v1/event_pb.js";

type Fact = MessageInitShape<typeof EventSchema>["fact"];

function tell(bot: Cheater, fact: Fact): void {
  bot.hear(create(EventSchema, { fact }).fact);
}

/** Returns a bot at a table of three, with these cards and a TAKE on the discards. */
function sit(...cards: number[]): Cheater {
  const bot = new Cheater(0);
  tell(bot, { case: "gameStarted", value: { entrants: Uint8Array.of(0, 1, 2) } });
  tell(bot, { case: "cheaterDealt", value: { seatCount: 3, top: TAKE } });
  tell(bot, { case: "cheaterHand", value: { cards: Uint8Array.from(cards) } });
  return bot;
}

test("it discards what its word does not need", () => {
  const hand = [0, 1, 2, 2, 7, 13, 14, WILD];
  assert.deepEqual(leastUseful(hand, nearest(hand)), [7, 13, 14, WILD, 0, 1, 2, 2]);
});

test("it attacks the seat that showed a missing card", () => {
  const bot = sit(0, 1, 2, 2, 3, 4, TAKE); // red, and R is missing
  const shown = Uint8Array.of(5, 6, 7, 8, 9, 10, 11);
  tell(bot, { case: "cheaterHandShown", value: { seat: 2, cards: shown } });

  const act = create(CheaterActSchema, { playable: Uint8Array.of(TAKE), targets: Uint8Array.of(1, 2) });
  const { card, target, wildAs } = bot.act(act);
  assert.deepEqual([card, target, wildAs], [TAKE, 2, undefined]);
  const pick = create(CheaterPickSchema, { attack: CheaterAttack.TAKE, target: 2, hand: shown, most: 1 });
  assert.equal(bot.pick(pick).card, 5);
});

test("its hand follows the facts", () => {
  const bot = sit(0, 1, 2, 3, 4, 5, TAKE);
  tell(bot, { case: "cheaterAttacked", value: { target: 1, attack: CheaterAttack.TAKE, card: TAKE } });
  tell(bot, { case: "cheaterTaken", value: { seat: 0, target: 1, card: 2 } });
  assert.deepEqual(missingCards(bot.hand, 0), []);
});
