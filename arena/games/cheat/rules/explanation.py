"""The rules of a ruleset in plain sentences, each with the options that cause it (spec A2 to A10)."""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from arena.games.cheat.rules.ruleset import (
    AfterCall,
    CallerPriority,
    CallMode,
    CheckMode,
    CountStep,
    DealMode,
    ExhaustedLeader,
    ExtraCards,
    FirstMover,
    Objective,
    Passing,
    RankMode,
    RankStart,
    RankStep,
    Ruleset,
)
from arena.match.options import explain_player_limits
from arena.plurals import format_count

Sentence: TypeAlias = tuple[str, tuple[str, ...]]
"""A sentence, and the names of the options on which it depends."""


def explain_rules(rules: Ruleset) -> Iterator[Sentence]:
    """Yield the rules in the order in which a game needs them."""
    yield from _explain_cards(rules)
    yield from _explain_ranks(rules)
    yield from _explain_counts(rules)
    yield from _explain_turns(rules)
    yield from _explain_calls(rules)
    yield from _explain_ends(rules)


def _explain_cards(rules: Ruleset) -> Iterator[Sentence]:
    yield explain_player_limits(rules.players_min, rules.players_max), ("players_min", "players_max")
    packs = "one pack up to four seats and two above"
    if rules.decks is not None:
        packs = f"{format_count(rules.decks, 'pack')} of 52 cards"
    jokers = f"{rules.jokers_per_deck} jokers a pack, which fit every claim" if rules.jokers_per_deck else "no jokers"
    yield f"The deck is {packs}, with {jokers}.", ("decks", "jokers_per_deck")
    yield _DEALS[rules.deal], ("deal",)
    if rules.deal is DealMode.ROUND_ROBIN:
        yield _EXTRAS[rules.extra_cards_to], ("extra_cards_to",)
    yield _FIRST[rules.first_mover], ("first_mover",)
    sizes = "Everybody sees" if rules.sizes_visible else "Nobody sees"
    yield f"{sizes} how many cards are in the hands and the pile.", ("sizes_visible",)


def _explain_ranks(rules: Ruleset) -> Iterator[Sentence]:
    if rules.rank_mode is RankMode.ROTATION:
        yield (
            "The first claim is ace, each next one is a rank higher, and ace follows king, whatever else happens.",
            ("rank_mode",),
        )
        return
    yield f"A trick starts with {_join_words([_STARTS[each] for each in rules.rank_start])}.", ("rank_start",)
    steps = _join_words([_STEPS[each] for each in rules.rank_next])
    yield f"Each next claim is {steps}." if steps else "Every trick is a single move.", ("rank_next",)


def _explain_counts(rules: Ruleset) -> Iterator[Sentence]:
    if rules.min_count == rules.max_count:
        counts = f"exactly {format_count(rules.min_count, 'card')}"
    elif rules.max_count is None:
        counts = f"{rules.min_count} or more cards, at most all cards that one rank can have, jokers included"
    else:
        counts = f"{rules.min_count} or more cards, at most {format_count(rules.max_count, 'card')}"
    yield f"A claim names {counts}.", ("min_count", "max_count")
    if rules.rank_mode is RankMode.STEP:
        yield f"Inside a trick it names {_join_words([_COUNTS[each] for each in rules.count])}.", ("count",)
    if rules.count_lies:
        yield "The number may be a lie too: a seat may lay more or fewer cards than it claims.", ("count_lies",)
    if rules.opening_face_up:
        yield "The first move of a trick is laid face up and must be true; it cannot be called.", ("opening_face_up",)


def _explain_turns(rules: Ruleset) -> Iterator[Sentence]:
    yield _PASSES[rules.passing], ("passing",)
    yield _LEADERS[rules.exhausted_leader], ("exhausted_leader",)
    if rules.banish_on_new_trick:
        yield (
            "When a new trick is due and nobody may call any more, the pile is removed from the game.",
            ("banish_on_new_trick",),
        )


def _explain_calls(rules: Ruleset) -> Iterator[Sentence]:
    if rules.call_mode is CallMode.TURN_ACTION:
        callers = "On its turn a seat may call the last move instead of playing."
    elif rules.any_caller:
        callers = "Every seat may call a move."
    else:
        callers = "Only the seat to move may call the move before it."
    yield callers, ("call_mode", "any_caller")
    if rules.any_caller:
        yield _PRIORITIES[rules.caller_priority], ("caller_priority",)
    yield "If the called move was a lie, the liar takes the pile; if it was true, the caller takes it.", ()
    yield _CHECKS[rules.check], ("check",)
    if rules.believe:
        yield (
            "A move may be believed too: if it was true, the pile leaves the game; if not, the believer takes it.",
            ("believe",),
        )
    for word, fresh, after, names in (
        ("right", rules.success_new_trick, rules.success_next, ("success_new_trick", "success_next")),
        ("wrong", rules.failure_new_trick, rules.failure_next, ("failure_new_trick", "failure_next")),
    ):
        trick = "a new trick starts" if fresh else "the trick goes on"
        yield f"After a {word} call {trick}, and {_AFTER[after]}.", names


def _explain_ends(rules: Ruleset) -> Iterator[Sentence]:
    if rules.honest_win:
        yield (
            "A move that empties a hand is checked at once: if it was true the seat is out, a liar takes the pile.",
            ("honest_win",),
        )
    yield _OBJECTIVES[rules.objective], ("objective",)
    turns = "1 move or pass" if rules.max_turns == 1 else f"{rules.max_turns} moves and passes"
    if rules.win_resets_trick:
        yield "After a win the next seat starts a new trick.", ("win_resets_trick",)
    yield (
        f"After {turns} the game stops and the fewest cards take the best place.",
        ("max_turns",),
    )


def _join_words(words: list[str]) -> str:
    """Join alternatives as in a sentence: `a, b or c`."""
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


_DEALS: Mapping[DealMode, str] = {
    DealMode.ROUND_ROBIN: "All cards are dealt, one at a time.",
    DealMode.CUT_AND_CHOOSE: "The dealer cuts the deck into packets, the others choose, the dealer keeps the last one.",
}
_EXTRAS: Mapping[ExtraCards, str] = {
    ExtraCards.FIRST_DEALT: "If they do not divide evenly, the first seats get one more card.",
    ExtraCards.LAST_DEALT: "If they do not divide evenly, the dealer and the seats before it get one more card.",
}
_FIRST: Mapping[FirstMover, str] = {
    FirstMover.RANDOM: "A random seat begins.",
    FirstMover.FIRST_SEAT: "Seat 0 begins.",
    FirstMover.LEFT_OF_DEALER: "The seat after the dealer begins; the deal rotates.",
}
_STARTS: Mapping[RankStart, str] = {RankStart.ACE: "ace", RankStart.OTHERS: "two to queen", RankStart.KING: "king"}
_STEPS: Mapping[RankStep, str] = {
    RankStep.SAME: "the same rank",
    RankStep.UP1: "one up",
    RankStep.UP1_WRAP: "ace after king",
    RankStep.DOWN1: "one down",
    RankStep.DOWN1_WRAP: "king after ace",
    RankStep.UP2: "two up",
    RankStep.UP2_WRAP: "two up past king",
    RankStep.DOWN2: "two down",
    RankStep.DOWN2_WRAP: "two down past ace",
    RankStep.OTHERS: "any rank three or more away",
}
_COUNTS: Mapping[CountStep, str] = {
    CountStep.SAME: "as many as before",
    CountStep.MORE: "more",
    CountStep.LESS: "fewer",
    CountStep.ZERO: "none at all",
}
_PASSES: Mapping[Passing, str] = {
    Passing.FORCED: "Nobody may pass.",
    Passing.PASS_TURN: "A seat may pass for a turn; when all others have passed, the last mover starts a new trick.",
    Passing.PASS_TRICK: "A seat may pass for the rest of the trick.",
    Passing.SINGLE_TURN: "Each seat moves once a trick; nobody may pass.",
}
_LEADERS: Mapping[ExhaustedLeader, str] = {
    ExhaustedLeader.LAST_MOVER: "When no claim can follow, the last mover starts a new trick.",
    ExhaustedLeader.NEXT_PLAYER: "When no claim can follow, the next seat starts a new trick.",
}
_PRIORITIES: Mapping[CallerPriority, str] = {
    CallerPriority.FIRST: "In the live style the first call counts, in the sealed style the one nearest clockwise.",
    CallerPriority.NEAREST_CLOCKWISE: "If several seats call, the one nearest clockwise from the mover counts.",
}
_CHECKS: Mapping[CheckMode, str] = {
    CheckMode.ARBITER: "A call shows nothing but the verdict.",
    CheckMode.CALLER: "A call shows the called cards to the caller alone.",
    CheckMode.PUBLIC: "A call shows the called cards to everybody.",
    CheckMode.PUBLIC_PLUS: "A call shows the called cards and the rest of the pile to everybody.",
}
_AFTER: Mapping[AfterCall, str] = {
    AfterCall.NO_CHANGE: "the turn order does not change",
    AfterCall.CHALLENGED: "the seat that was called moves",
    AfterCall.AFTER_CALLER: "the seat after the caller moves",
    AfterCall.CALLER: "the caller moves",
}
_OBJECTIVES: Mapping[Objective, str] = {
    Objective.PLACES: "A seat without cards takes the best free place; the game goes on until one seat is left.",
    Objective.FIRST_OUT_WINS: "The first seat without cards wins, and the game is over.",
    Objective.LAST_IN_LOSES: "The last seat with cards loses.",
}
