"""Submissions over a real server: upload, resume, follow, and what only the owner of a bot may see or do."""

import asyncio
import gzip
import hashlib
import io
import random
import tarfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from typing import Any

import grpc
import pytest

from arena.bots.packages.unpacking import check_archive
from arena.bots.submissions.submission import STEPS, RunNote, SubmissionState
from arena.bots.submissions.submission_settings import SubmissionSettings
from arena.competition.pools.pool_settings import PoolSettings
from arena.errors import EnvironmentFaultError
from arena.server.rpc import submission_service
from cheatarena import patience, submission_client
from cheatarena.errors import CheatArenaError, RefusedError, RequestError, TokenRefusedError
from cheatarena.settings import Settings
from cheatarena.submission_client import SubmissionClient
from cheatarena.submission_values import read_step, read_submission
from cheatarena.v1 import submission_pb2 as pb
from cheatarena.v1 import submission_pb2_grpc
from tests.support.archives import SCRIPT, entry, tar_gz
from tests.support.server import LocalServer, open_server
from tests.support.wire_bot import bearer, expect_refusal, new_channel

S = SubmissionState


def package(version: str = "1.0", name: str = "counter", more: str = "", ballast: int = 0) -> io.BytesIO:
    """Return an archive; `ballast` random bytes make it larger."""
    manifest = f'name = "{name}"\nversion = "{version}"\n{more}'.encode()
    files = [entry("bot.toml", manifest), entry("bot.py", SCRIPT)]
    if ballast:
        files.append(entry("weights", random.Random(ballast).randbytes(ballast)))
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for info, content in files:
            archive.addfile(info, io.BytesIO(content))
    return io.BytesIO(gzip.compress(file.getvalue(), mtime=0))


@pytest.fixture(autouse=True)
def _quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submission_service, "POLL_INTERVAL_S", 0.01)
    monkeypatch.setattr(patience, "RETRY_INTERVAL_S", 0.01)


@pytest.fixture
async def taking(tmp_path) -> AsyncIterator[LocalServer]:
    """A server that takes submissions, with the owners ada and ben."""
    settings = SubmissionSettings(enabled=True, archive_mb=2, unpacked_mb=4, queued=10)
    pool = PoolSettings(name="dice", seats=3, game="cheater")
    async with open_server(tmp_path / "data", submissions=settings, pools=(pool,)) as server:
        for owner in ("ada", "ben"):
            await server.store.owners.add(owner, "", 4)
        yield server


@asynccontextmanager
async def connect(server: LocalServer, owner: str = "ada", scope: str = "submit") -> AsyncIterator[SubmissionClient]:
    """Connect a client with a token of an owner."""
    token = await server.store.tokens.create(owner, [scope], owner=owner)
    async with SubmissionClient(Settings(server.address, token)) as client:
        yield client


@asynccontextmanager
async def connect_stub(server: LocalServer, owner: str = "ada") -> AsyncIterator[tuple[Any, Any]]:
    """Connect without the client; yield the stub and the metadata."""
    token = await server.store.tokens.create(owner, ["own"], owner=owner)
    async with new_channel(server.address) as channel:
        yield submission_pb2_grpc.SubmissionServiceStub(channel), bearer(token)


async def begin(stub: Any, metadata: Any, archive: bytes, bot: str = "counter") -> pb.BeginUploadResponse:
    """Begin the upload of an archive."""
    digest = hashlib.sha256(archive).digest()
    request = pb.BeginUploadRequest(bot=bot, sha256=digest, byte_count=len(archive))
    begun: pb.BeginUploadResponse = await stub.BeginUpload(request, metadata=metadata)
    return begun


async def try_submission(server: LocalServer, submission_id: str) -> None:
    """Take a submission through all steps, as the worker does."""
    for state, following in zip((S.QUEUED, *STEPS), (*STEPS, S.ACTIVE), strict=True):
        assert await server.store.submissions.move(submission_id, state, following)


def stored_archives(server: LocalServer) -> set[str]:
    """Return the names of the stored archives."""
    return {path.name for path in (server.store.submissions_folder / "packages").glob("*")}


def files_of_uploads(server: LocalServer) -> list[int]:
    """Return the sizes of the uploads in progress."""
    return [path.stat().st_size for path in (server.store.submissions_folder / "uploads").glob("*")]


# ---- the way in


@pytest.mark.parametrize("scope", ["submit", "own"])
async def test_package_is_queued_and_stored_by_its_content(taking: LocalServer, scope: str):
    archive, told = package(ballast=700_000), list[tuple[int, int]]()
    async with connect(taking, scope=scope) as client:
        report = await client.upload("counter", archive, lambda *progress: told.append(progress))

    size, content = len(archive.getvalue()), check_archive(io.BytesIO(archive.getvalue())).hash
    assert (report.bot, report.version, report.state, report.byte_count) == ("counter", "1.0", "queued", size)
    assert report.package == content
    assert stored_archives(taking) == {f"{content}.tar.gz"}
    assert files_of_uploads(taking) == []
    assert (told[0], told[-1]) == ((0, size), (size, size))
    assert await taking.store.owners.owner_of("counter") == "ada"


async def test_same_package_again_is_the_same_submission(taking: LocalServer):
    """Neither its own archive nor another one with the same content makes a new one."""
    again = io.BytesIO(gzip.compress(gzip.decompress(package().getvalue()), 1))
    async with connect(taking) as client:
        first = await client.upload("counter", package())
        told = list[int]()
        assert await client.upload("counter", package(), lambda sent, _: told.append(sent)) == first
        assert told == []
        assert await client.upload("counter", again) == first


@pytest.mark.slow
async def test_torn_upload_goes_on_where_it_stopped(taking: LocalServer):
    """The stream is cut after half of the bytes; the second one sends only the rest."""
    archive = package(ballast=900_000).getvalue()
    half = len(archive) // 2
    async with connect_stub(taking) as (stub, metadata):
        begun = await begin(stub, metadata, archive)
        torn = stub.Upload(metadata=metadata)
        await torn.write(pb.UploadRequest(upload_id=begun.upload_id))
        for start in range(0, half, 100_000):
            await torn.write(pb.UploadRequest(data=archive[start : min(start + 100_000, half)]))
        while files_of_uploads(taking) != [half]:
            await asyncio.sleep(0.01)
        torn.cancel()

        again = await begin(stub, metadata, archive)
        assert (again.upload_id, again.offset) == (begun.upload_id, half)
    told = list[int]()
    async with connect(taking) as client:
        report = await client.upload("counter", io.BytesIO(archive), lambda sent, _: told.append(sent))

    assert report.state == "queued"
    assert told[0] == half


async def test_upload_goes_on_after_a_restart_of_the_server(tmp_path):
    archive = package(ballast=300_000).getvalue()
    settings = SubmissionSettings(enabled=True)
    async with open_server(tmp_path / "data", submissions=settings) as server:
        await server.store.owners.add("ada", "", 4)
        async with connect_stub(server) as (stub, metadata):
            begun = await begin(stub, metadata, archive)
            parts = iter([pb.UploadRequest(upload_id=begun.upload_id, data=archive[:200_000])])
            await expect_refusal(stub.Upload(parts, metadata=metadata))

    async with open_server(tmp_path / "data", submissions=settings) as server, connect(server) as client:
        told = list[int]()
        report = await client.upload("counter", io.BytesIO(archive), lambda sent, _: told.append(sent))
    assert (report.state, told[0]) == ("queued", 200_000)


async def test_client_resumes_by_itself(taking: LocalServer, monkeypatch: pytest.MonkeyPatch):
    """The server loses each stream after the first piece of it, three times."""
    archive, losses = package(ballast=1_200_000), 0
    real = submission_service._read_data

    async def lose(first: pb.UploadRequest, frames: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        nonlocal losses
        async for data in real(first, frames):
            yield data
            if losses < 3:
                losses += 1
                raise EnvironmentFaultError("the line is cut")

    monkeypatch.setattr(submission_service, "_read_data", lose)
    async with connect(taking) as client:
        report = await client.upload("counter", archive)

    assert (report.state, losses) == ("queued", 3)


async def test_upload_that_ends_early_says_where_to_go_on(taking: LocalServer):
    archive = package().getvalue()
    async with connect_stub(taking) as (stub, metadata):
        begun = await begin(stub, metadata, archive)
        parts = iter([pb.UploadRequest(upload_id=begun.upload_id, data=archive[:50])])
        outcome = await expect_refusal(stub.Upload(parts, metadata=metadata))
        assert outcome.code is grpc.StatusCode.INVALID_ARGUMENT
        assert f"50 of {len(archive)} bytes have arrived" in outcome.text

        wrong = iter([pb.UploadRequest(upload_id=begun.upload_id, offset=60, data=archive[60:])])
        assert "must be at most 50, got" in (await expect_refusal(stub.Upload(wrong, metadata=metadata))).text


async def test_more_bytes_than_announced_are_refused(taking: LocalServer):
    archive = package().getvalue()
    async with connect_stub(taking) as (stub, metadata):
        begun = await begin(stub, metadata, archive)
        parts = iter([pb.UploadRequest(upload_id=begun.upload_id, data=archive + b"x")])
        outcome = await expect_refusal(stub.Upload(parts, metadata=metadata))

    assert "bytes, as announced, got more" in outcome.text


async def test_piece_that_is_too_large_is_refused(taking: LocalServer):
    """The limit is that of the contract, 512 KiB, so that few uploads cannot fill the server's memory."""
    archive = package(ballast=600_000).getvalue()
    async with connect_stub(taking) as (stub, metadata):
        begun = await begin(stub, metadata, archive)
        first = pb.UploadRequest(upload_id=begun.upload_id, data=archive[: 512 * 1024])
        outcome = await expect_refusal(stub.Upload(iter([first]), metadata=metadata))
        assert f"524288 of {len(archive)} bytes have arrived" in outcome.text

        again = await begin(stub, metadata, archive)
        large = pb.UploadRequest(upload_id=again.upload_id, data=archive[: 512 * 1024 + 1])
        outcome = await expect_refusal(stub.Upload(iter([large]), metadata=metadata))

    assert "at most 524288 bytes" in outcome.text


async def test_changed_bytes_are_refused_and_forgotten(taking: LocalServer):
    archive = package().getvalue()
    async with connect_stub(taking) as (stub, metadata):
        begun = await begin(stub, metadata, archive)
        parts = iter([pb.UploadRequest(upload_id=begun.upload_id, data=bytes(len(archive)))])
        outcome = await expect_refusal(stub.Upload(parts, metadata=metadata))
        assert outcome.reason == "PACKAGE_REFUSED"
        assert files_of_uploads(taking) == []
        assert (await begin(stub, metadata, archive)).upload_id != begun.upload_id


async def test_same_archive_twice_at_once_is_one_submission(taking: LocalServer):
    """Two runs of a CI begin together; each sends all bytes, in small pieces that mingle."""
    archive = package(ballast=400_000).getvalue()

    async def send(stub: Any, metadata: Any, upload_id: str) -> pb.Submission:
        async def pieces() -> AsyncIterator[pb.UploadRequest]:
            yield pb.UploadRequest(upload_id=upload_id)
            for start in range(0, len(archive), 20_000):
                yield pb.UploadRequest(data=archive[start : start + 20_000])
                await asyncio.sleep(0)

        answer: pb.UploadResponse = await stub.Upload(pieces(), metadata=metadata)
        return answer.submission

    async with connect_stub(taking) as (stub, metadata), connect(taking) as client:
        first, second = await begin(stub, metadata, archive), await begin(stub, metadata, archive)
        assert first.upload_id == second.upload_id
        sent = send(stub, metadata, first.upload_id), send(stub, metadata, second.upload_id)
        answers = await asyncio.gather(*sent, return_exceptions=True)
        done = [each.submission_id for each in answers if isinstance(each, pb.Submission)]
        late = [each.details() for each in answers if isinstance(each, grpc.aio.AioRpcError)]
        assert len(done) + len(late) == 2
        assert done
        assert all("unknown upload" in str(text) for text in late), "the client then begins again, as below"
        assert (await client.upload("counter", io.BytesIO(archive))).submission_id == done[0]
        assert len(await client.list_versions("counter")) == 1
    assert files_of_uploads(taking) == []
    assert len(stored_archives(taking)) == 1


async def test_many_clients_with_the_same_archive_all_get_its_submission(taking: LocalServer):
    archive = package(ballast=800_000).getvalue()
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(connect(taking)) for _ in range(5)]
        reports = await asyncio.gather(*(client.upload("counter", io.BytesIO(archive)) for client in clients))

    assert len({report.submission_id for report in reports}) == 1
    assert files_of_uploads(taking) == []
    assert len(stored_archives(taking)) == 1


async def test_bytes_that_have_arrived_never_change(taking: LocalServer):
    """Else a second stream could change an archive that was just checked."""
    archive = package(ballast=100_000).getvalue()
    async with connect_stub(taking) as (stub, metadata):
        begun = await begin(stub, metadata, archive)
        first = iter([pb.UploadRequest(upload_id=begun.upload_id, data=archive[:-1])])
        await expect_refusal(stub.Upload(first, metadata=metadata))
        other = iter([pb.UploadRequest(upload_id=begun.upload_id, data=bytes(len(archive) - 1) + archive[-1:])])
        answer = await stub.Upload(other, metadata=metadata)

    assert answer.submission.state == pb.SUBMISSION_STATE_QUEUED
    (stored,) = (taking.store.submissions_folder / "packages").iterdir()
    assert stored.read_bytes() == archive


async def test_newer_stream_of_an_upload_takes_over(taking: LocalServer):
    archive = package(ballast=500_000).getvalue()
    async with connect_stub(taking) as (stub, metadata):
        begun = await begin(stub, metadata, archive)
        old = stub.Upload(metadata=metadata)
        await old.write(pb.UploadRequest(upload_id=begun.upload_id, data=archive[:1_000]))
        while files_of_uploads(taking) != [1_000]:
            await asyncio.sleep(0.01)

        def rest() -> Iterator[pb.UploadRequest]:
            yield pb.UploadRequest(upload_id=begun.upload_id, offset=1_000)
            yield pb.UploadRequest(data=archive[1_000:300_000])
            yield pb.UploadRequest(data=archive[300_000:])

        answer = await stub.Upload(rest(), metadata=metadata)
        assert answer.submission.state == pb.SUBMISSION_STATE_QUEUED
        old.cancel()


async def test_silent_upload_ends(taking: LocalServer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(submission_service, "PIECE_TIMEOUT_S", 0.05)
    archive = package().getvalue()
    async with connect_stub(taking) as (stub, metadata):
        begun = await begin(stub, metadata, archive)
        call = stub.Upload(metadata=metadata)
        await call.write(pb.UploadRequest(upload_id=begun.upload_id, data=archive[:9]))

        outcome = await expect_refusal(call)

    assert outcome.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "the upload was silent" in outcome.text
    assert files_of_uploads(taking) == [9]


# ---- refusals


@pytest.mark.parametrize(
    ("archive", "rule", "text"),
    [
        (tar_gz(entry("/etc/passwd", b"x")), "path_leaves", "'/etc/passwd' leaves the package"),
        (tar_gz(entry("a", type=tarfile.SYMTYPE, linkname="/")), "link", "is a symbolic link"),
        (tar_gz(entry("a", type=tarfile.CHRTYPE)), "special_file", "is a device"),
        (tar_gz(entry("a", b"", mode=0o4755)), "special_mode", "set-uid"),
        (tar_gz(entry("zeros", bytes(5 << 20))), "too_large", "at most 4 MB"),
        (tar_gz(*(entry(f"a{number}") for number in range(2_000))), "too_many_files", "too many files"),
        (b"hello" * 200, "damaged", "this is no tar archive"),
    ],
)
async def test_hostile_package_is_refused_with_its_rule_and_nothing_is_kept(
    taking: LocalServer, archive: bytes, rule: str, text: str
):
    async with connect_stub(taking) as (stub, metadata):
        begun = await begin(stub, metadata, archive)
        parts = iter([pb.UploadRequest(upload_id=begun.upload_id, data=archive)])
        outcome = await expect_refusal(stub.Upload(parts, metadata=metadata))

    assert (outcome.code, outcome.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "PACKAGE_REFUSED")
    assert outcome.metadata == {"rule": rule}
    assert text in outcome.text
    assert (files_of_uploads(taking), stored_archives(taking)) == ([], set())
    assert await taking.store.owners.owner_of("counter") is None


@pytest.mark.parametrize(
    ("archive", "text"),
    [
        (package(name="other"), "the package is for the bot 'other'"),
        (package(more='pools = ["main"]'), "unknown pool 'main'"),
        (
            package(more='pools = ["dice"]\ngames = ["cheat"]'),
            "'dice' is refused: the pool plays cheater, and the bot only cheat",
        ),
        (package(more=f"x = {'[' * 5_000}{']' * 5_000}"), "cannot read 'bot.toml': expected TOML"),
        (package(more=f"[x{'.x' * 3_000}]"), "cannot read 'bot.toml': expected TOML with at most 16 levels"),
        (package(more=f"x = 0x{'f' * 9_000}"), "cannot read 'bot.toml': expected TOML with whole numbers"),
        (package(version="a b"), "a package has a version of"),
        (package(more="build = 7"), "bot.toml: build"),
    ],
)
async def test_manifest_that_does_not_fit_is_refused(taking: LocalServer, archive: io.BytesIO, text: str):
    async with connect(taking) as client:
        with pytest.raises(RefusedError) as refusal:
            await client.upload("counter", archive)

    assert text in str(refusal.value)
    assert (files_of_uploads(taking), stored_archives(taking)) == ([], set())


async def test_archive_that_is_too_large_is_refused_before_it_is_sent(taking: LocalServer):
    async with connect(taking) as client:
        with pytest.raises(RefusedError, match="the archive is too large: at most 2 MB"):
            await client.upload("counter", package(ballast=3 << 20))


async def test_bot_of_another_owner_is_refused_before_anything_is_sent(taking: LocalServer):
    async with connect(taking) as ada, connect(taking, "ben") as ben:
        await ada.upload("counter", package())
        with pytest.raises(RefusedError, match="it is taken"):
            await ben.upload("counter", package())
    assert files_of_uploads(taking) == []


async def test_version_with_other_content_is_refused_and_its_archive_removed(taking: LocalServer):
    async with connect(taking) as client:
        await client.upload("counter", package())
        with pytest.raises(RefusedError, match="was submitted before and is queued: give the package another"):
            await client.upload("counter", package(ballast=10))
    assert len(stored_archives(taking)) == 1


async def test_quota_refuses_before_anything_is_sent(tmp_path):
    settings = SubmissionSettings(enabled=True, queued=1)
    async with open_server(tmp_path / "data", submissions=settings) as server:
        await server.store.owners.add("ada", "", 4)
        async with connect(server) as client:
            first = await client.upload("counter", package())
            assert await client.upload("counter", package()) == first
            with pytest.raises(RefusedError, match="'ada' has 1 submission under way"):
                await client.upload("counter", package("2.0"))


async def test_server_without_submissions_says_so(tmp_path):
    async with open_server(tmp_path / "data") as server:
        await server.store.owners.add("ada", "", 4)
        async with connect(server) as client:
            for act in (client.upload("counter", package()), client.list_versions(), client.roll_back("counter")):
                with pytest.raises(RefusedError, match="this server takes no submissions"):
                    await act


async def test_token_without_an_owner_or_scope_is_refused(taking: LocalServer):
    for scope, text in (("play", "this call needs submit"), ("submit", "belongs to no owner")):
        token = await taking.store.tokens.create("visitor", [scope])
        async with SubmissionClient(Settings(taking.address, token)) as client:
            with pytest.raises(TokenRefusedError, match=text):
                await client.list_versions()


# ---- what the owner sees and does


async def test_follower_sees_each_change_and_the_end(taking: LocalServer):
    async with connect(taking) as client:
        submitted = await client.upload("counter", package())
        seen = list[str]()
        async for found, _ in client.follow(submitted.submission_id):
            seen.append(found.state)
            states = [S.QUEUED, *STEPS, S.ACTIVE]
            following = states[states.index(S(found.state)) + 1 :]
            if following:
                await taking.store.submissions.move(found.submission_id, S(found.state), following[0])

    assert seen == ["queued", "building", "checking", "trying", "active"]


async def test_failed_step_has_a_sentence_and_a_log(taking: LocalServer):
    async with connect(taking) as client:
        submitted = await client.upload("counter", package())
        store = taking.store.submissions
        await store.take_next()
        await store.start_step(submitted.submission_id, S.BUILDING)
        await store.end_step(
            submitted.submission_id, S.BUILDING, is_passed=False, sentence="the build failed", log="\x1b[31mno rule\n"
        )
        await store.move(submitted.submission_id, S.BUILDING, S.REFUSED, sentence="the build failed")

        ((found, steps),) = [each async for each in client.follow(submitted.submission_id)]

        assert (found.state, found.refused_step, found.sentence) == ("refused", "building", "the build failed")
        assert [(step.name, step.is_passed, step.sentence) for step in steps] == [
            ("building", False, "the build failed")
        ]
        assert await client.read_log(found.submission_id, "building") == "\x1b[31mno rule\n"
        assert await client.get(found.submission_id) == (found, steps)
        with pytest.raises(RefusedError, match="unknown step 'checking'"):
            await client.read_log(found.submission_id, "checking")
        with pytest.raises(RequestError, match="one of building, checking, trying, running"):
            await client.read_log(found.submission_id, "sleeping")


async def test_owner_alone_reads_what_the_bot_writes_while_it_plays(taking: LocalServer):
    async with connect(taking) as ada, connect(taking, "ben") as ben:
        submitted = await ada.upload("counter", package())
        with pytest.raises(RefusedError, match="unknown step 'running'"):
            await ada.read_log(submitted.submission_id, "running")
        await try_submission(taking, submitted.submission_id)
        note = RunNote(submitted.submission_id, "it ended once", "it does not keep running", "no cards left")
        await taking.store.submissions.note_runs([note])

        found, steps = await ada.get(submitted.submission_id)
        assert (found.state, found.sentence) == ("active", "it does not keep running")
        assert [(step.name, step.is_passed, step.sentence) for step in steps] == [("running", None, "it ended once")]
        assert await ada.read_log(submitted.submission_id, "running") == "no cards left"
        with pytest.raises(RefusedError, match="unknown submission"):
            await ben.read_log(submitted.submission_id, "running")


async def test_versions_are_activated_rolled_back_and_withdrawn(taking: LocalServer):
    async with connect(taking) as client:
        for version in ("1", "2", "3"):
            submitted = await client.upload("counter", package(version))
            await try_submission(taking, submitted.submission_id)

        assert (await client.roll_back("counter")).version == "2"
        assert (await client.activate("counter", "1")).state == "active"
        assert (await client.withdraw("counter", "1")).state == "withdrawn"
        assert {each.version: each.state for each in await client.list_versions("counter")} == {
            "3": "inactive",
            "2": "inactive",
            "1": "withdrawn",
        }
    assert len(stored_archives(taking)) == 2


async def test_nobody_else_sees_or_changes_anything(taking: LocalServer):
    """Everything of another owner is refused exactly like something that does not exist."""
    async with connect(taking) as ada, connect(taking, "ben") as ben:
        submitted = await ada.upload("counter", package())
        await try_submission(taking, submitted.submission_id)

        async def texts(submission_id: str, bot: str) -> list[str]:
            calls = (
                ben.get(submission_id),
                ben.read_log(submission_id, "building"),
                anext(ben.follow(submission_id)),
                ben.list_versions(bot),
                ben.activate(bot, "1.0"),
                ben.roll_back(bot),
                ben.withdraw(bot, "1.0"),
            )
            refusals = await asyncio.gather(*calls, return_exceptions=True)
            assert all(isinstance(each, CheatArenaError) for each in refusals), refusals
            return [str(each).replace(submission_id, "ID").replace(bot, "BOT") for each in refusals]

        unknown = "01JZ8QK3T5V7X9B2D4F6H8M0NP"
        assert await texts(submitted.submission_id, "counter") == await texts(unknown, "nobody")
        assert await ben.list_versions() == []
        assert [each.state for each in await ada.list_versions()] == ["active"]


async def test_upload_of_another_owner_cannot_be_continued(taking: LocalServer):
    archive = package().getvalue()
    async with connect_stub(taking) as (ada, ada_metadata), connect_stub(taking, "ben") as (ben, ben_metadata):
        begun = await begin(ada, ada_metadata, archive)
        parts = iter([pb.UploadRequest(upload_id=begun.upload_id, data=archive)])
        outcome = await expect_refusal(ben.Upload(parts, metadata=ben_metadata))

    assert outcome.code is grpc.StatusCode.NOT_FOUND
    assert files_of_uploads(taking) == [0], "nothing has arrived"


async def test_owner_with_many_followers_leaves_room_for_others(taking: LocalServer, monkeypatch):
    """An owner has any number of connections, so the limit of streams of a connection is not enough."""
    monkeypatch.setattr(submission_service, "_MAX_FOLLOWERS_AN_OWNER", 2)
    async with connect(taking) as ada, connect(taking, "ben") as ben, AsyncExitStack() as stack:
        own = await ada.upload("counter", package())
        other = await ben.upload("brave", package(name="brave"))
        for _ in range(2):
            follower = await stack.enter_async_context(aclosing(ada.follow(own.submission_id)))
            await anext(follower)

        with pytest.raises(RefusedError, match="the most followers of submissions at once are 2 of an owner"):
            await anext(ada.follow(own.submission_id))
        seen, _ = await anext(ben.follow(other.submission_id))
        assert seen.bot == "brave"


async def test_full_upload_beyond_a_quota_is_not_checked_again_and_again(tmp_path, monkeypatch):
    """To check a package takes long, and all packages are checked one after the other."""
    checked = list[object]()
    archives = [package(version).getvalue() for version in ("1", "2")]
    async with open_server(tmp_path / "data", submissions=SubmissionSettings(enabled=True, queued=1)) as server:
        await server.store.owners.add("ada", "", 4)
        async with connect_stub(server) as (stub, metadata):
            first, second = [await begin(stub, metadata, archive) for archive in archives]
            part = pb.UploadRequest(upload_id=first.upload_id, data=archives[0])
            await stub.Upload(iter([part]), metadata=metadata)
            monkeypatch.setattr("arena.server.intake.intake.check_archive", lambda *given: checked.append(given))
            part = pb.UploadRequest(upload_id=second.upload_id, data=archives[1])
            outcome = await expect_refusal(stub.Upload(iter([part]), metadata=metadata))

    assert outcome.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert checked == []


async def test_follower_with_a_revoked_token_is_cut_off(taking: LocalServer):
    token = await taking.store.tokens.create("ada", ["submit"], owner="ada")
    async with SubmissionClient(Settings(taking.address, token)) as client:
        submitted = await client.upload("counter", package())
        following = client.follow(submitted.submission_id)
        await anext(following)
        await taking.store.tokens.revoke("ada")

        with pytest.raises(TokenRefusedError):
            await asyncio.wait_for(anext(following), 10)


async def test_pages_list_all_versions(taking: LocalServer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(submission_client, "PAGE_SIZE", 2)
    async with connect(taking) as client:
        for number in range(5):
            await client.upload("counter", package(str(number)))

        assert [each.version for each in await client.list_versions()] == ["4", "3", "2", "1", "0"]


def test_states_that_only_a_newer_server_knows_are_unknown():
    found = read_submission(pb.Submission(bot="counter", state=99, refused_step=98))  # type: ignore[arg-type]  # unknown here
    step = read_step(pb.SubmissionStep(step=99, started_at_s=7))  # type: ignore[arg-type]  # unknown here

    assert (found.state, found.refused_step, found.is_pending) == ("unknown", "unknown", False)
    assert (step.name, step.started_at, step.ended_at, step.is_passed) == ("unknown", 7, None, None)
