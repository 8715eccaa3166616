"""Faults explained to their author: what was asked, what came, where the time went, and whose fault it was.

Every sentence stands behind a bot's name, or may. Of what is not known it says so.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from arena.errors import ArenaError
from arena.match.facts import FaultKind
from arena.match.fault import Conditions, Culprit, Fault, core_wait_of, culprit_of, is_stopped, is_too_much, times_of
from arena.replays.lines import Line
from arena.replays.voice import Voice
from arena.replays.words import REFUSALS, counted, duration
from arena.rules.game import Game

_BUSY: Final = 2
"""A process that ran for at least this part of the time was thinking."""
_TO_BLAME: Final = {
    None: "nobody can tell whose fault it was",
    Culprit.BOT: "the bot's own fault",
    Culprit.HOST: "the host's fault, which took more than a tenth of the time",
    Culprit.WIRE: "the wire's fault: half of the time and more went by on the way",
    Culprit.CONNECTION: "it was not connected",
}


def explained(fault: Fault, game: Game, voice: Voice) -> str:
    """Say what happened, and why as far as that is known."""
    told = what_happened(fault, game, voice)
    return told if fault.kind is FaultKind.GONE else f"{told}. {why(fault)}"


def what_happened(fault: Fault, game: Game, voice: Voice) -> str:
    """Say what was asked and what came."""
    asked = f"the question {fault.prompt.replace('_', ' ')!r}" if fault.prompt else "no question that is remembered"
    within = "" if fault.allowed_us is None else f" within {duration(fault.allowed_us)}"
    after = "" if fault.came_us is None else f" after {duration(fault.came_us)}"
    came = f": it {_action(fault.action, game, voice)}" if fault.action else ""
    match fault.kind:
        case FaultKind.MISSING if not fault.prompt:
            return "did not tell the entropy that it had promised"
        case FaultKind.MISSING:
            instead = "nothing was done for it"
            if fault.automatic:
                instead = f"the automatic move was made for it: it {_action(fault.automatic, game, voice)}"
            return f"gave no answer to {asked}{within}; {instead}"
        case FaultKind.LATE:
            late = "" if fault.allowed_us is None else f", {duration((fault.came_us or 0) - fault.allowed_us)} too late"
            return f"answered {asked}{after} instead of{within}{late}{came}"
        case FaultKind.ILLEGAL:
            refusal = REFUSALS.get(fault.reason) or voice.reason(fault.reason) or "it is refused"
            return f"answered {asked}{after}{came or ' with what cannot be read'}; {refusal} ({fault.reason})"
        case FaultKind.GONE:
            return "is gone for the rest of the match"


def why(fault: Fault) -> str:
    """Say whose fault it was, with what speaks for that."""
    culprit = culprit_of(fault)
    to_blame = _TO_BLAME[culprit]
    if fault.kind is FaultKind.ILLEGAL:
        return f"{_capital(to_blame)}: at no time would this have counted."
    reasons = "; ".join(_reasons(fault, culprit))
    return f"{_capital(to_blame)}{': ' if reasons and ':' not in to_blame else '; ' if reasons else ''}{reasons}."


def blamed(lines: Iterable[Line], faults: Iterable[Fault]) -> Iterator[Line]:
    """Add to the faults of a telling what the node has seen of each, where that was kept."""
    kept: defaultdict[tuple[int, int, str], list[Fault]] = defaultdict(list)
    for fault in faults:
        kept[fault.entrant, fault.prompt_id, fault.kind.value].append(fault)
    for line in lines:
        facts = line.facts
        known = kept.get((facts["entrant"], facts["prompt_id"], facts["fault"])) if line.kind == "fault" else None
        if not known or (fault := known.pop(0)).kind is FaultKind.GONE:
            yield line
            continue
        rows = [*line.rows, ("blame", why(fault))]
        yield replace(line, rows=rows, facts={**facts, "blame": fault.plain()})


def _action(text: str, game: Game, voice: Voice) -> str:
    try:
        return voice.action(game.read_action(text))
    except ArenaError:  # it was written by other rules
        return f"answers {text}"


def _reasons(fault: Fault, culprit: Culprit | None) -> Iterator[str]:
    seen = fault.conditions
    if seen is None:
        yield "what the node saw then was not kept"
        return
    if culprit is Culprit.HOST:
        yield from _host(fault, seen)
    if culprit is Culprit.WIRE and seen.round_trip_us is not None:
        yield f"the shortest way there and back takes {duration(seen.round_trip_us)}"
    yield from _queue(fault, seen)
    yield from _process(fault, seen)


def _host(fault: Fault, seen: Conditions) -> Iterator[str]:
    if is_too_much(seen.loop_lag_us, fault):
        yield f"the node did not look at its streams for up to {duration(seen.loop_lag_us)}"
    if is_too_much(seen.sending_us, fault):
        yield f"messages to the bot waited up to {duration(seen.sending_us)} to leave"
    if (waited := core_wait_of(fault)) is not None and is_too_much(waited, fault):
        yield f"the bot waited {duration(waited)} for a core"


def _queue(fault: Fault, seen: Conditions) -> Iterator[str]:
    if not seen.is_connected:
        return
    queue, others = times_of(fault).queue_us, seen.open_count
    left = f", and had {counted(others, 'question')} of other games open" if others else ""
    if queue:
        yield f"it answered other questions until {duration(queue)} after this one{left}"
    else:
        yield f"nothing else came from it meanwhile{left}"


def _process(fault: Fault, seen: Conditions) -> Iterator[str]:
    process = seen.process
    if process is None:
        yield "what its process did is not known: it runs elsewhere, or the system does not tell"
    elif is_stopped(fault):
        yield "its process was stopped, by a signal from outside"
    elif process.span_us:
        how = "was busy" if _BUSY * process.ran_us >= process.span_us else "mostly waited for something"
        spent = f"a core for {duration(process.ran_us)} of the last {duration(process.span_us)}"
        yield f"its process {how}: it had {spent}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
