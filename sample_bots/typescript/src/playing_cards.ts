import type { CheatCards } from "./gen/cheatarena/v1/cheat_pb.js";

/** A card is rank * 4 + suit, or this. */
export const JOKER = 52;

/** A set of cards of Cheat, in which each of the 53 cards may occur several times. */
export class Cards {
  readonly #counts = new Array<number>(JOKER + 1).fill(0);

  /** Reads both forms in which the server sends cards. */
  static from(message: CheatCards | undefined): Cards {
    const cards = new Cards();
    for (const card of message?.cards ?? []) cards.#change(card, 1);
    const counted = message?.counted ?? [];
    for (let i = 0; i < counted.length; i += 2) cards.#change(counted[i] ?? 0, counted[i + 1] ?? 0);
    return cards;
  }

  get size(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  count(card: number): number {
    return this.#counts[card] ?? 0;
  }

  /** Counts the cards of a rank, without jokers. */
  natural(rank: number): number {
    return this.#counts.slice(rank * 4, rank * 4 + 4).reduce((sum, count) => sum + count, 0);
  }

  /** Counts the cards that make a claim of a rank true. */
  fitting(rank: number): number {
    return this.natural(rank) + this.count(JOKER);
  }

  /** Lists the cards that make a claim of a rank true, jokers last. */
  listFitting(rank: number): number[] {
    return this.list().filter((card) => card >> 2 === rank || card === JOKER);
  }

  /** Lists all cards in ascending order. */
  list(): number[] {
    return this.#counts.flatMap((count, card) => new Array<number>(count).fill(card));
  }

  add(more: Cards): void {
    for (let card = 0; card <= JOKER; card++) this.#change(card, more.count(card));
  }

  remove(fewer: Cards): void {
    for (let card = 0; card <= JOKER; card++) this.#change(card, -fewer.count(card));
  }

  /** Makes sure that there are at least as many as in `least`. */
  raise(least: Cards): void {
    for (let card = 0; card <= JOKER; card++) this.#change(card, Math.max(0, least.count(card) - this.count(card)));
  }

  #change(card: number, by: number): void {
    this.#counts[card] = this.count(card) + by;
  }
}
