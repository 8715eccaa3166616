"""Describes the ruleset, the timing and the ledger of a league in words for people."""

from collections.abc import Mapping

from arena.competition.league.ports import VOID, LedgerEntry
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.match.game import Style
from arena.match.referee.pace import Pace, pace_settings
from arena.match.referee.terms import Terms
from arena.organizer.play.attendance import ABSENT
from arena.plurals import format_count
from arena.replays.narration.text_format import format_rough_duration, join_words


def describe_ruleset(terms: Terms) -> str:
    """Return the game, the preset, the options that differ from it, and the version of the rules."""
    usual = terms.game.ruleset_options(terms.game.build_ruleset(terms.preset, {}))
    played = terms.game.ruleset_options(terms.ruleset)
    changed = [f"{name} = {played[name]}" for name in played if played[name] != usual.get(name)]
    rules = f"{terms.preset} with {', '.join(changed)}" if changed else terms.preset
    return f"{terms.game.name}, {rules}, rules {terms.game.version}"


def describe_timing(pace: Pace) -> str:
    """Return the style of a pace, its times, and the settings that differ from the style's defaults."""
    times = "without deadlines" if pace.no_deadlines else f"{pace.turn_ms} ms a turn, {pace.call_ms} ms a call"
    usual = pace_settings(Pace.sealed_defaults() if pace.style is Style.SEALED else Pace.live_defaults())
    shown_above = ("turn_ms", "call_ms", "no_deadlines")
    values = {name: value for name, value in pace_settings(pace).items() if name not in shown_above}
    changed = [f"{name} = {value}" for name, value in values.items() if value != usual[name]]
    return ", ".join([f"{pace.style.value}, {times}", *changed])


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
