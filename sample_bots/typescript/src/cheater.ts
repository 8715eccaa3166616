import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  CheaterAttack as Attack,
  type CheaterAct,
  type CheaterActionSchema,
  type CheaterPick,
  CheaterActionKind as Kind,
} from "./gen/cheatarena/v1/cheater_pb.js";
import type { Prompt } from "./gen/cheatarena/v1/decision_pb.js";
import type { Event } from "./gen/cheatarena/v1/event_pb.js";
import type { SeatSnapshot } from "./gen/cheatarena/v1/snapshot_pb.js";
import type { Action, Player } from "./player.js";

type CheaterAction = MessageInitShape<typeof CheaterActionSchema>;
type Hand = readonly number[];

/** A card is colour * 6 + letter, with the letters C H E A T R; the action cards begin with TAKE. */
export const TAKE = 24;
export const WILD = 28;
const COLORS = [0, 1, 2, 3];
const LETTER_KINDS = 6;
const HAND_SIZE = 7;
/** How often each card is in a pack. */
const COPIES = [...COLORS.flatMap(() => [2, 2, 4, 2, 2, 2]), 4, 4, 4, 1, 1];

/**
 * Plays CHEATER: collects the nearest word, takes missing letters where it knows or suspects them, and hides its hand
 * whenever it can.
 */
export class Cheater implements Player {
  hand: Hand = [];
  #seat = 0;
  /** By seat: the cards that everybody knows to be in its hand. */
  #known: Hand[] = [];
  /** By seat: how many cards it holds. */
  #sizes: number[] = [];
  /** The top card last. */
  #discards: Hand = [];

  constructor(readonly entrant: number) {}

  restore(snapshot: SeatSnapshot): void {
    if (snapshot.game.case !== "cheater") return;
    const game = snapshot.game.value;
    this.hand = [...(game.hand ?? [])];
    this.#known = game.known.map((cards) => [...cards]);
    this.#sizes = [...game.handSizes];
    this.#discards = [...game.discards];
  }

  hear(fact: Event["fact"]): void {
    switch (fact.case) {
      case "gameStarted": {
        const { entrants } = fact.value;
        this.#seat = entrants.indexOf(this.entrant);
        this.hand = [];
        this.#known = Array.from(entrants, () => []);
        this.#sizes = Array.from(entrants, () => HAND_SIZE);
        break;
      }
      case "cheaterDealt":
        this.#discards = [fact.value.top];
        break;
      case "cheaterHand":
        this.hand = [...fact.value.cards];
        break;
      case "cheaterDrew":
        this.#resize(fact.value.seat, fact.value.count);
        break;
      case "cheaterDrawn":
        this.hand = [...this.hand, ...fact.value.cards];
        break;
      case "cheaterTookTop":
        this.#discards = this.#discards.slice(0, -1);
        this.#gain(fact.value.seat, fact.value.card);
        break;
      case "cheaterDiscarded":
        this.#lay(fact.value.seat, [...fact.value.cards]);
        break;
      case "cheaterAttacked":
        if (fact.value.card !== undefined) this.#lay(fact.value.seat, [fact.value.card]);
        break;
      case "cheaterHidden":
        this.#lay(fact.value.seat, [fact.value.card]);
        break;
      case "cheaterHandShown":
        this.#known[fact.value.seat] = [...fact.value.cards];
        break;
      case "cheaterTaken":
        this.#lose(fact.value.target, [fact.value.card]);
        this.#gain(fact.value.seat, fact.value.card);
        break;
      case "cheaterBusted":
        this.#lay(fact.value.target, [...fact.value.cards]);
        break;
      case "cheaterReshuffled":
        this.#discards = this.#discards.slice(-1);
        break;
      case "cheaterLeft":
        this.#known[fact.value.seat] = [];
        this.#sizes[fact.value.seat] = 0;
        break;
    }
  }

  answer(options: Prompt["options"]): Action | undefined {
    const value = this.#choose(options);
    return value && { case: "cheater", value };
  }

  #choose(options: Prompt["options"]): CheaterAction | undefined {
    switch (options.case) {
      case "cheaterAct":
        return this.act(options.value);
      case "cheaterDiscard": {
        const cards = leastUseful(this.hand, this.#target()).slice(0, options.value.count);
        return { kind: Kind.DISCARD, cards: Uint8Array.from(cards) };
      }
      case "cheaterReaction": {
        const [card] = options.value.hiding; // a HIDE comes before a WILD
        return card === undefined ? { kind: Kind.ALLOW } : { kind: Kind.HIDE, card };
      }
      case "cheaterPick":
        return this.pick(options.value);
      default:
        return undefined;
    }
  }

  /** Takes the top discard if it is missing, or else attacks the seat that most likely has a missing card. */
  act({ powers, playable, targets }: CheaterAct): CheaterAction {
    const missing = missingCards(this.hand, this.#target());
    if (powers.includes(2) && missing.includes(this.#discards.at(-1) ?? -1)) return { kind: Kind.TAKE_TOP };
    const chances = Array.from(targets, (seat) => this.#chance(seat, missing));
    const target = targets[chances.indexOf(Math.max(...chances))] ?? 0;
    if (playable.includes(TAKE)) return { kind: Kind.PLAY, card: TAKE, target };
    if (playable.includes(WILD)) return { kind: Kind.PLAY, card: WILD, target, wildAs: Attack.TAKE };
    return powers.includes(3) ? { kind: Kind.DEMAND, target } : { kind: Kind.DRAW };
  }

  /** Picks what helps, or else what hurts: a letter of the word to which the shown hand is nearest. */
  pick({ attack, hand, most }: CheaterPick): CheaterAction {
    const shown = [...hand];
    const harmful = lettersOf(shown, nearest(shown));
    if (attack === Attack.BUST) return { kind: Kind.BUST, cards: Uint8Array.from(harmful.slice(0, most)) };
    const target = this.#target();
    const missing = missingCards(this.hand, target);
    const [card = 0] = [...shown.filter((each) => missing.includes(each)), ...harmful, ...shown];
    const action = { kind: Kind.TAKE, card };
    const [discard = card] = leastUseful([...this.hand, card], target);
    return attack === Attack.DEMAND ? { ...action, discard } : action;
  }

  /** Returns the colour with the fewest missing cards; prefers one that needs no card of the discards. */
  #target(): number {
    const score = (color: number) =>
      (this.#isPossible(color) ? HAND_SIZE + 1 : 0) - missingCards(this.hand, color).length;
    return COLORS.reduce((best, color) => (score(color) > score(best) ? color : best));
  }

  /** Whether no missing card of a colour lies on the discards. */
  #isPossible(color: number): boolean {
    const missing = missingCards(this.hand, color);
    const held = this.#others().flat();
    return missing.every((card) => count(missing, card) <= this.#unseen(card) + count(held, card));
  }

  /** Counts the copies of a card that this bot cannot locate. */
  #unseen(card: number): number {
    const packs = this.#known.length > 4 ? 2 : 1;
    const seen = [this.hand, this.#discards, ...this.#others()].flat();
    return (COPIES[card] ?? 0) * packs - count(seen, card);
  }

  /** Tells how likely a seat has a missing card: 2 is certain. */
  #chance(seat: number, missing: Hand): number {
    const known = this.#known[seat] ?? [];
    if (missing.some((card) => known.includes(card))) return 2;
    const unseen = [...new Set(missing)].reduce((sum, card) => sum + this.#unseen(card), 0);
    return (((this.#sizes[seat] ?? 0) - known.length) * unseen) / 100;
  }

  /** The known cards of all other seats. */
  #others(): Hand[] {
    return this.#known.filter((_, seat) => seat !== this.#seat);
  }

  /** Moves cards of a seat onto the discards. */
  #lay(seat: number, cards: Hand): void {
    this.#lose(seat, cards);
    this.#discards = [...this.#discards, ...cards];
  }

  /** Takes cards out of a hand, before everybody's eyes. */
  #lose(seat: number, cards: Hand): void {
    if (seat === this.#seat) this.hand = without(this.hand, cards);
    this.#known[seat] = without(this.#known[seat] ?? [], cards);
    this.#resize(seat, -cards.length);
  }

  /** Puts a card into a hand, before everybody's eyes. */
  #gain(seat: number, card: number): void {
    if (seat === this.#seat) this.hand = [...this.hand, card];
    this.#known[seat] = [...(this.#known[seat] ?? []), card];
    this.#resize(seat, 1);
  }

  #resize(seat: number, by: number): void {
    this.#sizes[seat] = (this.#sizes[seat] ?? 0) + by;
  }
}

/** Lists the seven cards that win in a colour. */
function word(color: number): Hand {
  return [0, 1, 2, 2, 3, 4, 5].map((letter) => color * LETTER_KINDS + letter);
}

/** Lists the cards that a hand lacks for the word in a colour. */
export function missingCards(hand: Hand, color: number): Hand {
  return without(word(color), hand);
}

/** Lists the cards of a hand that the word in a colour needs. */
function lettersOf(hand: Hand, color: number): Hand {
  return without(word(color), missingCards(hand, color));
}

/** Returns the colour with the fewest missing cards. */
export function nearest(hand: Hand): number {
  const letters = (color: number) => lettersOf(hand, color).length;
  return COLORS.reduce((best, color) => (letters(color) > letters(best) ? color : best));
}

/** Sorts a hand: letters that the word in a colour does not need, then action cards, then letters that it needs. */
export function leastUseful(hand: Hand, color: number): Hand {
  const needed = lettersOf(hand, color);
  const use = (card: number) => (card < TAKE ? lettersOf(hand, Math.floor(card / LETTER_KINDS)).length : HAND_SIZE + 1);
  return [...[...without(hand, needed)].sort((a, b) => use(a) - use(b) || a - b), ...needed];
}

/** Returns cards less others; a card that is not there is ignored. */
function without(cards: Hand, others: Hand): Hand {
  const left = [...cards];
  for (const card of others) if (left.includes(card)) left.splice(left.indexOf(card), 1);
  return left;
}

function count(cards: Hand, card: number): number {
  return cards.filter((each) => each === card).length;
}
