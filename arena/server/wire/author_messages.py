"""Builds the messages about a bot's matches for its author: results, replays, explained strikes and figures."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from arena.competition.league.points import points_at
from arena.errors import OptionError
from arena.match.referee.deal import SHARED_DEAL_PREFIX
from arena.match.referee.deal_serialization import revealed_deal_from_plain
from arena.match.referee.ports import DealRow, MatchSummary
from arena.match.referee.strike_record import Culprit, ResponseTimes, StrikeRecord, culprit_of, response_times_of
from arena.match.value_class import value_class
from arena.server.wire.deal_messages import deal_revealed_message
from arena.server.wire.error_reasons import reason_number
from arena.server.wire.game_codec import GameCodec
from arena.server.wire.narration_line import NarrationLine
from arena.server.wire.stored_terms import stored_terms_message
from cheatarena.v1 import author_pb2, deal_pb2, event_pb2, match_pb2

_CAUSES: Final = {
    None: author_pb2.FAULT_CAUSE_UNSPECIFIED,
    Culprit.BOT: author_pb2.FAULT_CAUSE_BOT,
    Culprit.HOST: author_pb2.FAULT_CAUSE_HOST,
    Culprit.WIRE: author_pb2.FAULT_CAUSE_WIRE,
    Culprit.CONNECTION: author_pb2.FAULT_CAUSE_CONNECTION,
}
PageKind: TypeAlias = Literal["games", "faults", "figures"]


@value_class()
class PageCall:
    kind: PageKind
    name: str
    match_id: str
    """The only match; empty for all of the bot's matches."""
    limit: int
    """The most matches."""
    before: str
    """The token of this page; empty for the first."""


@value_class()
class ReplayCall:
    """Asks for a page of a match as one of a bot's entrants knew it."""

    name: str
    match_id: str
    entrant: int | None
    """One of the bot's own entrants; None for the first."""
    game: int | None
    """The 0-based number of the game; None for all games."""
    start: int
    """The number of lines before the page."""


@value_class()
class ListedMatch:
    """A match in a list for an author."""

    match_id: str
    is_over: bool
    encoded: bytes
    """The `OwnMatch` of the stored match."""


class ReplayPage:
    """A page of a replay, to which lines are added until it is large enough."""

    def __init__(self, summary: MatchSummary, own: Iterable[int], codecs: Mapping[str, GameCodec], remark: str) -> None:
        """`own` are the bot's own entrants; `remark` says what is missing."""
        deal = own_deal_message(summary.deal) if summary.row.state == "ended" else None
        match = stored_match_message(summary, own, codecs)
        self._message = author_pb2.GetReplayResponse(match=match, remark=remark, deal=deal)
        self.size = self._message.ByteSize()

    def add(self, line: NarrationLine) -> None:
        """The line's data become JSON in plain ASCII."""
        added = author_pb2.ReplayLine(
            kind=line.kind,
            game=line.game,
            turn=line.turn,
            at_us=line.at_us,
            text=line.text,
            rows=[author_pb2.ReplayRow(label=label, text=text) for label, text in line.rows],
            data=json.dumps(dict(line.data), separators=(",", ":")),
        )
        self._message.lines.append(added)
        self.size += added.ByteSize()

    def encode(self, next_token: str) -> bytes:
        """`next_token` is empty on the last page."""
        self._message.next_page_token = next_token
        return self._message.SerializeToString()


def own_entrants(names: Sequence[str], bot: str) -> tuple[int, ...]:
    """Return the indexes of a bot's own entrants. An entrant is named `bot` or `bot/instance`.

    >>> own_entrants(["ann", "bob", "ann/two", "anna"], "ann")
    (0, 2)
    """
    return tuple(index for index, name in enumerate(names) if name.partition("/")[0] == bot)


def choose_entrant(asked: int | None, own: Sequence[int]) -> int:
    """Without `asked`, return the bot's first entrant. Raises OptionError if the entrant is not the bot's."""
    entrant = own[0] if asked is None else asked
    if entrant not in own:
        raise OptionError("entrant", entrant, f"expected one of the bot's own: {', '.join(map(str, own))}")
    return entrant


def own_result_message(
    entrant: int, places_by_game: Sequence[Sequence[int]], strikes: Sequence[Mapping[str, int]]
) -> author_pb2.OwnResult:
    """Each game's places are in entrant order, and so are the strikes."""
    return author_pb2.OwnResult(
        entrant=entrant,
        places=bytes([places[entrant] for places in places_by_game]),
        points=sum(points_at(places, entrant) for places in places_by_game),
        strikes=match_pb2.Strikes(**strikes[entrant]) if strikes else None,
    )


def stored_match_message(
    summary: MatchSummary, own: Iterable[int], codecs: Mapping[str, GameCodec]
) -> author_pb2.OwnMatch:
    """`own` are the bot's own entrants."""
    row, places = summary.row, [game.places for game in summary.games]
    return author_pb2.OwnMatch(
        match_id=row.match_id,
        created_at_ms=round(row.created_at * 1000),
        state=match_pb2.MATCH_STATE_ENDED if row.state == "ended" else match_pb2.MATCH_STATE_RUNNING,
        terms=stored_terms_message(row.terms, codecs),
        results=[own_result_message(entrant, places, row.strikes) for entrant in own],
        termination=row.termination,
    )


def list_match(summary: MatchSummary, own: Iterable[int], codecs: Mapping[str, GameCodec]) -> ListedMatch:
    """`own` are the bot's own entrants."""
    encoded = stored_match_message(summary, own, codecs).SerializeToString()
    return ListedMatch(summary.row.match_id, summary.row.state == "ended", encoded)


def encode_faults_page(strikes: Iterable[tuple[str, StrikeRecord, str]], next_token: str) -> bytes:
    """Each strike is given with its match id and its explanation."""
    faults = [_fault_message(match_id, strike, explanation) for match_id, strike, explanation in strikes]
    return author_pb2.GetFaultsResponse(faults=faults, next_page_token=next_token).SerializeToString()


def encode_figures_page(played: Iterable[tuple[MatchSummary, int]], next_token: str) -> bytes:
    """Each match is given with one of the bot's own entrants."""
    figures = [_figures_message(summary, entrant) for summary, entrant in played]
    return author_pb2.GetFiguresResponse(figures=figures, next_page_token=next_token).SerializeToString()


def own_deal_message(deal: DealRow | None) -> deal_pb2.DealRevealed | None:
    """Return the message for a deal that was revealed to the bots that played it; None for any other deal.

    A shared deal is revealed by its league. The bots at its tables do not get it.
    """
    if deal is None or deal.revealed is None or deal.deal_id.startswith(SHARED_DEAL_PREFIX):
        return None
    return deal_revealed_message(revealed_deal_from_plain(deal.revealed))


def _figures_message(summary: MatchSummary, entrant: int) -> author_pb2.OwnFigures:
    row, places = summary.row, [game.places for game in summary.games]
    return author_pb2.OwnFigures(
        match_id=row.match_id,
        entrant=entrant,
        game=row.game,
        preset=row.preset,
        game_count=len(places),
        points=sum(points_at(each, entrant) for each in places),
        figures=match_pb2.Figures(values=row.statistics[entrant] if row.statistics else {}),
    )


def _fault_message(match_id: str, strike: StrikeRecord, explanation: str) -> author_pb2.OwnFault:
    return author_pb2.OwnFault(
        match_id=match_id,
        entrant=strike.entrant,
        game=strike.game,
        turn=strike.turn,
        kind=event_pb2.FaultKind.Value(f"FAULT_KIND_{strike.kind.name}"),
        reason=reason_number(strike.reason),
        prompt_id=strike.prompt_id,
        prompt=strike.prompt,
        allowed_us=strike.allowed_us,
        came_us=strike.came_us,
        action=strike.action,
        automatic=strike.automatic,
        cause=_CAUSES[culprit_of(strike)],
        times=_times_message(response_times_of(strike)),
        explanation=explanation,
        words=strike.words,
    )


def _times_message(times: ResponseTimes) -> author_pb2.FaultTimes:
    return author_pb2.FaultTimes(
        bot_us=times.bot_us,
        queue_us=times.queue_us,
        wire_us=times.wire_us,
        server_us=times.server_us,
        loop_lag_us=times.loop_lag_us,
        core_wait_us=times.core_wait_us,
    )
