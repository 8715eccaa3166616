"""The client of SubmissionService, which hands in packages and follows them.

Its methods take and return plain values and raise the arena's own errors, so callers need to know nothing about gRPC.
"""

import hashlib
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from typing import IO, Final

import grpc

from arena.bots.submissions.submission import UPLOAD, Step, Submission
from arena.errors import EnvironmentFaultError, UnknownNameError
from arena.server.rpc.client_channel import Patience, ServiceClient
from arena.server.rpc.submission_messages import number_of_step, read_step, read_submission
from cheatarena.v1 import submission_pb2 as pb
from cheatarena.v1 import submission_pb2_grpc

_PIECE_BYTES: Final = 256 * 1024
_PAGE_SIZE: Final = 100
_MOST_ENDED: Final = 5
"""How often an upload may be begun again because another stream has ended it."""


class SubmissionClient(ServiceClient):
    """Hands in packages as their owner. The token needs the scope `submit` or `own`.

    Every call raises DeniedError if the token does not permit the call, RequestError if the server refuses the request
    or the package, CapacityError beyond a limit or quota, and EnvironmentFaultError if the server cannot be reached.
    """

    stub_kind = submission_pb2_grpc.SubmissionServiceStub

    async def upload(
        self, bot: str, archive: IO[bytes], note: Callable[[int, int], object] = lambda _, __: None
    ) -> Submission:
        """Hand in an archive from its beginning, and return its submission.

        If the connection is lost, try for 20 seconds to continue where it stopped. If somebody else hands in the same
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
                answer = await self._answer(self._stub.Upload(pieces, metadata=self._metadata))
                return read_submission(answer.submission)
            except UnknownNameError as error:
                ended += 1
                if error.kind != UPLOAD or ended == _MOST_ENDED:
                    raise
            except EnvironmentFaultError:
                if furthest < 0 or not patience.lasts():
                    raise
            await patience.pause()

    async def follow(self, submission_id: str) -> AsyncGenerator[tuple[Submission, Sequence[Step]], None]:
        """Yield a submission with its steps now and whenever it has changed, until it no longer changes by itself.

        If the connection is lost, try for 20 seconds to reach the server again.
        """
        told, patience = None, Patience()
        while True:
            stream = self._stub.FollowSubmission(
                pb.FollowSubmissionRequest(submission_id=submission_id), metadata=self._metadata
            )
            try:
                while (message := await self._answer(stream.read())) is not grpc.aio.EOF:
                    patience.renew()
                    if (found := _read_with_steps(message)) != told:
                        told = found
                        yield found
            except EnvironmentFaultError:
                if told is None or not patience.lasts():
                    raise
            else:
                return
            finally:
                stream.cancel()
            await patience.pause()

    async def list_versions(self, bot: str = "") -> list[Submission]:
        """The newest comes first. Without a `bot`, all bots of the owner count."""
        found, token = list[Submission](), ""
        while True:
            request = pb.ListVersionsRequest(bot=bot, page_size=_PAGE_SIZE, page_token=token)
            page = await self._call(self._stub.ListVersions, request)
            found += map(read_submission, page.submissions)
            token = page.next_page_token
            if not token:
                return found

    async def get(self, submission_id: str) -> tuple[Submission, Sequence[Step]]:
        """The steps are those that have started, in their order."""
        answer = await self._call(self._stub.GetSubmission, pb.GetSubmissionRequest(submission_id=submission_id))
        return _read_with_steps(answer)

    async def read_log(self, submission_id: str, step: str) -> str:
        """The log may have control characters in it. Raises RequestError for an unknown step."""
        request = pb.ReadLogRequest(submission_id=submission_id, step=number_of_step(step))
        log: str = (await self._call(self._stub.ReadLog, request)).log
        return log

    async def activate(self, bot: str, version: str) -> Submission:
        """Let a version play that was tried before."""
        request = pb.ActivateRequest(bot=bot, version=version)
        return read_submission((await self._call(self._stub.Activate, request)).submission)

    async def roll_back(self, bot: str) -> Submission:
        """Let the version play that was active before."""
        return read_submission((await self._call(self._stub.RollBack, pb.RollBackRequest(bot=bot))).submission)

    async def withdraw(self, bot: str, version: str) -> Submission:
        """Withdraw a version for ever."""
        request = pb.WithdrawRequest(bot=bot, version=version)
        return read_submission((await self._call(self._stub.Withdraw, request)).submission)


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
