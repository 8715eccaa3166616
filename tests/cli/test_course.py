"""`arena course` as an organizer uses it: enrol, look, cut, compare, grade."""

import asyncio
import csv
import json
import mailbox
import os
import re
import shlex
import subprocess
import sys
import tomllib
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from arena.bots.submissions.submission import SubmissionState
from arena.cli.exit_codes import ExitCode
from arena.organizer.file.league_schema import ErrorCollector, parse_league_schema
from arena.server.config.read_config import read_config
from arena.server.store.account_values import NewAccount
from arena.server.store.open_store import open_store
from tests.support.commands import CommandResult, run_arena
from tests.support.submitted import submit

ROSTER = "mail,name,group\nann@x.org,ann,\nbob@x.org,Bob,Bluffers\neve@x.org,Eve,Bluffers\n"


@pytest.fixture
def arena(capsys, tmp_path) -> Any:
    """Run a command on a data folder of its own."""

    def run(*arguments: object, code: ExitCode = ExitCode.YES) -> CommandResult:
        ended = run_arena(capsys, *arguments, "--data", tmp_path / "data")
        assert ended.code == code, ended.err
        return ended

    return run


@pytest.fixture
def roster(tmp_path) -> Any:
    path = tmp_path / "roster.csv"
    path.write_text(ROSTER)
    return path


def enrol(arena, roster, mails, code: ExitCode = ExitCode.YES) -> CommandResult:
    words = "--address", "arena.example.org:50051", "--mails", mails
    ended: CommandResult = arena("course", "enrol", roster, *words, "--json", code=code)
    return ended


def test_mails_invite_each_owner_once(arena, roster, tmp_path):
    enrol(arena, roster, tmp_path / "mails.mbox")

    with closing(mailbox.mbox(tmp_path / "mails.mbox")) as opened:
        box = list(opened)
    assert [mail["To"] for mail in box] == ["ann@x.org", "bob@x.org, eve@x.org"]
    assert (tmp_path / "mails.mbox").stat().st_mode & 0o077 == 0
    code = box[0].as_string().partition("join arena.example.org:50051 ")[2].split()[0]
    account = asyncio.run(_redeem(tmp_path / "data", code))
    assert account.owner == "ann"
    assert arena("owner", "show", "ann", "--json").json["bot_limit"] == 4


async def _redeem(data: Path, code: str) -> NewAccount:
    async with await open_store(data) as store:
        return await store.invitations.redeem(code, "", "", [])


def test_who_has_joined_is_left_alone_and_others_get_a_new_code(arena, roster, tmp_path):
    enrol(arena, roster, tmp_path / "one.csv")
    first = dict(
        line.split(",")[1:3]
        for line in (tmp_path / "one.csv").read_text().splitlines()
        if "cai_" in line and line.startswith("ann")
    )
    asyncio.run(_redeem(tmp_path / "data", first["ann"]))

    again = enrol(arena, roster, tmp_path / "two.csv").json

    assert again["invited"] == ["Bluffers"]
    states = [row["state"] for row in arena("invite", "list", "--all", "--json").json]
    assert [state.split()[0] for state in states] == ["used", "revoked", "revoked", "valid", "valid"]


def test_people_of_a_group_join_with_a_code_each(arena, roster, tmp_path):
    enrol(arena, roster, tmp_path / "one.csv")
    with (tmp_path / "one.csv").open() as file:
        [group] = [row for row in csv.DictReader(file) if row["owner"] == "Bluffers"]
    first, second = group["code"].split()
    assert group["mail"] == "bob@x.org, eve@x.org"
    assert f"{first}\n    python -m cheatarena join arena.example.org:50051 {second}" in group["text"]
    assert asyncio.run(_redeem(tmp_path / "data", first)).owner == "Bluffers"

    roster.write_text(ROSTER + "zoe@x.org,Zoe,Bluffers\n")
    again = enrol(arena, roster, tmp_path / "two.mbox").json

    assert again["invited"] == ["Bluffers", "ann"]
    mails = (tmp_path / "two.mbox").read_text()
    assert mails.count("python -m cheatarena join") == 3
    assert mails.count("Each of you joins with a different one of these codes") == 1
    assert arena("owner", "show", "Bluffers", "--json").json["contact"] == "bob@x.org, eve@x.org, zoe@x.org"


def test_mail_names_the_files_that_people_need(arena, roster, tmp_path):
    enrol(arena, roster, tmp_path / "one.csv")
    assert "pip install cheatarena-*.whl\n" in (tmp_path / "one.csv").read_text()
    assert "Your organizer gives you cheatarena-*.whl." in (tmp_path / "one.csv").read_text()

    words = "--sdk", "https://x.org/cheatarena-1-py3-none-any.whl", "--ca", "certs/ca.pem"
    arena("course", "enrol", roster, "--address", "x.org:7777", "--mails", tmp_path / "two.csv", *words)

    text = (tmp_path / "two.csv").read_text()
    assert "Your organizer gives you ca.pem.\n\n    pip install https://x.org/cheatarena-1-py3-none-any.whl\n" in text
    assert re.search(r"join x\.org:7777 cai_\w+ --ca ca\.pem\n", text)


def test_nothing_is_done_for_a_roster_with_a_refused_name(arena, roster, tmp_path):
    roster.write_text(ROSTER + "mal@x.org,<script>,\nann2@x.org,A.n.n,\nnone,Zed,\n")

    refused = enrol(arena, roster, tmp_path / "mails.mbox", code=ExitCode.USAGE)

    assert refused.err.splitlines()[0] == "arena: 3 faults"
    assert [line.partition(": ")[0].strip() for line in refused.err.splitlines()[1:]] == [
        "line 5, column name", "line 6, column name", "line 7, column mail",
    ]  # fmt: skip
    assert "looks like 'ann'" in refused.err
    assert arena("owner", "list", "--json").json == []
    assert not (tmp_path / "mails.mbox").exists()


def test_codes_are_never_written_over(arena, roster, tmp_path):
    (tmp_path / "mails.mbox").write_text("codes")

    assert "it is there already" in enrol(arena, roster, tmp_path / "mails.mbox", code=ExitCode.USAGE).err


def test_roster_in_another_encoding_is_refused(arena, roster, tmp_path):
    roster.write_bytes("mail,name\nzoë@x.org,Zoë\n".encode("latin-1"))

    assert "save it as UTF-8" in enrol(arena, roster, tmp_path / "mails.mbox", code=ExitCode.USAGE).err


def test_list_shows_every_owner_and_how_far_each_version_came(arena, roster, tmp_path):
    enrol(arena, roster, tmp_path / "mails.mbox")
    asyncio.run(_submit(tmp_path / "data"))

    newest = arena("course", "list", "--json").json
    assert [(row["owner"], row["bot"], row["version"], row["state"], row["sentence"]) for row in newest] == [
        ("Bluffers", "", "", "has not joined", ""),
        ("ann", "", "", "has not joined", ""),
        ("zoe", "zoe-bot", "2", "refused", "trying: it lies"),
        ("zoe", "zoe-two", "1", "active", "it lies"),
    ]
    assert len(arena("course", "list", "--all", "--json").json) == 5
    row = next(line for line in arena("course", "list").out.splitlines() if "zoe-two" in line)
    assert re.search(r" \d{4}-\d\d-\d\d \d\d:\d\d │", row)


async def _submit(data: Path) -> None:
    async with await open_store(data) as store:
        await store.owners.add("zoe", "zoe@x.org", 4)
        await store.tokens.create("zoe", ["own"], owner="zoe")
        first = await submit(store, "1", SubmissionState.ACTIVE, bot="zoe-bot", owner="zoe")
        await store.submissions.start_step(first.submission_id, SubmissionState.TRYING)
        await store.submissions.end_step(
            first.submission_id, SubmissionState.TRYING, is_passed=True, sentence="", log="my plan"
        )
        await submit(store, "2", SubmissionState.REFUSED, bot="zoe-bot", owner="zoe")
        await submit(store, "1", SubmissionState.ACTIVE, bot="zoe-two", owner="zoe", pools=("open",))


def test_cut_is_sealed_and_made_once(arena, tmp_path):
    asyncio.run(_submit(tmp_path / "data"))
    deadline, file = "2020-01-01 00:00Z", tmp_path / "cut.json"

    assert arena("course", "cut", deadline, "--to", file, "--json").json["bots"] == 0
    assert arena("course", "cut", deadline, "--to", file, "--json").json["bots"] == 0
    other = arena("course", "cut", "2020-01-02 00:00Z", "--to", file, code=ExitCode.USAGE)
    assert "it was sealed before" in other.err
    assert "it has not passed" in arena("course", "cut", "2999-01-01 00:00Z", "--to", file, code=ExitCode.USAGE).err


def test_cut_names_the_bots_of_banned_owners(arena, tmp_path):
    asyncio.run(_submit(tmp_path / "data"))
    arena("owner", "ban", "zoe", "--because", "copied")

    cut = arena("course", "cut", str(datetime.now(UTC)), "--to", tmp_path / "cut.json")

    assert json.loads((tmp_path / "cut.json").read_text())["bots"] == []
    assert "zoe-bot is left out: its owner 'zoe' is banned: copied" in cut.err


CUT_KILLED_AT_EVERY_STEP = """
import os, signal, sys
from pathlib import Path
from arena.cli.main import main

data, to = sys.argv[1:]

def die_at(step):
    left = step
    def hook(event, arguments):
        nonlocal left
        if event in ("open", "os.rename") and to in str(arguments):
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(hook)

step = 0
while True:
    child = os.fork()
    if not child:
        die_at(step)
        sys.argv = ["arena", "course", "cut", "2020-01-01 00:00Z", "--to", to, "--data", data]
        main()
    ended = os.waitpid(child, 0)[1]
    if ended == 0:
        break
    assert ended == signal.SIGKILL, ended
    assert not Path(to).exists(), step
    step += 1
print(step, Path(to).read_text().strip())
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="forks")
def test_cut_that_is_killed_at_any_file_operation_is_made_again(tmp_path):
    """Each attempt goes on where the one before was killed, one operation later. None leaves a part of a cut."""
    asyncio.run(_submit(tmp_path / "data"))
    words = [sys.executable, "-c", CUT_KILLED_AT_EVERY_STEP, str(tmp_path / "data"), str(tmp_path / "cut.json")]

    ended = subprocess.run(words, capture_output=True, text=True, timeout=100, check=False)

    assert ended.returncode == 0, ended.stderr
    steps, _, cut = ended.stdout.splitlines()[-1].partition(" ")
    assert int(steps) >= 2
    assert json.loads(cut) == {"bots": [], "deadline": "2020-01-01 00:00:00.000000+00:00"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cut.json", "data"]


def test_alike_needs_no_packages(arena, tmp_path):
    """Those of old versions may have been removed."""
    asyncio.run(_submit(tmp_path / "data"))

    assert arena("course", "alike", "--json").json == []


def test_organizer_reads_the_log_of_a_step(arena, tmp_path):
    asyncio.run(_submit(tmp_path / "data"))

    assert arena("course", "log", "zoe-bot@1").out == "my plan\n"
    assert "expected one of trying" in arena("course", "log", "zoe-bot@1", "--step", "nothing", code=ExitCode.USAGE).err


def test_log_of_a_version_submitted_again_is_that_of_the_time_before(arena, tmp_path):
    async def submit_again() -> None:
        async with await open_store(tmp_path / "data") as store:
            await store.owners.add("zoe", "", 4)
            refused = await submit(store, "1", SubmissionState.TRYING, bot="zoe-bot", owner="zoe")
            await store.submissions.start_step(refused.submission_id, SubmissionState.TRYING)
            await store.submissions.end_step(
                refused.submission_id, SubmissionState.TRYING, is_passed=False, sentence="", log="it fell"
            )
            await store.submissions.move(
                refused.submission_id, SubmissionState.TRYING, SubmissionState.REFUSED, sentence="it lies"
            )
            await submit(store, "1", SubmissionState.QUEUED, bot="zoe-bot", owner="zoe")

    asyncio.run(submit_again())

    log = arena("course", "log", "zoe-bot")

    assert log.out == "it fell\n"
    assert "zoe-bot was submitted again and is queued: this is the log of the time before" in log.err


def test_table_in_a_pipe_is_not_cut(arena, roster, tmp_path):
    roster.write_text(ROSTER + f"{'long' * 15}@example.org,{'x' * 30},{'g' * 32}\n")
    enrol(arena, roster, tmp_path / "mails.mbox")

    lines = arena("course", "list").out.splitlines()

    assert len(lines) == 7
    assert any(f"{'long' * 15}@example.org" in line and "g" * 32 in line for line in lines)


def test_log_names_a_bot_that_nobody_submitted(arena, tmp_path):
    asyncio.run(_submit(tmp_path / "data"))

    assert "nobody has submitted none" in arena("course", "log", "none", code=ExitCode.USAGE).err
    assert "no step of zoe-bot@2 has started yet" in arena("course", "log", "zoe-bot@2", code=ExitCode.USAGE).err


def test_guide_runs_as_it_stands(arena, tmp_path, monkeypatch):
    """But for the league, which is a guide of its own, and a match to explain."""
    guide = (Path(__file__).parents[2] / "docs" / "course.md").read_text()
    (tmp_path / "roster.csv").write_text(guide.partition("```csv\n")[2].partition("```")[0])
    asyncio.run(_submit(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)

    ran = [words[2] for words in _commands(guide) if words[2] != "grades" and arena(*words[1:])]

    assert ran == ["enrol", "list", "list", "log", "cut", "alike"]
    assert (tmp_path / "mails.mbox").read_text().count("python -m cheatarena join") == 3


def test_settings_of_the_guide_are_valid_and_have_one_pace(tmp_path):
    guide = (Path(__file__).parents[2] / "docs" / "course.md").read_text()
    server, league = re.findall(r"```toml\n(.*?)```", guide, re.DOTALL)
    (tmp_path / "arena.toml").write_text(server)
    faults = ErrorCollector(league)

    config = read_config(tmp_path / "arena.toml")
    file = parse_league_schema(tomllib.loads(league), faults)

    assert config.submissions.enabled
    assert (faults.all, file.bots) == ([], "cut cut.json")
    assert [pool["pace_settings"] for pool in tomllib.loads(server)["pools"]] == [file.pace_settings]


def _commands(guide: str) -> list[list[str]]:
    """Return the words of each `arena course` in the guide's shell blocks, for a bot that is there."""
    blocks = re.findall(r"```sh\n(.*?)```", guide, re.DOTALL)
    lines = [line.partition("  #")[0] for block in blocks for line in block.splitlines()]
    return [shlex.split(line.replace("ann-bot", "zoe-bot@1")) for line in lines if line.startswith("arena course ")]
