"""Receives the form with an archive piece by piece, so that it never is in memory whole.

Nothing is read for another site or for a form of another session: its token comes before the archive.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from tempfile import TemporaryFile
from typing import IO, Final

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect, Request

from arena.bots.packages.rules import format_size
from arena.errors import StoreError
from arena.web.errors import RefusedError
from arena.web.guards.bounded_protocol import CONNECTION
from arena.web.guards.form_token import check_form_token
from arena.web.limits import WebLimits
from arena.web.page import Asked
from arena.web.session import Session

ARCHIVE: Final = "archive"
"""The name of the field with the archive."""
_FORM_TYPE: Final = b"multipart/form-data"
_BESIDES_BYTES: Final = 65_536
"""How much a form may have besides the archive."""


@asynccontextmanager
async def receive_archive(asked: Asked, session: Session, most: int) -> AsyncIterator[IO[bytes]]:
    """Yield the archive of a form as a file that has no name and goes away by itself.

    An archive of more than `most` bytes is not stored, but read a while, because browsers show no answer before they
    have sent what they send. Raises RefusedError, and StoreError if the file cannot be written.
    """
    boundary = _boundary_of(asked.request)
    limits = asked.sources.limits
    form = _ArchiveForm(session, most, limits.form_bytes)
    with _as_store_errors():
        file = TemporaryFile(dir=asked.sources.store.submissions_folder)  # noqa: SIM115  closed below
    with file:
        with _more_time(asked.request, limits):
            await _read_form(_read_chunks(asked.request, 2 * most, limits.upload_silence_s), boundary, form, file)
        yield file


class _ArchiveForm:
    """Sorts the parts of a form as they arrive."""

    def __init__(self, session: Session, most: int, most_of_fields: int) -> None:
        """`most` are the bytes that the archive may have, and `most_of_fields` those of all other fields."""
        self.pieces: list[bytes] = []
        """What has arrived of the archive and is not written yet."""
        self.size = 0
        """Bytes of the archive that have arrived."""
        self.has_ended = False
        self._session = session
        self.most = most
        self._most_of_fields = self._left = most_of_fields
        self._fields: dict[str, bytearray] = {}
        self._header, self._value = bytearray(), bytearray()
        self._name = ""
        self._is_file = False
        self._file_count = 0

    @property
    def is_too_large(self) -> bool:
        """Then further bytes are thrown away."""
        return self.size > self.most

    def parser(self, boundary: bytes) -> MultipartParser:
        """The parser raises RefusedError as soon as a part is refused."""
        return MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin_part,
                "on_header_field": lambda data, start, end: self._header.extend(data[start:end]),
                "on_header_value": lambda data, start, end: self._value.extend(data[start:end]),
                "on_header_end": self._end_header,
                "on_headers_finished": self._end_headers,
                "on_part_data": self._add_data,
                "on_end": self._end,
            },
        )

    def check_token(self) -> None:
        """Raise RefusedError if the form does not come from a page of this session."""
        check_form_token(self._session, {name: value.decode("latin-1") for name, value in self._fields.items()})

    def _begin_part(self) -> None:
        self._name, self._is_file = "", False

    def _end_header(self) -> None:
        if self._header.lower() == b"content-disposition":
            _, options = parse_options_header(bytes(self._value))
            self._name = options.get(b"name", b"").decode("latin-1")
            self._is_file = b"filename" in options
        self._header.clear()
        self._value.clear()

    def _end_headers(self) -> None:
        if not self._is_file:
            return
        self.check_token()
        self._file_count += 1
        if self._name != ARCHIVE or self._file_count > 1:
            raise RefusedError(400, f"the form must carry one file, in its field {ARCHIVE!r}")

    def _add_data(self, data: bytes, start: int, end: int) -> None:
        if not self._is_file:
            self._left -= end - start
            if self._left < 0:
                raise RefusedError(
                    413, f"the fields beside the archive are too large: at most {self._most_of_fields} bytes"
                )
            self._fields.setdefault(self._name, bytearray()).extend(data[start:end])
            return
        self.size += end - start
        if not self.is_too_large:
            self.pieces.append(data[start:end])

    def _end(self) -> None:
        self.has_ended = True


async def _read_form(chunks: AsyncIterator[bytes], boundary: bytes, form: _ArchiveForm, file: IO[bytes]) -> None:
    try:
        parser = form.parser(boundary)
        async for chunk in chunks:
            parser.write(chunk)
            if form.pieces:
                with _as_store_errors():
                    await asyncio.to_thread(file.write, b"".join(form.pieces))
                form.pieces.clear()
    except FormParserError as error:
        raise RefusedError(400, f"the form cannot be read as {_FORM_TYPE.decode()}") from error
    if form.is_too_large:
        raise RefusedError(413, f"the archive is too large: at most {format_size(form.most)}")
    if not form.has_ended:
        raise RefusedError(400, "the form did not arrive whole: send it again")
    form.check_token()
    if not form.size:
        raise RefusedError(422, "the form has no archive: choose one first")


async def _read_chunks(request: Request, most: int, silence_s: float) -> AsyncIterator[bytes]:
    """Yield the body of a request as it arrives, up to about `most` bytes."""
    left, stream = most + _BESIDES_BYTES, request.stream()
    while left > 0:
        try:
            chunk = await asyncio.wait_for(anext(stream, None), silence_s)
        except TimeoutError as error:
            raise RefusedError(408, f"the upload was silent for {silence_s:g} s: try again") from error
        except ClientDisconnect as error:
            raise RefusedError(400, "the form did not arrive whole: send it again") from error
        if chunk is None:
            return
        left -= len(chunk)
        yield chunk


def _boundary_of(request: Request) -> bytes:
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    if kind != _FORM_TYPE or not options.get(b"boundary"):
        raise RefusedError(415, f"an archive must be sent as {_FORM_TYPE.decode()}")
    return options[b"boundary"]


@contextmanager
def _more_time(request: Request, limits: WebLimits) -> Iterator[None]:
    """Give the body of a request more time to arrive while the block runs, and then the usual time for its rest."""
    connection = request.scope.get("extensions", {}).get(CONNECTION)
    if connection is None:
        yield
        return
    connection.allow_time(limits.upload_s)
    try:
        yield
    finally:
        connection.allow_time(limits.request_s)


@contextmanager
def _as_store_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"the archive cannot be stored: {error.strerror}") from error
