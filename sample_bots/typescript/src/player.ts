import { Cheat } from "./cheat.js";
import { Cheater } from "./cheater.js";
import { NoAnswerCause, type Prompt } from "./gen/cheatarena/v1/decision_pb.js";
import type { Event } from "./gen/cheatarena/v1/event_pb.js";
import type { MatchTerms } from "./gen/cheatarena/v1/ruleset_pb.js";
import type { SeatSnapshot } from "./gen/cheatarena/v1/snapshot_pb.js";
import type { Decision, Question } from "./seat.js";

export type Action = NonNullable<Decision["action"]>;

/** Knows one game of a match from its facts, and answers its prompts. */
export interface Player {
  restore(snapshot: SeatSnapshot): void;
  hear(fact: Event["fact"]): void;
  answer(options: Prompt["options"]): Action | undefined;
}

const MAX_TEXT_LENGTH = 50; // characters; a cause may have 200 bytes

/** Returns the strategy for the game of a match. */
export function newPlayer(terms: MatchTerms | undefined, entrant: number): Player {
  const rules = terms?.ruleset?.game;
  return rules?.case === "cheat" ? new Cheat(rules.value, entrant) : new Cheater(entrant);
}

/** Returns the player's answer. If there is none, says so, so that nobody waits. */
export function decide(player: Player | undefined, { prompt, isRefused }: Question): Action {
  if (isRefused) return noAnswer(NoAnswerCause.GAVE_UP, "the answer was refused"); // the next would be the same
  try {
    return player?.answer(prompt.options) ?? noAnswer(NoAnswerCause.EMPTY, "this bot does not know such a prompt");
  } catch (error) {
    console.error(`prompt ${prompt.id}:`, error);
    return noAnswer(NoAnswerCause.CRASHED, String(error).slice(0, MAX_TEXT_LENGTH));
  }
}

function noAnswer(cause: NoAnswerCause, text: string): Action {
  return { case: "noAnswer", value: { cause, text } };
}
