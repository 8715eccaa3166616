"""The client of SubmissionService, which submits packages as their owner and follows them."""

import asyncio
import hashlib
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from types import TracebackType
from typing import IO, Any, Final, Self

import grpc
import grpc.aio

from cheatarena.dialling import describe_failure
from cheatarena.errors import CheatArenaError, RefusedError, ServerGoneError, TlsError, TokenRefusedError
from cheatarena.patience import Patience
from cheatarena.proxies import add_proxy
from cheatarena.server_calls import ServerCalls
from cheatarena.settings import Settings
from cheatarena.stream_ending import StreamEnding
from cheatarena.submission_values import (
    OwnSubmission,
    SubmissionStep,
    read_step,
    read_submission,
    step_number,
)
from cheatarena.tls_check import explain_refused_handshake
from cheatarena.v1 import submission_pb2 as pb
from cheatarena.v1 import submission_pb2_grpc

CALL_TIMEOUT_S: Final = 20.0
PAGE_SIZE: Final = 100
_PIECE_BYTES: Final = 256 * 1024
_MOST_ENDED: Final = 5
"""How often an upload may be begun again because another stream has ended it."""
_UPLOAD: Final = "upload"
"""What the server says that it does not know if the upload has ended."""
_CODES: Final = grpc.StatusCode

WithSteps = tuple[OwnSubmission, Sequence[SubmissionStep]]
"""A submission, and its steps that have started, in their order."""


class SubmissionClient:
    """Submits packages as their owner. Use it as an asynchronous context manager.

    The token needs the scope `submit` or `own`. Every call raises these errors:

    * TokenRefusedError if the token does not permit the call;
    * RefusedError if the server refuses the request or the package, with the reason `LIMIT_REACHED` beyond a quota;
    * TlsError if no secure connection can be made;
    * ServerGoneError if the server cannot be reached.
    """

    def __init__(self, settings: Settings) -> None:
        """Prepare the connection. Raises SettingsError if a certificate file cannot be read."""
        self.address = settings.address
        """host:port of the server."""
        self._calls = _SubmissionCalls(settings, "takes no submissions")
        self._stub: Any = submission_pb2_grpc.SubmissionServiceStub(self._calls.channel)

    async def upload(
        self, bot: str, archive: IO[bytes], note: Callable[[int, int], object] = lambda _, __: None
    ) -> OwnSubmission:
        """Submit an archive from its beginning, and return its submission.

        If the connection is lost, try for 20 seconds to continue where it stopped. If somebody else submits the same
        archive meanwhile, return the same submission. `note` gets the number of bytes that are sent, and of all bytes.
        """
        archive.seek(0)
        sha256 = hashlib.file_digest(archive, "sha256")  # type: ignore[arg-type]  # an IO[bytes] can be read into
        byte_count, patience, furthest, ended = archive.seek(0, os.SEEK_END), Patience(), -1, 0
        request = pb.BeginUploadRequest(bot=bot, sha256=sha256.digest(), byte_count=byte_count)
        while True:
            try:
                begun = await self._call(self._stub.BeginUpload, request)
                if begun.HasField("submission"):
                    return read_submission(begun.submission)
                if begun.offset > furthest:
                    furthest = begun.offset
                    patience.renew()
                pieces = _read_pieces(archive, begun, lambda sent: note(sent, byte_count))
                answer = await self._calls.answer(self._stub.Upload(pieces, metadata=self._calls.metadata))
                return read_submission(answer.submission)
            except _UploadEndedError:
                ended += 1
                if ended == _MOST_ENDED:
                    raise
            except (ServerGoneError, TlsError):
                if furthest < 0 or not patience.lasts():
                    raise
            await patience.pause()

    async def follow(self, submission_id: str) -> AsyncGenerator[WithSteps, None]:
        """Yield a submission with its steps now and whenever it has changed, until it no longer changes by itself.

        If the connection is lost, try for 20 seconds to reach the server again.
        """
        told, patience = None, Patience()
        request = pb.FollowSubmissionRequest(submission_id=submission_id)
        while True:
            stream = self._stub.FollowSubmission(request, metadata=self._calls.metadata)
            try:
                while (message := await self._calls.answer(stream.read())) is not grpc.aio.EOF:
                    patience.renew()
                    if (found := _read_with_steps(message)) != told:
                        told = found
                        yield found
            except (ServerGoneError, TlsError):
                if told is None or not patience.lasts():
                    raise
            else:
                return
            finally:
                stream.cancel()
            await patience.pause()

    async def list_versions(self, bot: str = "") -> list[OwnSubmission]:
        """Return the submissions of a bot, the newest first; without a `bot`, those of all bots of the owner."""
        found, token = list[OwnSubmission](), ""
        while True:
            request = pb.ListVersionsRequest(bot=bot, page_size=PAGE_SIZE, page_token=token)
            page = await self._call(self._stub.ListVersions, request)
            found += map(read_submission, page.submissions)
            token = page.next_page_token
            if not token:
                return found

    async def get(self, submission_id: str) -> WithSteps:
        """Return a submission with its steps."""
        return _read_with_steps(
            await self._call(self._stub.GetSubmission, pb.GetSubmissionRequest(submission_id=submission_id))
        )

    async def read_log(self, submission_id: str, step: str) -> str:
        """Return the log of a step, which may have control characters in it.

        `step` is `building`, `checking`, `trying` or `running`. Raises RequestError for another one.
        """
        request = pb.ReadLogRequest(submission_id=submission_id, step=step_number(step))
        log: str = (await self._call(self._stub.ReadLog, request)).log
        return log

    async def activate(self, bot: str, version: str) -> OwnSubmission:
        """Let a version play that was tried before."""
        request = pb.ActivateRequest(bot=bot, version=version)
        return read_submission((await self._call(self._stub.Activate, request)).submission)

    async def roll_back(self, bot: str) -> OwnSubmission:
        """Let the version play that was active before."""
        return read_submission((await self._call(self._stub.RollBack, pb.RollBackRequest(bot=bot))).submission)

    async def withdraw(self, bot: str, version: str) -> OwnSubmission:
        """Withdraw a version for ever."""
        request = pb.WithdrawRequest(bot=bot, version=version)
        return read_submission((await self._call(self._stub.Withdraw, request)).submission)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._calls.close()

    async def _call(self, method: Any, request: Any) -> Any:
        return await self._calls.answer(method(request, metadata=self._calls.metadata, timeout=CALL_TIMEOUT_S))


class _UploadEndedError(RefusedError):
    """The upload has ended. Begin it again to hear what became of the archive."""


class _SubmissionCalls(ServerCalls):
    """Calls whose errors say what the server says. Its sentences name what is refused; no bot's session is at stake."""

    async def _explain(self, error: grpc.aio.AioRpcError) -> CheatArenaError:
        tls, address = self._settings.tls, self._settings.address
        ending = StreamEnding(address)
        ending.read_error(error)
        code, text = error.code(), ending.raw_detail
        if code is _CODES.UNAVAILABLE and not ending.reason:
            if why := await asyncio.to_thread(explain_refused_handshake, tls, address):
                return TlsError(f"no secure connection to {address}: {why}")
            return ServerGoneError(add_proxy(f"no answer from {address}: {describe_failure(text)}", address))
        match code:
            case _CODES.UNAUTHENTICATED | _CODES.PERMISSION_DENIED:
                return TokenRefusedError(f"{address}: {text}", ending.reason)
            case _CODES.NOT_FOUND if ending.unknown_kind == _UPLOAD:
                return _UploadEndedError(text, ending.reason)
            case _CODES.NOT_FOUND | _CODES.INVALID_ARGUMENT | _CODES.FAILED_PRECONDITION:
                return RefusedError(text, ending.reason)
            case _CODES.RESOURCE_EXHAUSTED:
                return RefusedError(text, "LIMIT_REACHED")
            case _CODES.UNAVAILABLE | _CODES.DEADLINE_EXCEEDED | _CODES.CANCELLED:
                return ServerGoneError(f"the server at {address} did not answer: {text}")
            case _:
                return CheatArenaError(f"the server at {address} failed: {code.name}: {text}")


async def _read_pieces(
    archive: IO[bytes], upload: pb.BeginUploadResponse, note: Callable[[int], object]
) -> AsyncIterator[pb.UploadRequest]:
    """Yield the messages of an upload; the first one names the upload."""
    archive.seek(upload.offset)
    sent = upload.offset
    note(sent)
    yield pb.UploadRequest(upload_id=upload.upload_id, offset=upload.offset)
    while data := archive.read(_PIECE_BYTES):
        yield pb.UploadRequest(data=data)
        sent += len(data)
        note(sent)


def _read_with_steps(message: pb.GetSubmissionResponse | pb.FollowSubmissionResponse) -> WithSteps:
    return read_submission(message.submission), tuple(map(read_step, message.steps))
