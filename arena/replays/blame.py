"""Explains strikes to a bot's author: the question, the answer, where the time went, and the cause.

Each description is a predicate that can follow a bot's name. What is unknown is stated as unknown.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from arena.errors import ArenaError
from arena.match.facts import StrikeKind
from arena.match.strike_record import (
    Conditions,
    Culprit,
    StrikeRecord,
    core_wait_of,
    culprit_of,
    exceeds_host_share,
    is_stopped,
    response_times_of,
)
from arena.plain_data import to_plain
from arena.replays.narration_lines import NarrationLine
from arena.replays.phrasing import Phrasing
from arena.replays.text_format import REFUSALS, format_count, format_duration
from arena.rules.game import Game

_BUSY: Final = 2
"""A process counts as busy if it ran on a core for at least one part in this many of the time."""
_TO_BLAME: Final = {
    None: "nobody can tell whose fault it was",
    Culprit.BOT: "the bot's own fault",
    Culprit.HOST: "the host's fault, which took more than a tenth of the time",
    Culprit.WIRE: "the wire's fault: half of the time and more went by on the way",
    Culprit.CONNECTION: "it was not connected",
}


def explain_strike(fault: StrikeRecord, game: Game, voice: Phrasing) -> str:
    """Return what happened and who is to blame for it."""
    text = describe_strike(fault, game, voice)
    return text if fault.kind is StrikeKind.GONE else f"{text}. {explain_blame(fault)}"


def describe_strike(fault: StrikeRecord, game: Game, voice: Phrasing) -> str:
    """Return the question and the answer in words."""
    question = f"the question {fault.prompt.replace('_', ' ')!r}" if fault.prompt else "no question that is remembered"
    within = "" if fault.allowed_us is None else f" within {format_duration(fault.allowed_us)}"
    after = "" if fault.came_us is None else f" after {format_duration(fault.came_us)}"
    came = f": it {_action_text(fault.action, game, voice)}" if fault.action else ""
    match fault.kind:
        case StrikeKind.MISSING if not fault.prompt:
            return "did not tell the entropy that it had promised"
        case StrikeKind.MISSING:
            instead = "nothing was done for it"
            if fault.automatic:
                instead = f"the automatic move was made for it: it {_action_text(fault.automatic, game, voice)}"
            return f"gave no answer to {question}{within}; {instead}"
        case StrikeKind.LATE:
            late = (
                ""
                if fault.allowed_us is None
                else f", {format_duration((fault.came_us or 0) - fault.allowed_us)} too late"
            )
            return f"answered {question}{after} instead of{within}{late}{came}"
        case StrikeKind.ILLEGAL:
            refusal = REFUSALS.get(fault.reason) or voice.describe_reason(fault.reason) or "it is refused"
            return f"answered {question}{after}{came or ' with what cannot be read'}; {refusal} ({fault.reason})"
        case StrikeKind.GONE:
            return "is gone for the rest of the match"


def explain_blame(fault: StrikeRecord) -> str:
    """Return the cause of a strike in words, with the evidence."""
    culprit = culprit_of(fault)
    to_blame = _TO_BLAME[culprit]
    if fault.kind is StrikeKind.ILLEGAL:
        return f"{_capitalize(to_blame)}: at no time would this have counted."
    reasons = "; ".join(_reasons(fault, culprit))
    return f"{_capitalize(to_blame)}{': ' if reasons and ':' not in to_blame else '; ' if reasons else ''}{reasons}."


def annotate_blame(lines: Iterable[NarrationLine], faults: Iterable[StrikeRecord]) -> Iterator[NarrationLine]:
    """Add the cause of each strike, from the node's stored observations, to the lines of a narration."""
    by_prompt: defaultdict[tuple[int, int, str], list[StrikeRecord]] = defaultdict(list)
    for fault in faults:
        by_prompt[fault.entrant, fault.prompt_id, fault.kind.value].append(fault)
    for line in lines:
        facts = line.facts
        known = by_prompt.get((facts["entrant"], facts["prompt_id"], facts["fault"])) if line.kind == "fault" else None
        if not known or (fault := known.pop(0)).kind is StrikeKind.GONE:
            yield line
            continue
        rows = [*line.rows, ("blame", explain_blame(fault))]
        yield replace(line, rows=rows, facts={**facts, "blame": to_plain(fault)})


def _action_text(text: str, game: Game, voice: Phrasing) -> str:
    try:
        return voice.describe_action(game.read_action(text))
    except ArenaError:  # the text was written under another version of the rules
        return f"answers {text}"


def _reasons(fault: StrikeRecord, culprit: Culprit | None) -> Iterator[str]:
    seen = fault.conditions
    if seen is None:
        yield "what the node saw then was not kept"
        return
    if culprit is Culprit.HOST:
        yield from _host_reasons(fault, seen)
    if culprit is Culprit.WIRE and seen.round_trip_us is not None:
        yield f"the shortest way there and back takes {format_duration(seen.round_trip_us)}"
    yield from _queue_reasons(fault, seen)
    yield from _process_reasons(fault, seen)


def _host_reasons(fault: StrikeRecord, seen: Conditions) -> Iterator[str]:
    if exceeds_host_share(seen.loop_lag_us, fault):
        yield f"the node did not look at its streams for up to {format_duration(seen.loop_lag_us)}"
    if exceeds_host_share(seen.sending_us, fault):
        yield f"messages to the bot waited up to {format_duration(seen.sending_us)} to leave"
    if (waited := core_wait_of(fault)) is not None and exceeds_host_share(waited, fault):
        yield f"the bot waited {format_duration(waited)} for a core"


def _queue_reasons(fault: StrikeRecord, seen: Conditions) -> Iterator[str]:
    if not seen.is_connected:
        return
    queue, others = response_times_of(fault).queue_us, seen.open_count
    others_text = f", and had {format_count(others, 'question')} of other games open" if others else ""
    if queue:
        yield f"it answered other questions until {format_duration(queue)} after this one{others_text}"
    else:
        yield f"nothing else came from it meanwhile{others_text}"


def _process_reasons(fault: StrikeRecord, seen: Conditions) -> Iterator[str]:
    process = seen.process
    if process is None:
        yield "what its process did is not known: it runs elsewhere, or the system does not tell"
    elif is_stopped(fault):
        yield "its process was stopped, by a signal from outside"
    elif process.span_us:
        how = "was busy" if _BUSY * process.ran_us >= process.span_us else "mostly waited for something"
        spent = f"a core for {format_duration(process.ran_us)} of the last {format_duration(process.span_us)}"
        yield f"its process {how}: it had {spent}"


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]
