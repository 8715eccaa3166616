"""Lists the matches of one's own bot on a server that fit a filter."""

from typing import TYPE_CHECKING, Final

from arena.cli.present import present
from arena.cli.replay.list_text import empty_list_text
from arena.cli.replay.text import present_found
from arena.replays.library.match_filter import EVERY_MATCH, MatchFilter

if TYPE_CHECKING:
    from cheatarena.author import AuthorClient, OwnMatch, OwnResult

_ROUNDING: Final = 1e-9


def list_own_matches(server: str, limit: int, is_json: bool, wanted: MatchFilter) -> None:
    from cheatarena.commands.match_text import describe_matches
    from cheatarena.commands.own_server import ask_server, bot_settings

    matches = ask_server(bot_settings(server, only_reads=True), lambda author: _read_matches(author, limit, wanted))
    if matches:
        present_found(describe_matches(matches), is_json)
    else:
        present([], is_json, [empty_list_text(wanted)])


async def _read_matches(author: "AuthorClient", limit: int, wanted: MatchFilter) -> "list[OwnMatch]":
    """The server knows no filters, so this reads until there are enough matches that fit."""
    found: list[OwnMatch] = []
    async for match in author.matches(limit if wanted == EVERY_MATCH else None):
        if not wanted.accepts_time(match.created_at.timestamp()):
            break
        if accepts_own_match(match, wanted):
            found.append(match)
            if len(found) == limit:
                break
    return found


def accepts_own_match(match: "OwnMatch", wanted: MatchFilter) -> bool:
    """Losses and faults are those of the own bot; the entrant may be another."""
    if not wanted.accepts_preset(match.preset) or not wanted.accepts_time(match.created_at.timestamp()):
        return False
    if not any(wanted.accepts_name(name) for name in match.entrants):
        return False
    has_lost = any(_has_lost(result, len(match.entrants)) for result in match.results)
    has_strike = any(any(result.strikes.values()) for result in match.results)
    return (has_lost or not wanted.is_lost) and (has_strike or not wanted.has_faults)


def _has_lost(result: "OwnResult", entrants: int) -> bool:
    """Return whether the bot came last in a finished game.

    A server gives only the bot's own places. So a shared last place can be recognized only in a match of one game: the
    bot's points are then no more than it would get by a tie with every entrant that is not ahead.
    """
    if entrants in result.places:
        return True
    if len(result.places) != 1:
        return False
    place = result.places[0]
    return place > 1 and result.points * (entrants - 1) <= (entrants - place) / 2 + _ROUNDING
