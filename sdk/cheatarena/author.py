"""The author's client: reads a bot's own matches from a server, with the bot's token and from any machine.

::

    import asyncio
    from cheatarena.author import AuthorClient

    async def main():
        async with AuthorClient() as author:
            async for match in author.matches(limit=3):
                print(match.match_id, match.preset, match.results[0].places)
                async for line in author.replay(match.match_id, game=0):
                    print(line.text)

    asyncio.run(main())
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import grpc
import grpc.aio

from cheatarena.author_values import (
    OwnFault,
    OwnFigures,
    OwnMatch,
    OwnResult,
    ReplayLine,
    read_fault,
    read_figures,
    read_line,
    read_match,
    sum_figures,
)
from cheatarena.connection import open_channel
from cheatarena.errors import CheatArenaError, RefusedError, ServerGoneError, TlsError
from cheatarena.settings import Settings
from cheatarena.stream_ending import StreamEnding
from cheatarena.tls_check import explain_refused_handshake
from cheatarena.v1 import author_pb2, author_pb2_grpc, play_pb2

__all__ = ["AuthorClient", "OwnFault", "OwnFigures", "OwnMatch", "OwnResult", "ReplayLine", "sum_figures"]

CALL_TIMEOUT_S: Final = 120.0
"""Seconds that a call may take; a server may have a long journal to read."""

Response = TypeVar("Response")
Page = TypeVar("Page")


class AuthorClient:
    """Reads a bot's own matches. Use it as an asynchronous context manager.

    Every method raises TokenRefusedError if the server refuses the token, RefusedError if it refuses the request, for
    example because the bot has no such match, TlsError if no secure connection can be made, and ServerGoneError if the
    server cannot be reached.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        """Without settings, they come from the environment, as for a bot."""
        self.settings = settings or Settings.from_environment()
        self._channel = open_channel(self.settings, self.settings.address)
        self._metadata = (("authorization", f"Bearer {self.settings.token}"),)
        self._stub: Any = author_pb2_grpc.AuthorServiceStub(self._channel)

    async def matches(self, limit: int | None = None) -> AsyncIterator[OwnMatch]:
        """Yield the bot's matches that have started, newest first, at most `limit` of them."""
        count = 0
        async for page in self._pages(
            lambda token: self._stub.ListGames(
                author_pb2.ListGamesRequest(page_size=min(limit or 100, 100), page_token=token), **self._call_options
            )
        ):
            for message in page.matches:
                if count == limit:
                    return
                count += 1
                yield read_match(message)

    async def match(self, match_id: str) -> OwnMatch:
        """Return one match of the bot."""
        request = author_pb2.GetReplayRequest(match_id=match_id)
        response = await self._answer(self._stub.GetReplay(request, **self._call_options))
        return read_match(response.match)

    async def replay(
        self, match_id: str, *, game: int | None = None, entrant: int | None = None
    ) -> AsyncIterator[ReplayLine]:
        """Yield the finished games of a match, or one of them, as the bot's seat knew them.

        `entrant` is needed only if the bot has several seats in the match.
        """
        async for page in self._replay_pages(match_id, game, entrant):
            for message in page.lines:
                yield read_line(message)

    async def replay_with_match(
        self, match_id: str, *, game: int | None = None, entrant: int | None = None
    ) -> tuple[OwnMatch, list[ReplayLine], str]:
        """Return a match, the lines that `replay` yields, and a remark on what is missing from them."""
        match, lines, remark = author_pb2.OwnMatch(), list[ReplayLine](), ""
        async for page in self._replay_pages(match_id, game, entrant):
            match, remark = page.match, remark or page.remark
            lines += map(read_line, page.lines)
        return read_match(match), lines, remark

    async def faults(self, match_id: str = "", limit: int | None = None) -> AsyncIterator[OwnFault]:
        """Yield the bot's strikes in finished matches, explained, the newest match first; or those of one match."""
        count = 0
        async for page in self._pages(
            lambda token: self._stub.GetFaults(
                author_pb2.GetFaultsRequest(match_id=match_id, page_token=token), **self._call_options
            )
        ):
            for message in page.faults:
                if count == limit:
                    return
                count += 1
                yield read_fault(message)

    async def figures(self, match_id: str = "", limit: int | None = None) -> AsyncIterator[OwnFigures]:
        """Yield the figures of the bot's play in finished matches, newest first; or those of one match."""
        count = 0
        async for page in self._pages(
            lambda token: self._stub.GetFigures(
                author_pb2.GetFiguresRequest(match_id=match_id, page_token=token), **self._call_options
            )
        ):
            for message in page.figures:
                if count == limit:
                    return
                count += 1
                yield read_figures(message)

    async def watch(
        self, match_id: str, *, entrant: int | None = None, after: int = 0
    ) -> AsyncIterator[play_pb2.SeatMessage]:
        """Yield what the bot's seat in a running match is sent, until the match is over.

        The first message is a snapshot, or the one after the sequence `after`. The bot's own stream is not affected.
        """
        request = author_pb2.WatchSeatRequest(match_id=match_id, entrant=entrant, after_sequence=after)
        stream = self._stub.WatchSeat(request, metadata=self._metadata)
        try:
            while (frame := await self._answer(stream.read())) is not grpc.aio.EOF:
                for message in frame.messages:
                    yield message
        finally:
            stream.cancel()

    async def close(self) -> None:
        """Close the connection."""
        await self._channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # ---- inside

    @property
    def _call_options(self) -> dict[str, Any]:
        return {"metadata": self._metadata, "timeout": CALL_TIMEOUT_S}

    def _replay_pages(
        self, match_id: str, game: int | None, entrant: int | None
    ) -> AsyncIterator[author_pb2.GetReplayResponse]:
        return self._pages(
            lambda token: self._stub.GetReplay(
                author_pb2.GetReplayRequest(match_id=match_id, game=game, entrant=entrant, page_token=token),
                **self._call_options,
            )
        )

    async def _pages(self, ask: Callable[[str], Awaitable[Page]]) -> AsyncIterator[Page]:
        """Yield page after page; `ask` gets the token of a page."""
        token = ""
        while True:
            page: Any = await self._answer(ask(token))
            yield page
            token = page.next_page_token
            if not token:
                return

    async def _answer(self, call: Awaitable[Response]) -> Response:
        """Await a call; raise its refusal as an error of this package."""
        try:
            return await call
        except grpc.aio.AioRpcError as error:
            raise await self._explain(error) from error

    async def _explain(self, error: grpc.aio.AioRpcError) -> CheatArenaError:
        """Return the error of this package for a refusal or a lost connection."""
        address = self.settings.address
        if error.code() is grpc.StatusCode.UNIMPLEMENTED:
            return RefusedError(f"{address} serves no authors: it is an older server, or one node of several")
        ending = StreamEnding(address)
        ending.read_error(error)
        if (fatal := ending.fatal_error()) is not None:
            return fatal
        tls = self.settings.tls
        if ending.may_be_tls and (why := await asyncio.to_thread(explain_refused_handshake, tls, address)):
            return TlsError(f"{why} ({address})")
        if ending.reason and error.code() is not grpc.StatusCode.UNAVAILABLE:
            return RefusedError(ending.detail, ending.reason)
        return ServerGoneError(f"no answer from {address}: {ending.detail}")
