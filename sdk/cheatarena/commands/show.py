"""`python -m cheatarena show ID` tells a match as the seat of one's own bot knew it."""

import argparse
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any, Final

from cheatarena.author import AuthorClient, OwnMatch, ReplayLine
from cheatarena.commands.arguments import Commands, add_bot, add_command, add_json, add_server, count
from cheatarena.commands.match_text import WIDTH, own_header_lines, own_match_as_dict
from cheatarena.commands.output import Found, Line, escape, present
from cheatarena.commands.own_server import ask_server, bot_settings, find_own_seat
from cheatarena.known_games import GAMES
from cheatarena.settings import Settings

Told = tuple[OwnMatch, list[ReplayLine], str]
"""A match, its lines, and a remark that says what is missing from the lines."""

_MARGIN: Final = " " * 16
_LABEL_WIDTH: Final = 11
_MOST_GAMES: Final = 10**6


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "show",
        _run,
        summary="show a match of your own bot, as its seat knew it",
        description="The server tells it: each question with what the seat knew, unless it knew the same at the"
        " question before, each answer, and each event. Games, turns and seats count from 0, as in a bot's log. Times"
        " are seconds since the start of the game. Of a match that runs, the finished games are shown.",
    )
    parser.add_argument("match", metavar="ID", help="id of the match, or a prefix that no other id has")
    parser.add_argument("--game", type=count(0, _MOST_GAMES), metavar="NUMBER", help="show only this game, from 0")
    told = "which of the bot's seats, if it has several in the match. Default: the first"
    parser.add_argument("--entrant", metavar="NAME", help=told)
    add_server(parser)
    add_bot(parser)
    add_json(parser)


def read_replay(settings: Settings, prefix: str, game: int | None, entrant: str | None) -> Told:
    """Return the bot's match whose id has a prefix, as its seat knew it.

    If `game` is given, only that game is read. `entrant` is needed only if the bot has several seats. Raises
    RequestError if no match or entrant fits, and the errors of `AuthorClient`.
    """

    async def read(author: AuthorClient) -> Told:
        match_id, number = await find_own_seat(author, prefix, entrant)
        return await author.replay_with_match(match_id, game=game, entrant=number)

    return ask_server(settings, read)


def describe_replay(match: OwnMatch, lines: Sequence[ReplayLine], remark: str) -> Found:
    """Return a replay: what stands above it, its lines with turns and times in the margin, and the remark."""
    plain = own_match_as_dict(match) | {"lines": list(map(_line_as_dict, lines)), "remark": remark or None}
    told = [*map(Line, own_header_lines(match)), *_replay_lines(match.game, lines)]
    return Found(plain, [*told, Line(""), Line(remark, "fault")] if remark else told)


def _line_as_dict(line: ReplayLine) -> dict[str, Any]:
    place = {"kind": line.kind, "game": line.game, "turn": line.turn, "at_us": line.at_us, "text": line.text}
    return place | ({"rows": dict(line.rows)} if line.rows else {}) | dict(line.data)


def _replay_lines(game: str, lines: Sequence[ReplayLine]) -> Iterator[Line]:
    known = dict[str, str]()
    for line in lines:
        if line.kind == "game":
            known.clear()
            yield Line("")
        margin = f"{_turn_text(game, line):>4}  {line.at_us / 1e6:>8.3f}  "
        yield from _wrap_beside(margin, line.text, line.kind, len(_MARGIN))
        for label, text in line.rows:
            if known.get(label) != text:
                yield from _wrap_beside(_MARGIN + label, text, "", len(_MARGIN) + _LABEL_WIDTH)
        known |= dict(line.rows)


def _turn_text(game: str, line: ReplayLine) -> str:
    """Return the turn to which a question belongs; empty for any other line. A reaction belongs to the last turn."""
    if line.kind != "decision" or line.turn is None:
        return ""
    kinds = GAMES[game].kinds if game in GAMES else {}
    kind = kinds.get(f"{game}_{line.data.get('prompt')}")
    return str(max(0, line.turn - 1) if kind is not None and kind.is_reaction else line.turn)


def _wrap_beside(margin: str, text: str, kind: str, width: int) -> Iterator[Line]:
    """Yield a text in lines beside a margin of this width."""
    first, indent = f"{margin:<{width}}", " " * width
    for part in wrap(escape(text), WIDTH, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False):
        yield Line(part, kind)


def _run(asked: argparse.Namespace) -> None:
    told = read_replay(bot_settings(asked.server, asked.bot, only_reads=True), asked.match, asked.game, asked.entrant)
    present(describe_replay(*told), asked.json)
