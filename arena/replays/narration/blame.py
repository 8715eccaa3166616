"""Explains strikes to a bot's author: the question, the answer, where the time went, and the cause.

Each description is a predicate that can follow a bot's name. If something is unknown, the description says so.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from arena.errors import ArenaError
from arena.match.game import Game
from arena.match.referee.facts import NoAnswerCause, StrikeKind
from arena.match.referee.strike_record import (
    THROTTLED_STATE,
    Conditions,
    Culprit,
    ProcessTimes,
    StrikeRecord,
    core_wait_of,
    culprit_of,
    exceeds_host_share,
    is_stopped,
    response_times_of,
    strike_to_plain,
)
from arena.plain_data import from_plain
from arena.plurals import format_count
from arena.replays.narration.move_numbers import shown_turn
from arena.replays.narration.phrasing import Phrasing
from arena.replays.narration.strike_text import describe_refusal
from arena.replays.narration.text_format import escape_unprintable, format_duration
from arena.server.wire.narration_line import NarrationLine

_BUSY: Final = 2
"""A process counts as busy if it ran on a core for at least 1 / `_BUSY` of the time, which means half of it."""
_TO_BLAME: Final = {
    None: "nobody can tell whose fault it was",
    Culprit.BOT: "the bot's own fault",
    Culprit.HOST: "the host's fault, which took more than a tenth of the time",
    Culprit.WIRE: "the wire's fault: at least half of the time passed on the way",
    Culprit.CONNECTION: "it was not connected",
}

_REMEDIES: Final = {
    NoAnswerCause.CRASHED: "its log has the traceback",
    NoAnswerCause.ILLEGAL: "the server never saw the answer",
    NoAnswerCause.EMPTY: "a method that is asked must return an answer on every path",
    NoAnswerCause.GAVE_UP: "nothing was sent after that",
}


def explain_strike(
    fault: StrikeRecord, game: Game, phrasing: Phrasing, faults: Iterable[StrikeRecord] = (), stuck: str = ""
) -> str:
    """Explain a strike: what happened, and who is to blame.

    `faults` are all strikes of the match, in which earlier refused answers to the same question are looked up.
    `stuck` is passed on to `explain_blame`.
    """
    text = describe_strike(fault, game, phrasing)
    refused = [each for each in faults if _is_refusal_before(each, fault)]
    if refused:
        count = "its answer was" if len(refused) == 1 else f"{len(refused)} answers were"
        text += f"; {count} refused before, the last because {describe_refusal(refused[-1].reason, phrasing)}"
    return text if fault.kind is StrikeKind.GONE else f"{text}. {explain_blame(fault, stuck)}"


def explain_strikes(
    stored: Any, own: Collection[int], game: Game | None, phrasing_of: Callable[[Game], Phrasing]
) -> Iterator[tuple[StrikeRecord, str]]:
    """Yield the strikes of certain entrants, each with its turn as replays show it and its explanation.

    `stored` has all strikes of a match as the store keeps them. If `game` is None, its rules are unknown here, and the
    explanations are empty.
    """
    faults = from_plain(stored, tuple[StrikeRecord, ...])
    for strike in faults:
        if strike.entrant not in own:
            continue
        if game is None:
            yield strike, ""
            continue
        phrasing = phrasing_of(game)
        shown = replace(strike, turn=shown_turn(strike.prompt, strike.turn, phrasing))
        yield shown, explain_strike(strike, game, phrasing, faults)


def _is_refusal_before(other: StrikeRecord, fault: StrikeRecord) -> bool:
    """Return whether a strike is for a refused answer to the question of another strike."""
    is_refusal = other.kind is StrikeKind.ILLEGAL and not other.no_answer
    has_no_answer = fault.kind in (StrikeKind.MISSING, StrikeKind.NO_ANSWER) and fault.prompt_id
    return bool(is_refusal and has_no_answer and (other.entrant, other.prompt_id) == (fault.entrant, fault.prompt_id))


def describe_strike(fault: StrikeRecord, game: Game, phrasing: Phrasing) -> str:
    """Return the question and the answer in words."""
    question = f"the question {fault.prompt.replace('_', ' ')!r}" if fault.prompt else "no question that is remembered"
    within = "" if fault.allowed_us is None else f" within {format_duration(fault.allowed_us)}"
    after = "" if fault.came_us is None else f" after {format_duration(fault.came_us)}"
    came = f": it {_action_text(fault.action, game, phrasing)}" if fault.action else ""
    instead = "nothing was done for it"
    if fault.automatic:
        instead = f"the automatic move was made for it: it {_action_text(fault.automatic, game, phrasing)}"
    if fault.no_answer:
        return f"said{after} that it has no answer to {question}: {_why_no_answer(fault, phrasing)}; {instead}"
    match fault.kind:
        case StrikeKind.MISSING if not fault.prompt:
            return "did not reveal the entropy that it had promised"
        case StrikeKind.MISSING:
            return f"gave no answer to {question}{within}; {instead}"
        case StrikeKind.LATE:
            late = (
                ""
                if fault.allowed_us is None
                else f", {format_duration((fault.came_us or 0) - fault.allowed_us)} too late"
            )
            return f"answered {question}{after} instead of{within}{late}{came}"
        case StrikeKind.ILLEGAL:
            refusal = describe_refusal(fault.reason, phrasing)
            return f"answered {question}{after}{came or ' with what cannot be read'}; {refusal} ({fault.reason})"
        case StrikeKind.CRASHED | StrikeKind.NO_ANSWER:
            return f"has no answer to {question}; {instead}"
        case StrikeKind.GONE:
            return "is gone for the rest of the match"


def _why_no_answer(fault: StrikeRecord, phrasing: Phrasing) -> str:
    """Return the cause that the bot gave, in the author's words if there are any."""
    told = f": {escape_unprintable(fault.words)}" if fault.words else ""
    match NoAnswerCause(fault.no_answer):
        case NoAnswerCause.CRASHED:
            return f"its code raised an exception{told}"
        case NoAnswerCause.ILLEGAL:
            return f"its own client did not send the answer, since {describe_refusal(fault.reason, phrasing)}{told}"
        case NoAnswerCause.EMPTY:
            return f"its code returned no answer{told}"
        case NoAnswerCause.GAVE_UP:
            return f"it gave up{told}"


def explain_blame(fault: StrikeRecord, stuck: str = "") -> str:
    """Return the cause of a strike and the evidence for it, in words.

    `stuck` is what the bot's own log says about a question without an answer: the method that had not returned at the
    deadline, and where it was; empty if the log says nothing. It comes first, before what the node saw, and the bot is
    to blame, because its code still ran when the time was over.
    """
    culprit = culprit_of(fault)
    if stuck and fault.kind is StrikeKind.MISSING:
        after = "at the deadline" if fault.allowed_us is None else f"after {format_duration(fault.allowed_us)}"
        method, _, place = stuck.partition(" ")
        told = [f"{method} had not returned {after}; it was {place}", *_evidence(fault, culprit)]
        return f"{_capitalize(_TO_BLAME[Culprit.BOT])}: {'; '.join(told)}."
    to_blame = _TO_BLAME[culprit]
    if fault.no_answer:
        return f"{_capitalize(to_blame)}: {_REMEDIES[NoAnswerCause(fault.no_answer)]}."
    if fault.kind is StrikeKind.ILLEGAL:
        return f"{_capitalize(to_blame)}: this would never have counted."
    evidence = "; ".join(_evidence(fault, culprit))
    separator = "; " if ":" in to_blame else ": "
    return f"{_capitalize(to_blame)}{separator if evidence else ''}{evidence}."


def annotate_blame(lines: Iterable[NarrationLine], faults: Iterable[StrikeRecord]) -> Iterator[NarrationLine]:
    """Add the cause of each strike to its line in a narration. The causes follow from the node's stored records."""
    by_prompt: defaultdict[tuple[int, int, str], list[StrikeRecord]] = defaultdict(list)
    for fault in faults:
        by_prompt[fault.entrant, fault.prompt_id, fault.kind.value].append(fault)
    for line in lines:
        data = line.data
        known = by_prompt.get((data["entrant"], data["prompt_id"], data["fault"])) if line.kind == "fault" else None
        if not known or (fault := known.pop(0)).kind is StrikeKind.GONE:
            yield line
            continue
        rows = [*line.rows, ("blame", explain_blame(fault))]
        yield replace(line, rows=rows, data={**data, "blame": strike_to_plain(fault)})


def _action_text(text: str, game: Game, phrasing: Phrasing) -> str:
    try:
        return phrasing.describe_action(game.read_action(text))
    except ArenaError:  # the text was written under another version of the rules
        return f"answers {text}"


def _evidence(fault: StrikeRecord, culprit: Culprit | None) -> Iterator[str]:
    conditions = fault.conditions
    if conditions is None:
        yield "what the node saw then was not kept"
        return
    if culprit is Culprit.HOST:
        yield from _host_evidence(fault, conditions)
    if culprit is Culprit.WIRE and conditions.round_trip_us is not None:
        yield f"the shortest round trip takes {format_duration(conditions.round_trip_us)}"
    if conditions.is_connected:
        others = conditions.open_count
        others_text = f", and had {format_count(others, 'question')} of other games open" if others else ""
        yield _line_evidence(fault, conditions) + others_text
    yield from _process_evidence(fault, conditions.process)


def _line_evidence(fault: StrikeRecord, conditions: Conditions) -> str:
    """Return what else came from the bot after the question."""
    if conditions.is_silent:
        return "nothing came from it any more, until its connection ended"
    if queue := response_times_of(fault).queue_us:
        return f"it answered other questions until {format_duration(queue)} after this one"
    if conditions.alive_us is not None and fault.kind is StrikeKind.MISSING:
        return f"its line worked: something came {format_duration(conditions.alive_us)} after this question"
    return f"nothing {'' if conditions.process is None else 'else '}came from it meanwhile"


def _host_evidence(fault: StrikeRecord, conditions: Conditions) -> Iterator[str]:
    if exceeds_host_share(conditions.loop_lag_us, fault):
        yield f"the node did not look at its streams for up to {format_duration(conditions.loop_lag_us)}"
    if exceeds_host_share(conditions.sending_us, fault):
        yield f"messages to the bot waited up to {format_duration(conditions.sending_us)} to leave"
    if (waited := core_wait_of(fault)) is not None and exceeds_host_share(waited, fault):
        yield f"the bot waited {format_duration(waited)} for a core"


def _process_evidence(fault: StrikeRecord, process: ProcessTimes | None) -> Iterator[str]:
    if process is None:
        yield "what its process did is unknown: it runs elsewhere, or the system does not report it"
    elif is_stopped(fault):
        yield "its process was stopped, by a signal from outside"
    elif process.span_us:
        how = "was busy" if _BUSY * process.ran_us >= process.span_us else "mostly waited for something"
        if process.state == THROTTLED_STATE:
            how = "had used up the CPU quota of its box"
        spent = f"a core for {format_duration(process.ran_us)} of the last {format_duration(process.span_us)}"
        yield f"its process {how}: it had {spent}"


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]
