"""Implements the client of SubmissionService, which hands in packages and follows them.

Its methods take and return plain values and raise the arena's own errors, so callers need to know nothing about gRPC.
"""

import asyncio
import hashlib
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Sequence
from types import TracebackType
from typing import IO, Any, Final, Self, TypeVar

import grpc

from arena.bots.submissions.ports import UPLOAD
from arena.bots.submissions.submission import Step, Submission
from arena.errors import EnvironmentFaultError, UnknownNameError
from arena.server.rpc.client_channel import (
    CLIENT_OPTIONS,
    PUBLIC_TLS,
    RECONNECT_TIMEOUT_S,
    RETRY_INTERVAL_S,
    explain_failure,
    open_channel,
)
from arena.server.rpc.submission_messages import number_of_step, read_step, read_submission
from cheatarena.tls_settings import TlsSettings
from cheatarena.tokens import authorization
from cheatarena.v1 import submission_pb2 as pb
from cheatarena.v1 import submission_pb2_grpc

T = TypeVar("T")

_CALL_TIMEOUT_S: Final = 20.0
_PIECE_BYTES: Final = 256 * 1024
_PAGE_SIZE: Final = 100
_MOST_ENDED: Final = 5
"""How often an upload may be begun again because another stream has ended it."""


class SubmissionClient:
    """Hands in packages as their owner. Use it as an asynchronous context manager.

    Every call raises DeniedError if the token does not permit the call, RequestError if the server refuses the request
    or the package, CapacityError beyond a limit or quota, and EnvironmentFaultError if the server cannot be reached.
    """

    def __init__(self, address: str, token: str, tls: TlsSettings = PUBLIC_TLS) -> None:
        """Connect to a server. The token needs the scope `submit` or `own`.

        Raises RequestError for a bad file in `tls`.
        """
        self.address = address
        self._metadata = authorization(token)
        self._tls = tls
        self._channel = open_channel(tls, address, CLIENT_OPTIONS)
        self._stub: Any = submission_pb2_grpc.SubmissionServiceStub(self._channel)

    async def upload(
        self, bot: str, archive: IO[bytes], note: Callable[[int, int], object] = lambda _, __: None
    ) -> Submission:
        """Hand in an archive from its beginning, and return its submission.

        If the connection is lost, try for 20 seconds to continue where it stopped. If somebody else hands in the same
        archive meanwhile, return the same submission. `note` gets the number of bytes that are sent, and of all bytes.
        """
        archive.seek(0)
        sha256 = hashlib.file_digest(archive, "sha256")  # type: ignore[arg-type]  # an IO[bytes] can be read into
        byte_count, lost_at, furthest, ended = archive.seek(0, os.SEEK_END), None, -1, 0
        request = pb.BeginUploadRequest(bot=bot, sha256=sha256.digest(), byte_count=byte_count)
        while True:
            try:
                begun = await self._call(self._stub.BeginUpload, request)
                if begun.HasField("submission"):
                    return read_submission(begun.submission)
                if begun.offset > furthest:
                    lost_at, furthest = None, begun.offset
                pieces = _read_pieces(archive, begun, lambda sent: note(sent, byte_count))
                answer = await self._answer(self._stub.Upload(pieces, metadata=self._metadata))
                return read_submission(answer.submission)
            except UnknownNameError as error:
                ended += 1
                if error.kind != UPLOAD or ended == _MOST_ENDED:
                    raise
            except EnvironmentFaultError:
                now = time.monotonic()
                lost_at = now if lost_at is None else lost_at
                if furthest < 0 or now - lost_at > RECONNECT_TIMEOUT_S:
                    raise
            await asyncio.sleep(RETRY_INTERVAL_S)

    async def follow(self, submission_id: str) -> AsyncGenerator[tuple[Submission, Sequence[Step]], None]:
        """Yield a submission with its steps now and whenever it has changed, until it no longer changes by itself.

        If the connection is lost, try for 20 seconds to reach the server again.
        """
        told, lost_at = None, None
        while True:
            stream = self._stub.FollowSubmission(
                pb.FollowSubmissionRequest(submission_id=submission_id), metadata=self._metadata
            )
            try:
                while (message := await self._answer(stream.read())) is not grpc.aio.EOF:
                    lost_at = None
                    if (found := _read_with_steps(message)) != told:
                        told = found
                        yield found
            except EnvironmentFaultError:
                now = time.monotonic()
                lost_at = now if lost_at is None else lost_at
                if told is None or now - lost_at > RECONNECT_TIMEOUT_S:
                    raise
            else:
                return
            finally:
                stream.cancel()
            await asyncio.sleep(RETRY_INTERVAL_S)

    async def list_versions(self, bot: str = "") -> list[Submission]:
        """Return the submissions of one bot, or of all bots of the owner, the newest first."""
        found, token = list[Submission](), ""
        while True:
            request = pb.ListVersionsRequest(bot=bot, page_size=_PAGE_SIZE, page_token=token)
            page = await self._call(self._stub.ListVersions, request)
            found += map(read_submission, page.submissions)
            token = page.next_page_token
            if not token:
                return found

    async def get(self, submission_id: str) -> tuple[Submission, Sequence[Step]]:
        """Return a submission with its steps that have started, in their order."""
        answer = await self._call(self._stub.GetSubmission, pb.GetSubmissionRequest(submission_id=submission_id))
        return _read_with_steps(answer)

    async def read_log(self, submission_id: str, step: str) -> str:
        """Return what a step printed. It may have control characters in it. Raises RequestError for an unknown step."""
        request = pb.ReadLogRequest(submission_id=submission_id, step=number_of_step(step))
        log: str = (await self._call(self._stub.ReadLog, request)).log
        return log

    async def activate(self, bot: str, version: str) -> Submission:
        """Let a version play that was tried before."""
        request = pb.ActivateRequest(bot=bot, version=version)
        return read_submission((await self._call(self._stub.Activate, request)).submission)

    async def roll_back(self, bot: str) -> Submission:
        """Let the version play that was active before, and return it."""
        return read_submission((await self._call(self._stub.RollBack, pb.RollBackRequest(bot=bot))).submission)

    async def withdraw(self, bot: str, version: str) -> Submission:
        """Withdraw a version for ever."""
        request = pb.WithdrawRequest(bot=bot, version=version)
        return read_submission((await self._call(self._stub.Withdraw, request)).submission)

    async def close(self) -> None:
        """Close the connection."""
        await self._channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _call(self, method: Callable[..., Awaitable[Any]], request: object) -> Any:
        return await self._answer(method(request, metadata=self._metadata, timeout=_CALL_TIMEOUT_S))

    async def _answer(self, call: Awaitable[T]) -> T:
        """Return the response of a call; raise its gRPC error as an error of the arena."""
        try:
            return await call
        except grpc.aio.AioRpcError as error:
            raise await explain_failure(error, self._tls, self.address) from error


async def _read_pieces(
    archive: IO[bytes], upload: pb.BeginUploadResponse, note: Callable[[int], object]
) -> AsyncIterator[pb.UploadRequest]:
    """Yield the messages of an upload; the first one names the upload."""
    archive.seek(upload.offset)
    sent = upload.offset
    note(sent)
    yield pb.UploadRequest(upload_id=upload.upload_id, offset=upload.offset)
    for data in _read_chunks(archive):
        yield pb.UploadRequest(data=data)
        sent += len(data)
        note(sent)


def _read_chunks(archive: IO[bytes]) -> Iterator[bytes]:
    while data := archive.read(_PIECE_BYTES):
        yield data


def _read_with_steps(
    message: pb.GetSubmissionResponse | pb.FollowSubmissionResponse,
) -> tuple[Submission, Sequence[Step]]:
    return read_submission(message.submission), tuple(map(read_step, message.steps))
