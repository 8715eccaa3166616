"""The author's client. It reads a bot's own matches from a server, with the token of the bot or of its owner.

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

from collections.abc import AsyncIterator, Awaitable, Callable
from types import TracebackType
from typing import Any, Final, Self, TypeVar

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
from cheatarena.server_calls import ServerCalls
from cheatarena.settings import Settings
from cheatarena.v1 import author_pb2, author_pb2_grpc, play_pb2

__all__ = ["AuthorClient", "OwnFault", "OwnFigures", "OwnMatch", "OwnResult", "ReplayLine", "sum_figures"]

CALL_TIMEOUT_S: Final = 120.0
"""Time limit of one request, in seconds. It is long, because the server may have to read a long journal."""

Page = TypeVar("Page")


class AuthorClient:
    """Reads a bot's own matches. Use it as an asynchronous context manager.

    Every method may raise these errors:

    * TokenRefusedError: the server refuses the token.
    * RefusedError: the server refuses the request, for example because the bot has no such match.
    * TlsError: no secure connection can be made.
    * ServerGoneError: the server cannot be reached.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        """Prepare the connection. If no settings are given, read them from the environment, as a bot does.

        For a bot that is not in the credentials file, such as one that was submitted, the owner's token does.
        """
        self.settings = settings or Settings.from_environment(only_reads=True)
        """Where and how this program connects."""
        credentials = self.settings.credentials
        self._bot = "" if credentials is None else credentials.bot
        self._calls = ServerCalls(self.settings, "serves no authors")
        self._stub: Any = author_pb2_grpc.AuthorServiceStub(self._calls.channel)

    async def matches(self, limit: int | None = None, *, match_id: str = "") -> AsyncIterator[OwnMatch]:
        """Yield the bot's matches that have started, newest first, at most `limit` of them.

        With `match_id`, yield only that match. A server of release 0.2 or older ignores `match_id`.
        """
        count = 0
        async for page in self._pages(
            lambda token: self._stub.ListGames(
                author_pb2.ListGamesRequest(
                    page_size=min(limit or 100, 100), page_token=token, match_id=match_id, bot=self._bot
                ),
                **self._call_options,
            )
        ):
            for message in page.matches:
                if count == limit:
                    return
                count += 1
                yield read_match(message)

    async def match(self, match_id: str) -> OwnMatch:
        """Return one match of the bot."""
        request = author_pb2.GetReplayRequest(match_id=match_id, bot=self._bot)
        response = await self._calls.answer(self._stub.GetReplay(request, **self._call_options))
        return read_match(response.match)

    async def replay(
        self, match_id: str, *, game: int | None = None, entrant: int | None = None
    ) -> AsyncIterator[ReplayLine]:
        """Yield what the bot's seat knew in the finished games of a match, line by line.

        If `game` is given, only that game is read. `entrant` is needed only if the bot has several seats in the match.
        """
        async for page in self._replay_pages(match_id, game, entrant):
            for message in page.lines:
                yield read_line(message)

    async def replay_with_match(
        self, match_id: str, *, game: int | None = None, entrant: int | None = None
    ) -> tuple[OwnMatch, list[ReplayLine], str]:
        """Return a match, the lines that `replay` yields, and a remark that says what is missing from the lines."""
        match, lines, remark = author_pb2.OwnMatch(), list[ReplayLine](), ""
        async for page in self._replay_pages(match_id, game, entrant):
            match, remark = page.match, remark or page.remark
            lines += map(read_line, page.lines)
        return read_match(match), lines, remark

    async def faults(self, match_id: str = "", limit: int | None = None) -> AsyncIterator[OwnFault]:
        """Yield the bot's strikes in finished matches, newest match first. With `match_id`, read only that match."""
        count = 0
        async for page in self._pages(
            lambda token: self._stub.GetFaults(
                author_pb2.GetFaultsRequest(match_id=match_id, page_token=token, bot=self._bot), **self._call_options
            )
        ):
            for message in page.faults:
                if count == limit:
                    return
                count += 1
                yield read_fault(message)

    async def figures(self, match_id: str = "", limit: int | None = None) -> AsyncIterator[OwnFigures]:
        """Yield figures about the bot's finished matches, newest match first. With `match_id`, read only that match."""
        count = 0
        async for page in self._pages(
            lambda token: self._stub.GetFigures(
                author_pb2.GetFiguresRequest(match_id=match_id, page_token=token, bot=self._bot), **self._call_options
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
        """Yield the messages that the server sends to the bot's seat in a running match, until the match is over.

        `after` is the sequence number of the last message that is already known. If `after` is 0, the first message
        is a snapshot. The bot's own stream is not affected.
        """
        request = author_pb2.WatchSeatRequest(match_id=match_id, entrant=entrant, after_sequence=after, bot=self._bot)
        stream = self._stub.WatchSeat(request, metadata=self._calls.metadata)
        try:
            while (frame := await self._calls.answer(stream.read())) is not grpc.aio.EOF:
                for message in frame.messages:
                    yield message
        finally:
            stream.cancel()

    async def close(self) -> None:
        """Close the connection."""
        await self._calls.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # ---- inside

    @property
    def _call_options(self) -> dict[str, Any]:
        return {"metadata": self._calls.metadata, "timeout": CALL_TIMEOUT_S}

    def _replay_pages(
        self, match_id: str, game: int | None, entrant: int | None
    ) -> AsyncIterator[author_pb2.GetReplayResponse]:
        return self._pages(
            lambda token: self._stub.GetReplay(
                author_pb2.GetReplayRequest(
                    match_id=match_id, game=game, entrant=entrant, page_token=token, bot=self._bot
                ),
                **self._call_options,
            )
        )

    async def _pages(self, ask: Callable[[str], Awaitable[Page]]) -> AsyncIterator[Page]:
        """Yield all pages of an answer. `ask` takes a page token and requests that page."""
        token = ""
        while True:
            page: Any = await self._calls.answer(ask(token))
            yield page
            token = page.next_page_token
            if not token:
                return
