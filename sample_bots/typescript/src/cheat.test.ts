import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Cheat } from "./cheat.js";
import {
  CheatActionKind,
  CheatCardsSchema,
  CheatRulesetSchema,
  CheatTurnSchema,
} from "./gen/cheatarena/v1/cheat_pb.js";
import { EventSchema } from "./gen/cheatarena/v1/event_pb.js";
import { Cards, JOKER } from "./playing_cards.js";

type Fact = MessageInitShape<typeof EventSchema>["fact"];

const [ME, RIVAL, THIRD] = [0, 1, 2];

function tell(bot: Cheat, fact: Fact): void {
  bot.hear(create(EventSchema, { fact }).fact);
}

/** Returns a bot of the preset standard at a table of three, with these cards. */
function deal(...cards: number[]): Cheat {
  const bot = new Cheat(create(CheatRulesetSchema, { decks: 1, jokersPerDeck: 2 }), ME);
  tell(bot, { case: "gameStarted", value: { entrants: Uint8Array.of(ME, RIVAL, THIRD) } });
  tell(bot, { case: "cheatHand", value: { cards: { cards: Uint8Array.from(cards) } } });
  return bot;
}

function move(bot: Cheat, turn: MessageInitShape<typeof CheatTurnSchema>) {
  return bot.move(create(CheatTurnSchema, turn));
}

test("it lays as many true cards as it can, or tells the smallest lie", () => {
  const bot = deal(0, 1, 8, 9, 10, JOKER);
  const cases: [string, MessageInitShape<typeof CheatTurnSchema>, number[], number][] = [
    ["most cards, joker last", { ranks: Uint8Array.of(0, 2), counts: [1, 6] }, [8, 9, 10, JOKER], 2],
    ["a legal number", { ranks: Uint8Array.of(0, 2), counts: [1, 2] }, [0, 1], 0],
    ["no joker alone face up", { ranks: Uint8Array.of(0, 5), counts: [1, 1], faceUp: true }, [0], 0],
    ["a lie of single cards", { ranks: Uint8Array.of(7), counts: [2, 6] }, [0, 1], 7],
  ];
  for (const [name, turn, cards, rank] of cases) {
    const action = move(bot, turn);
    assert.deepEqual([...(action.cards ?? [])], cards, name);
    assert.deepEqual([action.rank, action.count], [rank, cards.length], name);
  }
});

test("it passes rather than lies", () => {
  const action = move(deal(0), { ranks: Uint8Array.of(7), counts: [1, 6], canPass: true });
  assert.equal(action.kind, CheatActionKind.PASS);
});

test("it calls only what cannot be true", () => {
  const bot = deal(20, 21, 22, JOKER); // one five and one joker are elsewhere
  const verdicts = [0, 1, 2, 3, 4].map((count) => {
    tell(bot, { case: "cheatPlayed", value: { seat: RIVAL, rank: 5, count } });
    return bot.isImpossible();
  });
  assert.deepEqual(verdicts, [false, false, false, true, true]);
});

test("it remembers cards that a call has shown", () => {
  const bot = deal(20);
  const shown = { cards: Uint8Array.of(21, 22, 23) };
  tell(bot, { case: "cheatPlayed", value: { seat: RIVAL, rank: 9, count: 3 } });
  tell(bot, { case: "cheatCalled", value: { caller: THIRD, accused: RIVAL, right: true, taker: RIVAL, shown } });

  tell(bot, { case: "cheatPlayed", value: { seat: THIRD, rank: 5, count: 3 } });
  assert.equal(bot.isImpossible(), true, "only two jokers are left for it");
  tell(bot, { case: "cheatPlayed", value: { seat: RIVAL, rank: 5, count: 3 } });
  assert.equal(bot.isImpossible(), false, "this seat has taken them");
});

test("it reads both forms of cards", () => {
  const cards = Cards.from(create(CheatCardsSchema, { counted: [3, 40, JOKER, 20] }));
  assert.deepEqual([cards.count(3), cards.count(JOKER), cards.size], [40, 20, 60]);
});
