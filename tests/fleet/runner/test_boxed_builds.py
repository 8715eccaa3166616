"""A build in a box finds the contract, leaves what is kept, says what it lacks, and reaches named hosts alone."""

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.launch.box_settings import BoxSettings
from arena.bots.launch.launcher import Launcher
from arena.bots.launch.manifest import LANGUAGES
from arena.bots.launch.programs import BotProgram, find_bot
from arena.bots.packages.packing import write_package
from arena.bots.sandbox.network.connection_gate import MOST_CONNECTIONS
from arena.bots.sandbox.network.index_proxy import IndexProxy
from arena.bots.submissions.submission import Submission, SubmissionState
from arena.bots.submissions.submission_settings import SubmissionSettings
from arena.errors import BotStartError
from arena.fleet.runner.boxed_builds import LANGUAGE_TOOLS, BoxedBuilds
from arena.fleet.runner.boxes import boxes_opener
from arena.fleet.submissions.build_step import BuildStep
from arena.fleet.submissions.kept_builds import DiskQuota
from arena.fleet.submissions.submitted_programs import builds_folder
from arena.server.intake.package_files import open_packages
from arena.server.rpc.listeners import make_socket_path
from arena.server.store.open_store import open_store
from tests.support.boxes import list_processes_with, skip_without_boxes

CONTRACT = Path(__file__).parents[3] / "proto" / "cheatarena" / "v1" / "play.proto"


@pytest.fixture
def builds(tmp_path: Path) -> Iterator[BoxedBuilds]:
    skip_without_boxes()
    tmp_path.chmod(0o755)
    with Launcher(tmp_path / "output", open_boxes=boxes_opener(BoxSettings())) as launcher:
        yield BoxedBuilds(tmp_path / "builds", launcher, BoxSettings())


def write_bot(folder: Path, build: str, **keys: object) -> BotProgram:
    """Write a bot of which the build makes everything but its manifest."""
    folder.mkdir()
    values = {"name": "bot", "version": "1", "language": "cpp", "command": "./bot", "build": build, **keys}
    (folder / "bot.toml").write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items()))
    program = find_bot(str(folder))
    assert isinstance(program, BotProgram)
    return replace(program, is_boxed=True)


def files_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_build_finds_the_contract(builds, tmp_path):
    program = write_bot(tmp_path / "bot", "sh -c 'cp $CHEATARENA_PROTO/cheatarena/v1/play.proto .'")

    place = builds.build(program, "a")

    assert (place / "play.proto").read_bytes() == CONTRACT.read_bytes()


def test_contract_cannot_be_changed(builds, tmp_path):
    program = write_bot(tmp_path / "bot", "sh -c 'echo >> $CHEATARENA_PROTO/cheatarena/v1/play.proto'")

    with pytest.raises(BotStartError, match=r"Read-only file system|Permission denied"):
        builds.build(program, "a")


@pytest.mark.parametrize("kept", [["out/bot"], ["out/bot", "bot.toml"]])
def test_only_what_is_kept_leaves_the_build_beside_the_manifest(builds, tmp_path, kept):
    build = "sh -c 'mkdir out cache; touch out/bot out/bot.o cache/large'"
    program = write_bot(tmp_path / "bot", build, kept=kept)

    assert files_in(builds.build(program, "a")) == ["bot.toml", "out/bot"]


def test_everything_is_kept_by_default(builds, tmp_path):
    program = write_bot(tmp_path / "bot", "touch bot log")

    assert files_in(builds.build(program, "a")) == ["bot", "bot.toml", "log"]


def test_kept_file_that_was_not_made_is_named(builds, tmp_path):
    program = write_bot(tmp_path / "bot", "touch bot", kept=["dist/bot.js"])

    with pytest.raises(BotStartError, match=r"the build has made no `dist/bot\.js`, which `kept` in bot\.toml names"):
        builds.build(program, "a")


@pytest.mark.parametrize(
    ("tools", "told"),
    [
        (("no-such-compiler",), r"this server has no `no-such-compiler`, which builds in cpp need"),
        (("sh",), r"ended with exit code 3 \(full output"),
    ],
)
def test_failed_build_says_which_tool_the_server_lacks(builds, tmp_path, monkeypatch, tools, told):
    monkeypatch.setitem(LANGUAGE_TOOLS, "cpp", tools)
    program = write_bot(tmp_path / "bot", "sh -c 'exit 3'")

    with pytest.raises(BotStartError, match=told):
        builds.build(program, "a")


def test_build_without_a_usual_tool_may_succeed(builds, tmp_path, monkeypatch):
    """Nobody has to use the tools that others use."""
    monkeypatch.setitem(LANGUAGE_TOOLS, "cpp", ("no-such-compiler",))
    program = write_bot(tmp_path / "bot", "touch bot")

    assert files_in(builds.build(program, "a")) == ["bot", "bot.toml"]


@pytest.mark.parametrize(("own", "retries"), [({}, "0"), ({"npm_config_fetch_retries": "1"}, "1")])
def test_npm_without_a_network_asks_once_unless_the_bot_says_otherwise(builds, tmp_path, own, retries):
    program = write_bot(tmp_path / "bot", "sh -c 'echo $npm_config_fetch_retries > bot'")

    place = builds.build(replace(program, environment=own), "a")

    assert (place / "bot").read_text().strip() == retries


def test_every_language_has_its_tools():
    assert LANGUAGE_TOOLS.keys() == set(LANGUAGES)


ASK = """
import os, socket
address = os.environ["HTTPS_PROXY"].removeprefix("http://").split(":")
with socket.create_connection((address[0], int(address[1]))) as line:
    line.sendall(b"CONNECT other.example:443 HTTP/1.1\\r\\n\\r\\n")
    print(line.recv(1000).decode().splitlines()[0])
open("bot", "w").close()
"""


KEEP_MANY = """
import os, socket
address = os.environ["HTTPS_PROXY"].removeprefix("http://").split(":")
lines = []
for _ in range(COUNT):
    lines.append(socket.create_connection((address[0], int(address[1]))))
    lines[-1].sendall(b"CONNECT 127.0.0.1:PORT HTTP/1.1\\r\\n\\r\\n")
with open("bot", "w") as bot:
    bot.write(str({line.recv(1000).split()[1] for line in lines}))
"""


async def keep_open(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()
    writer.close()


async def test_tools_of_a_build_may_keep_more_connections_than_a_bot(tmp_path):
    """Package managers keep theirs open for a while. A build never reaches the server, whose memory they could hold."""
    skip_without_boxes()
    tmp_path.chmod(0o755)
    with make_socket_path() as path, Launcher(tmp_path / "output", open_boxes=boxes_opener(BoxSettings())) as launcher:
        async with await asyncio.start_server(keep_open, "127.0.0.1", 0) as host:
            port = host.sockets[0].getsockname()[1]
            async with IndexProxy(["127.0.0.1"], path, print, port=port):
                program = write_bot(tmp_path / "bot", f"{sys.executable} many.py")
                code = KEEP_MANY.replace("COUNT", str(MOST_CONNECTIONS + 2)).replace("PORT", str(port))
                (tmp_path / "bot" / "many.py").write_text(code)
                builds = BoxedBuilds(tmp_path / "builds", launcher, BoxSettings(), path)

                place = await asyncio.to_thread(builds.build, program, "a")

    assert (place / "bot").read_text() == "{b'200'}"


def store_package(folder: Path) -> Submission:
    """Pack `folder/bot`, keep the package in `folder/data`, and return its submission."""
    archive, package = write_package(folder / "bot", folder / "bot.tar.gz")
    place = open_packages(folder / "data").path(package.hash)
    place.parent.mkdir(parents=True)
    shutil.move(archive, place)
    return Submission("1", "bot", "ann", "1", package.hash, 1, (), SubmissionState.BUILDING, "", "", 0, 0)


@pytest.mark.parametrize(
    ("indexes", "is_passed", "told"),
    [
        (("index.example",), True, "builds may not connect to 'other.example:443', only to index.example\n"),
        ((), False, "KeyError: 'HTTPS_PROXY'"),
        ((), False, "this build had no network, because the server names no package indexes"),
    ],
)
async def test_log_of_a_build_says_what_it_could_not_reach(tmp_path, indexes, is_passed, told):
    skip_without_boxes()
    write_bot(tmp_path / "bot", f"{sys.executable} ask.py")
    (tmp_path / "bot" / "ask.py").write_text(ASK)
    submission = store_package(tmp_path)

    async with await open_store(tmp_path / "data") as store:
        quota = DiskQuota(tmp_path / "data", store.submissions, stored_mb=512)
        settings = SubmissionSettings(package_indexes=indexes)
        report = await BuildStep(tmp_path / "data", BoxSettings(), quota, settings).run(submission)

    assert report.is_passed is is_passed, report
    assert told in report.log


async def test_build_ends_with_the_server(tmp_path):
    """The next server builds the same package. So the build of this one may not go on, which would take minutes."""
    skip_without_boxes()
    seconds = 1_000_000 + os.getpid()  # tells its processes from those of other tests
    write_bot(tmp_path / "bot", f"sleep {seconds}")
    submission = store_package(tmp_path)

    async with await open_store(tmp_path / "data") as store:
        quota = DiskQuota(tmp_path / "data", store.submissions, stored_mb=512)
        building = asyncio.create_task(
            BuildStep(tmp_path / "data", BoxSettings(build_time_s=90), quota, SubmissionSettings()).run(submission)
        )
        async with asyncio.timeout(60):
            while not list_processes_with(f"sleep\0{seconds}"):
                await asyncio.sleep(0.05)
        building.cancel()
        await asyncio.wait([building], timeout=30)  # less than the build may take

        assert building.cancelled()

    assert not list_processes_with(f"sleep\0{seconds}")
    assert [*builds_folder(tmp_path / "data").iterdir()] == []
