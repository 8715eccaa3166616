"""Shows a match that one's own bot has played on a server."""

from typing import TYPE_CHECKING, Any

from arena.cli.author import ask_server, find_own_entrant, find_own_match, own_match_as_dict
from arena.cli.console import print_json
from arena.cli.exit_codes import ExitCode
from arena.cli.replay.text import own_header_lines, print_replay
from arena.errors import RequestError

if TYPE_CHECKING:
    from cheatarena.author import AuthorClient, OwnMatch, ReplayLine


def show_own_match(
    server: str, prefix: str, game: int | None, seat: int | None, entrant: str | None, *, is_json: bool
) -> int:
    """Print a match as the bot's seat knew it. Raises what `ask_server` and `find_own_match` raise."""
    if seat is not None:
        raise RequestError("--seat needs the data folder: a server shows an author only the seat of the own bot")

    async def read(author: "AuthorClient") -> "tuple[OwnMatch, list[ReplayLine], str]":
        match_id = await find_own_match(author, prefix)
        number = None if entrant is None else find_own_entrant(await author.match(match_id), entrant)
        return await author.replay_with_match(match_id, game=game, entrant=number)

    match, lines, remark = ask_server(server, read)
    if is_json:
        print_json(
            own_match_as_dict(match) | {"lines": [_line_as_dict(each) for each in lines], "remark": remark or None}
        )
        return ExitCode.YES
    print_replay(own_header_lines(match), lines, remark)
    return ExitCode.YES


def _line_as_dict(line: "ReplayLine") -> dict[str, Any]:
    """Return plain values for JSON, as for a match of the data folder."""
    place = {"kind": line.kind, "game": line.game, "turn": line.turn, "at_us": line.at_us, "text": line.text}
    return place | ({"rows": dict(line.rows)} if line.rows else {}) | dict(line.data)
