"""Describes a league in words for people: its ruleset and timing, its ledger, and what it does to keep owners apart."""

from collections.abc import Mapping, Sequence
from typing import Final

from arena.competition.formats.port import Format
from arena.competition.league.field import Field, OwnerMeetings, count_owner_meetings
from arena.competition.league.model import PLAY_OFF, Block
from arena.competition.league.ports import VOID, LedgerEntry
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.match.game import Style
from arena.match.referee.pace import Pace, pace_settings
from arena.match.referee.terms import Terms
from arena.organizer.file.league_file import LeagueFile
from arena.organizer.seal.ledger_entries import ABSENT
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


def taken_sentences(file: LeagueFile) -> Sequence[str]:
    """Say which bots play if a rule has taken some; nothing otherwise."""
    names = [f"{each.name}@{each.version}" if each.version else each.name for each in file.entrants]
    return [f"entrants, by the rule {file.rule!r}: {', '.join(names)}"] if file.rule else []


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


MAX_PLANNED_GAMES: Final = 600
"""About how many games of a schedule are drawn to say what it will do. Drawing a long schedule takes time."""
_MAX_NAMES: Final = 8
"""The most bots of an owner that a sentence names."""
_TAKES_TURNS_BELOW: Final = 0.97
"""An owner's bots take turns if they play less than this share of the games of the others. Rounding stays above it."""


def planned_owner_sentences(league_format: Format, field: Field) -> list[str]:
    """Return what the schedule will do, as far as it can be drawn without results: its first round at least."""
    if not field.has_shared_owners:
        return []
    blocks, number = list(league_format.draw_round(1, field)), 1
    while sum(len(block.tables) for block in blocks) < MAX_PLANNED_GAMES:
        if league_format.depends_on_results(number + 1, field):
            break
        if not (more := league_format.draw_round(number + 1, field)):
            break
        blocks, number = [*blocks, *more], number + 1
    sentences, rounds = owner_sentences(blocks, field), league_format.size(field).rounds
    if rounds is not None and number >= rounds:
        return sentences
    return [f"{each} (drawn so far: {format_count(number, 'round')})" for each in sentences]


def owner_sentences(blocks: Sequence[Block], field: Field) -> list[str]:
    """Return what these blocks do to owners with several bots; empty if no owner has several."""
    meetings = count_owner_meetings(blocks, field)
    total = sum(block.label != PLAY_OFF for block in blocks)
    if not meetings or not total:
        return []
    why = "cannot keep" if field.keeps_owners_apart else "was sealed before schedules kept"
    shared = [f"{_shared_text(each, total)}: this league {why} them apart" for each in meetings if each.shared_blocks]
    turns = [_turns_text(each) for each in meetings if each.games_each < _TAKES_TURNS_BELOW * each.games_of_others]
    return [*(shared or ["no two bots of one owner are in the same block"]), *turns]


def _shared_text(each: OwnerMeetings, total: int) -> str:
    more = len(each.names) - _MAX_NAMES
    bots = ", ".join(each.names[:_MAX_NAMES]) + (f" and {more} more" if more > 0 else "")
    return f"two or more bots of {each.owner} ({bots}) are in {each.shared_blocks} of {format_count(total, 'block')}"


def _turns_text(each: OwnerMeetings) -> str:
    return (
        f"the bots of {each.owner} take turns, to be apart: {format_count(float(each.games_each), 'game', '.0f')} each,"
        f" and {float(each.games_of_others):.0f} each for the others"
    )
