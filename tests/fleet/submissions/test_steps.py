"""Steps refuse what their packages make of them. Whole steps, with boxes, run in `tests/e2e/test_submissions.py`."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.launch.box_settings import BoxSettings
from arena.bots.packages.packing import pack
from arena.bots.packages.rules import PackageLimits
from arena.bots.packages.unpacking import PACKAGE_LIMITS
from arena.bots.submissions.submission import NewSubmission, Submission, SubmissionState
from arena.bots.submissions.submission_settings import SubmissionSettings
from arena.cli.boxes import STEP_PROCESS
from arena.errors import CrowdedHostError, EnvironmentFaultError, OptionError, UnknownNameError
from arena.fleet.submissions import run_steps
from arena.fleet.submissions.build_step import BuildStep
from arena.fleet.submissions.kept_builds import DiskQuota
from arena.fleet.submissions.run_steps import CheckStep, StepRequest, TrialStep, run_step_process
from arena.fleet.submissions.step import StepReport
from arena.fleet.submissions.submitted_programs import build_path
from arena.server.intake.package_files import open_packages
from arena.server.store.open_store import open_store
from tests.support.archives import write_folder
from tests.support.boxes import skip_without_boxes

MODULE = "nothing"
"""The process of a step, where it does not begin."""


@pytest.fixture
def submission(tmp_path) -> Submission:
    """A submission whose build has written its own bot.toml."""
    build_path(tmp_path, "package").mkdir(parents=True)
    return Submission("id", "x", "ann", "1", "package", 1, (), SubmissionState.TRYING, "", "", 0, 0)


def write_manifest(tmp_path, games: list[str], more: str = "") -> None:
    (build_path(tmp_path, "package") / "bot.py").write_text("pass")
    (build_path(tmp_path, "package") / "bot.toml").write_text(f'name = "x"\nversion = "1"\ngames = {games}\n{more}\n')


async def test_unknown_game_is_refused_before_any_game_is_played(tmp_path, submission):
    write_manifest(tmp_path, ["cheat", "bridge"])

    with pytest.raises(UnknownNameError, match="unknown game 'bridge'"):
        await TrialStep(tmp_path, BoxSettings(), MODULE, 2).run(submission)


async def test_game_that_is_named_a_thousand_times_is_tried_once(tmp_path, submission, monkeypatch):
    played = []

    async def note(module, request, time_s, boxes) -> StepReport:
        played.append(request.game)
        return StepReport("it plays well")

    monkeypatch.setattr(run_steps, "run_step_process", note)
    write_manifest(tmp_path, ["cheat", "cheater"] * 1_000)

    report = await TrialStep(tmp_path, BoxSettings(), MODULE, 2).run(submission)

    assert report.is_passed
    assert played == ["cheat", "cheater"]


async def test_step_that_the_machine_has_failed_says_nothing_about_the_bot(tmp_path, submission, monkeypatch):
    """Such as one whose bot was killed because all boxes together had too little memory."""

    async def fail(module, request, time_s, boxes) -> int:
        (Path(request.folder) / "answer.json").write_text("null")
        return 0

    monkeypatch.setattr(run_steps, "_run", fail)
    write_manifest(tmp_path, ["cheat"])

    with pytest.raises(CrowdedHostError, match="too busy to check it"):
        await CheckStep(tmp_path, BoxSettings(), MODULE, ["standard"]).run(submission)
    with pytest.raises(CrowdedHostError, match="too busy for the trial games of cheat"):
        await TrialStep(tmp_path, BoxSettings(), MODULE, 2).run(submission)


async def test_process_that_leaves_no_answer_refuses_the_bot(tmp_path, submission, monkeypatch):
    """Whatever ended it. A trial goes on with no answer of the games before."""
    codes = {"check": -9, "cheat": 0, "cheater": 1}

    async def end(module, request, time_s, boxes) -> int:
        if request.game == "cheat":
            (Path(request.folder) / "answer.json").write_text('{"sentence": "it plays well"}')
        return codes[request.game or "check"]

    monkeypatch.setattr(run_steps, "_run", end)
    write_manifest(tmp_path, ["cheat", "cheater"])

    check = await CheckStep(tmp_path, BoxSettings(), MODULE, ["standard"]).run(submission)
    trial = await TrialStep(tmp_path, BoxSettings(), MODULE, 2).run(submission)

    assert (check.is_passed, check.sentence) == (False, "the check ended with exit code -9: the log says why")
    assert (trial.is_passed, trial.sentence) == (
        *(False, "the trial games of cheater ended with exit code 1: the log says why"),
    )


async def test_process_that_takes_too_long_is_ended_and_refuses_the_bot(tmp_path, monkeypatch):
    (tmp_path / "endless.py").write_text("import time\nprint('begun', flush=True)\ntime.sleep(600)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    report = await run_step_process("endless", StepRequest("bot", str(tmp_path)), 2.0, BoxSettings())

    assert (report.is_passed, report.sentence) == (False, "the check took longer than 2 s")
    assert (tmp_path / "log").read_text() == "begun\n"


async def test_log_of_a_step_has_what_the_bot_wrote_and_not_what_others_did(tmp_path, submission, monkeypatch):
    """The opponents are the arena's own, and the folder is gone when the owner reads the log."""

    async def play(module, request, time_s, boxes) -> StepReport:
        folder = Path(request.folder)
        (folder / "bots").mkdir()
        for name in ("x-1", "x-10", "x-2", "house-1"):
            (folder / "bots" / f"{name}.log").write_text(f"I am {name}\n")
        said = f"output {folder}/bots/x-1.log\nreplay: arena replay show ID --data {folder}\nall passed\n"
        (folder / "log").write_text(said)
        return StepReport("it follows the protocol")

    monkeypatch.setattr(run_steps, "run_step_process", play)
    write_manifest(tmp_path, ["cheat"])

    report = await CheckStep(tmp_path, BoxSettings(), MODULE, ["standard"]).run(submission)

    assert report.log.splitlines() == [
        *("output bots/x-1.log", "all passed", ""),
        *("--- bots/x-1.log", "I am x-1", "--- bots/x-2.log", "I am x-2", "--- bots/x-10.log", "I am x-10"),
    ]


async def test_step_gets_nothing_of_the_servers_environment(tmp_path, monkeypatch):
    """With TLS, the server lets gRPC trace each handshake; such lines would fill the logs of authors."""
    (tmp_path / "said.py").write_text("import os; print(*os.environ)")
    for name in ("GRPC_TRACE", "GRPC_VERBOSITY", "ARENA_TOKEN", "ARENA_LOG_LEVEL", "CHEATARENA_TOKEN"):
        monkeypatch.setenv(name, "handshaker")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    report = await run_step_process("said", StepRequest("bot", str(tmp_path)), 60, BoxSettings())

    assert report.sentence == "the check ended with exit code 0: the log says why"

    names = set((tmp_path / "log").read_text(encoding="utf-8").split())
    own = {name for name in names if name.startswith(("ARENA_BOXES__", "ARENA_ISOLATION_"))}
    assert own
    assert names - own - {"LC_CTYPE", "PYTHONIOENCODING"} <= set(run_steps.INHERITED_VARIABLES)


async def test_archive_that_is_gone_is_no_fault_of_the_machine(tmp_path, submission):
    """An owner who withdraws a package while it is built would otherwise make all others wait."""
    async with await open_store(tmp_path) as store:
        quota = DiskQuota(tmp_path, store.submissions, stored_mb=512)
        report = await BuildStep(tmp_path, BoxSettings(), quota, SubmissionSettings()).run(
            replace(submission, package="gone")
        )

    assert (report.is_passed, report.sentence) == (False, "its archive is gone: submit it again")


@pytest.mark.slow
async def test_build_that_asks_for_more_than_the_host_allows_is_refused(tmp_path, submission):
    """The build step has seen the manifest of the package, and the build may have written another one."""
    skip_without_boxes()
    write_manifest(tmp_path, ["cheat"], "resources = { memory_mb = 256 }")

    report = await CheckStep(tmp_path, BoxSettings(memory_mb=128), STEP_PROCESS, ["standard"]).run(submission)

    assert not report.is_passed
    assert "this host allows at most 128" in report.log


_SETTINGS = SubmissionSettings()


class BuildSite:
    """A package that needs no build, and so no box, in a data folder."""

    def __init__(self, folder: Path, more: str = "", limits: PackageLimits = PACKAGE_LIMITS) -> None:
        (folder / "bot").mkdir(exist_ok=True)
        (folder / "bot" / "bot.py").write_text("pass")
        (folder / "bot" / "bot.toml").write_text(f'name = "x"\nversion = "1"\n{more}')
        self.data = folder / "data"
        with (folder / "x.tar.gz").open("w+b") as archive:
            self.package = pack(folder / "bot", archive, limits).hash
        place = open_packages(self.data).path(self.package)
        place.parent.mkdir(parents=True)
        (folder / "x.tar.gz").rename(place)

    @property
    def is_built(self) -> bool:
        return build_path(self.data, self.package).is_dir()

    async def build(self, stored_mb: int = 512, settings: SubmissionSettings = _SETTINGS) -> StepReport:
        """Hand the package in, and build it."""
        async with await open_store(self.data) as store:
            with suppress(OptionError):  # the owner has submitted it before
                await store.owners.add("ann", "", 5)
            row = await store.submissions.accept(NewSubmission("ann", "x", "1", self.package, 1), SubmissionSettings())
            quota = DiskQuota(self.data, store.submissions, stored_mb)
            return await BuildStep(self.data, BoxSettings(memory_mb=128), quota, settings).run(row)


async def test_built_program_beyond_the_quota_of_its_owner_is_refused(tmp_path):
    report = await BuildSite(tmp_path, "resources = { memory_mb = 64 }").build(stored_mb=0)

    assert not report.is_passed
    assert "what was built of your versions has" in report.sentence


async def test_build_that_was_interrupted_before_it_was_measured_has_the_same_quota(tmp_path):
    site = BuildSite(tmp_path)
    build_path(site.data, site.package).mkdir(parents=True)
    (build_path(site.data, site.package) / "bot").write_bytes(b"large")

    report = await site.build(stored_mb=0)

    assert not report.is_passed
    assert "what was built of your versions has" in report.sentence


@pytest.mark.slow
async def test_package_is_built_that_only_this_server_allows(tmp_path):
    count = PACKAGE_LIMITS.files + 2
    write_folder(tmp_path / "bot", {f"data/{number}": b"" for number in range(PACKAGE_LIMITS.files)})
    site = BuildSite(tmp_path, "resources = { memory_mb = 64 }", PackageLimits(files=count))

    report = await site.build(settings=SubmissionSettings(files=count))

    assert (report.sentence, site.is_built) == ("nothing to build", True)


async def test_package_for_an_unknown_game_is_refused_before_it_is_checked(tmp_path):
    site = BuildSite(tmp_path, 'games = ["chess"]\nresources = { memory_mb = 64 }')

    report = await site.build()

    assert not report.is_passed
    assert report.sentence.startswith("unknown game 'chess'; known: ")


async def test_package_that_asks_for_more_than_the_host_allows_is_not_built(tmp_path):
    site = BuildSite(tmp_path, "resources = { memory_mb = 256 }")

    report = await site.build()

    assert not report.is_passed
    assert "at most 128" in report.sentence
    assert not site.is_built


async def test_full_disk_stops_a_build_but_none_that_was_done_before(tmp_path, monkeypatch):
    site = BuildSite(tmp_path, "resources = { memory_mb = 64 }")
    monkeypatch.setattr("arena.fleet.submissions.kept_builds.FREE_BYTES", 1 << 62)
    with pytest.raises(EnvironmentFaultError, match="builds wait"):
        await site.build()
    assert not site.is_built

    build_path(site.data, site.package).mkdir(parents=True)
    assert (await site.build()).sentence == "a package with the same content was built before"
