"""Says in sentences what a schedule does to keep the bots of one owner apart, and by how much it fails."""

from collections.abc import Sequence
from typing import Final

from arena.competition.formats.port import Format
from arena.competition.league.field import Field
from arena.competition.league.model import PLAY_OFF, Block
from arena.competition.league.owner_meetings import OwnerMeetings, count_owner_meetings
from arena.plurals import format_count

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
