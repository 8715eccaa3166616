"""Describes ledger entries in words for people."""

from collections.abc import Mapping

from arena.competition.league.ports import VOID, LedgerEntry
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.organizer.play.attendance import ABSENT
from arena.plurals import format_count
from arena.replays.narration.text_format import format_rough_duration, join_words


def describe_ledger_entry(act: LedgerEntry, bots: Mapping[str, BotEntrant]) -> str:
    """Return a sentence that says what happened; empty if the entry means nothing to people who watch."""
    if what := describe_bot_outcome(act, bots):
        return f"{act.values['name']} {what}: {act.values['how']}"
    if act.kind == ABSENT:
        names, verb = join_words(act.values["names"]), "forfeits" if len(act.values["names"]) == 1 else "forfeit"
        when = f"at the close of round {act.values['round']}"
        if "waited_s" in act.values:  # a league without dates
            when = f"for {format_rough_duration(act.values['waited_s'])} in which nothing else could be played"
        return f"{names} {verb} block {act.values['block']}, absent {when}"
    if act.kind == VOID:
        return f"block {act.values['block']} is void and is played again: {act.values['reason']}"
    return ""


def describe_bot_outcome(act: LedgerEntry, bots: Mapping[str, BotEntrant]) -> str:
    """Return what became of a bot, as a phrase that follows its name; empty if the entry is of another kind."""
    if act.kind == "away":
        return "forfeits from here on"
    if act.kind != "restarted":
        return ""
    which = f"{act.values.get('time', '?')} of {format_count(act.values.get('of', '?'), 'time')}"
    if "window" in act.values:  # entries of older leagues count over the whole league
        which += f" in {format_count(act.values['window'], 'game')}"
    which += ", then it forfeits"
    if bots[act.values["name"]].is_remote:
        return f"is not there and is waited for again ({which})"
    return f"ended by itself or did not start, and is started again when it is needed ({which})"
