import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type CheatActionSchema,
  type CheatCards,
  type CheatRuleset,
  type CheatTurn,
  CheatActionKind as Kind,
} from "./gen/cheatarena/v1/cheat_pb.js";
import type { Prompt } from "./gen/cheatarena/v1/decision_pb.js";
import type { Event } from "./gen/cheatarena/v1/event_pb.js";
import type { SeatSnapshot } from "./gen/cheatarena/v1/snapshot_pb.js";
import type { Action, Player } from "./player.js";
import { Cards, JOKER } from "./playing_cards.js";

type CheatAction = MessageInitShape<typeof CheatActionSchema>;

/** The last move that somebody may call. */
interface Claim {
  seat: number;
  rank: number;
  count: number;
  /** Everybody saw that not as many cards were laid as claimed. */
  isFalse: boolean;
}

/**
 * Plays Cheat: lays as many true cards as it can, or else passes, or tells the smallest lie. It calls only claims that
 * cannot be true, because too many cards of the rank are elsewhere: in this bot's hand, or known from calls.
 */
export class Cheat implements Player {
  #seat = 0;
  #hand = new Cards();
  #last: Claim = { seat: 0, rank: 0, count: 0, isFalse: false };
  /** By seat: cards that are in its hand or that it laid on the pile; for this bot's seat, laid ones. */
  #known: Cards[] = [];
  /** Seats of which cards lie on the pile. */
  #onPile = new Set<number>();
  /** Cards that are out of the game. */
  #gone = new Cards();
  #lastCall = { accused: 0, taker: 0 };

  constructor(
    readonly rules: CheatRuleset,
    readonly entrant: number,
  ) {}

  restore(snapshot: SeatSnapshot): void {
    if (snapshot.game.case !== "cheat") return;
    const game = snapshot.game.value;
    this.#hand = Cards.from(game.hand);
    for (const { seat, rank, count, laid, ownCards, abandoned } of game.pile) {
      this.#onPile.add(seat);
      this.#knownOf(seat).add(Cards.from(ownCards));
      if (!abandoned) this.#last = { seat, rank, count, isFalse: laid !== undefined && laid !== count };
    }
  }

  hear(fact: Event["fact"]): void {
    switch (fact.case) {
      case "gameStarted":
        this.#begin(fact.value.entrants);
        break;
      case "cheatHand":
        this.#hand = Cards.from(fact.value.cards);
        break;
      case "cheatLaid": {
        const cards = Cards.from(fact.value.cards);
        this.#hand.remove(cards);
        this.#knownOf(this.#seat).add(cards);
        break;
      }
      case "cheatPlayed": {
        const { seat, rank, count, laid, cards } = fact.value;
        this.#last = { seat, rank, count, isFalse: laid !== undefined && laid !== count };
        if (count > 0) this.#onPile.add(seat);
        if (seat !== this.#seat) this.#knownOf(seat).raise(Cards.from(cards));
        break;
      }
      case "cheatCalled": {
        const { accused, taker, shown, rest } = fact.value;
        this.#takePile(taker);
        this.#see(taker, shown, rest);
        this.#lastCall = { accused, taker };
        break;
      }
      case "cheatShown":
        this.#see(this.#lastCall.taker, fact.value.cards);
        break;
      case "cheatTaken":
        this.#hand.add(Cards.from(fact.value.cards));
        break;
      case "cheatBelieved":
        if (fact.value.right) this.#banishPile();
        else {
          this.#takePile(fact.value.believer);
          this.#see(fact.value.believer, fact.value.shown, fact.value.rest);
        }
        break;
      case "cheatHandChecked":
        if (!fact.value.trueClaim) this.#takePile(fact.value.seat);
        break;
      case "cheatBanished":
        this.#banishPile();
        break;
      case "cheatLeft":
        this.#onPile.add(fact.value.seat);
        break;
    }
  }

  answer(options: Prompt["options"]): Action | undefined {
    const value = this.#choose(options);
    return value && { case: "cheat", value };
  }

  #choose(options: Prompt["options"]): CheatAction | undefined {
    switch (options.case) {
      case "cheatTurn": {
        const { canCall, canBelieve } = options.value;
        const kind = this.#judge(canCall, canBelieve);
        return kind === Kind.DECLINE ? this.move(options.value) : { kind };
      }
      case "cheatWindow":
        return { kind: this.#judge(true, options.value.canBelieve) };
      case "cheatCut":
        return { kind: Kind.CUT, sizes: cutEvenly(options.value.cardCount, options.value.packetCount) };
      case "cheatChoose": {
        const { sizes, free } = options.value;
        const packet = [...free].sort((a, b) => (sizes[a] ?? 0) - (sizes[b] ?? 0) || a - b)[0] ?? 0;
        return { kind: Kind.CHOOSE, packet };
      }
      default:
        return undefined;
    }
  }

  /** Whether the last claim names more cards than there can be of its rank, jokers included. */
  isImpossible(): boolean {
    const { seat, rank, count, isFalse } = this.#last;
    const decks = this.rules.decks || (this.#known.length <= 4 ? 1 : 2);
    const others = this.#known.filter((_, other) => other !== seat);
    const elsewhere = [this.#hand, this.#gone, ...others].reduce((sum, cards) => sum + cards.fitting(rank), 0);
    return isFalse || count + elsewhere > (4 + this.rules.jokersPerDeck) * decks;
  }

  /** Returns the move of a turn: the largest true play, else a pass, else the smallest lie. */
  move(turn: CheatTurn): CheatAction {
    return this.#largestTruth(turn) ?? (turn.canPass ? { kind: Kind.PASS } : this.#smallestLie(turn));
  }

  /** Calls a claim that cannot be true, and believes one that cannot be false: that of no cards. */
  #judge(canCall: boolean, canBelieve: boolean): Kind {
    if (canCall && this.isImpossible()) return Kind.CALL;
    return canBelieve && this.#last.count === 0 ? Kind.BELIEVE : Kind.DECLINE;
  }

  /** Returns the true play of the most cards, with as few jokers as possible; undefined if there is none. */
  #largestTruth(turn: CheatTurn): CheatAction | undefined {
    let best: CheatAction | undefined;
    let bestCount = 0;
    let bestNatural = 0;
    const jokers = this.#hand.count(JOKER);
    for (const rank of turn.ranks) {
      const natural = this.#hand.natural(rank);
      const most = natural > 0 || !turn.faceUp || jokers === this.#hand.size ? natural + jokers : 0;
      const count = largestCount(turn.counts, most);
      if (count > bestCount || (count === bestCount && Math.min(natural, count) > bestNatural)) {
        best = play(this.#hand.listFitting(rank).slice(0, count), rank, count);
        bestCount = count;
        bestNatural = Math.min(natural, count);
      }
    }
    return best;
  }

  /**
   * Claims the rank of which this bot holds most, since others cannot hold many of it. Lays single cards first, and
   * jokers last.
   */
  #smallestLie(turn: CheatTurn): CheatAction {
    const hand = this.#hand;
    const [firstRank = 0] = turn.ranks;
    const [count] = turn.counts;
    if (count === undefined) return play([], firstRank, 0);
    const rank = turn.ranks.reduce((best, each) => (hand.natural(each) > hand.natural(best) ? each : best), firstRank);
    const [least = count, most = count] = turn.laid;
    const use = (card: number) => (card === JOKER ? 2e9 : card >> 2 === rank ? 1e9 : hand.natural(card >> 2));
    const cards = hand.list().sort((a, b) => use(a) - use(b));
    return play(cards.slice(0, Math.min(Math.max(count, least), most)), rank, count);
  }

  #begin(entrants: Uint8Array): void {
    this.#seat = entrants.indexOf(this.entrant);
    this.#hand = new Cards();
    this.#known = Array.from(entrants, () => new Cards());
    this.#onPile.clear();
    this.#gone = new Cards();
  }

  #knownOf(seat: number): Cards {
    const known = this.#known[seat];
    if (!known) throw new RangeError(`there is no seat ${seat}`);
    return known;
  }

  /** Notes that a seat takes all cards of the pile. What a third seat laid may be in either hand now. */
  #takePile(taker: number): void {
    const mine = this.#knownOf(this.#seat);
    for (const seat of this.#onPile) if (seat !== taker) this.#known[seat] = new Cards();
    this.#known[this.#seat] = new Cards();
    this.#onPile.clear();
    if (taker !== this.#seat) this.#knownOf(taker).add(mine);
  }

  /** Notes that cards were shown that a seat took. */
  #see(taker: number, ...shown: (CheatCards | undefined)[]): void {
    if (taker === this.#seat) return; // they are in this bot's hand
    for (const cards of shown) this.#knownOf(taker).raise(Cards.from(cards));
  }

  /** Notes that the cards of the pile are out of the game. What others laid may also be in their hands. */
  #banishPile(): void {
    this.#gone.add(this.#knownOf(this.#seat));
    this.#known[this.#seat] = new Cards();
    this.#onPile.clear();
  }
}

function play(cards: number[], rank: number, count: number): CheatAction {
  return { kind: Kind.PLAY, cards: Uint8Array.from(cards), rank, count };
}

/** Returns the largest number of the ranges (pairs of first and last) that is at most `most`; 0 if none is. */
function largestCount(ranges: number[], most: number): number {
  let largest = 0;
  for (let i = 0; i < ranges.length; i += 2) {
    const [first = 0, last = 0] = ranges.slice(i, i + 2);
    if (first <= most) largest = Math.max(largest, Math.min(last, most));
  }
  return largest;
}

function cutEvenly(cards: number, packets: number): number[] {
  return Array.from({ length: packets }, (_, i) => Math.floor(cards / packets) + (i < cards % packets ? 1 : 0));
}
