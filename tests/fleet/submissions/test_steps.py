"""Steps refuse what their packages make of them. Whole steps, with boxes, run in `tests/e2e/test_submissions.py`."""

import sys
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from arena.author.check.findings import Finding, Rule
from arena.author.check.report import result_lines
from arena.author.check.step import StepResult, Verdict
from arena.author.check.steps import STEPS
from arena.bots.launch.box_settings import BoxSettings
from arena.bots.packages.packing import pack
from arena.bots.packages.rules import PackageLimits
from arena.bots.packages.unpacking import PACKAGE_LIMITS
from arena.bots.submissions.submission_rows import NewSubmission, SubmissionQuotas, SubmissionRow
from arena.bots.submissions.submission_settings import SubmissionSettings
from arena.bots.submissions.submission_states import SubmissionState
from arena.cli.match.fault_limit import FaultLimit, fault_lines
from arena.cli.match.recorded_play import FirstFault
from arena.cli.match.totals import EntrantTotals
from arena.errors import CrowdedHostError, EnvironmentFaultError, OptionError, UnknownNameError
from arena.fleet.submissions import step, steps
from arena.fleet.submissions.build_step import BuildStep
from arena.fleet.submissions.disk_quota import DiskQuota
from arena.fleet.submissions.step import StepReport, run_arena
from arena.fleet.submissions.steps import CheckStep, TrialStep
from arena.fleet.submissions.submitted_programs import build_path
from arena.match.referee.ports import MatchId
from arena.server.intake.stored_packages import open_packages
from arena.server.store.open_store import open_store
from tests.support.archives import write_folder
from tests.support.boxes import skip_without_boxes


@pytest.fixture
def submission(tmp_path) -> SubmissionRow:
    """A submission whose build has written its own bot.toml."""
    build_path(tmp_path, "package").mkdir(parents=True)
    return SubmissionRow("id", "x", "ann", "1", "package", 1, (), SubmissionState.TRYING, "", "", 0, 0)


def write_manifest(tmp_path, games: list[str], more: str = "") -> None:
    (build_path(tmp_path, "package") / "bot.py").write_text("pass")
    (build_path(tmp_path, "package") / "bot.toml").write_text(f'name = "x"\nversion = "1"\ngames = {games}\n{more}\n')


async def test_unknown_game_is_refused_before_any_game_is_played(tmp_path, submission):
    write_manifest(tmp_path, ["cheat", "bridge"])

    with pytest.raises(UnknownNameError, match="unknown game 'bridge'"):
        await TrialStep(tmp_path, BoxSettings(), 2).run(submission)


async def test_game_that_is_named_a_thousand_times_is_tried_once(tmp_path, submission, monkeypatch):
    played = []

    async def note(words, log, time_s, boxes) -> int:
        played.append(words[words.index("--game") + 1])
        return 0

    monkeypatch.setattr(steps, "run_arena", note)
    write_manifest(tmp_path, ["cheat", "cheater"] * 1_000)

    report = await TrialStep(tmp_path, BoxSettings(), 2).run(submission)

    assert report.is_passed
    assert played == ["cheat", "cheater"]


async def test_command_that_the_machine_has_failed_says_nothing_about_the_bot(tmp_path, submission, monkeypatch):
    """Such as one whose bot was killed because all boxes together had too little memory."""

    async def fail(words, log, time_s, boxes) -> int:
        return 75

    monkeypatch.setattr(steps, "run_arena", fail)
    write_manifest(tmp_path, ["cheat"])

    with pytest.raises(CrowdedHostError, match="too busy to check it"):
        await CheckStep(tmp_path, BoxSettings(), ["standard"]).run(submission)
    with pytest.raises(CrowdedHostError, match="too busy for the trial games of cheat"):
        await TrialStep(tmp_path, BoxSettings(), 2).run(submission)


async def test_log_of_a_step_has_what_the_bot_wrote_and_not_what_others_did(tmp_path, submission, monkeypatch):
    """The opponents are the arena's own, and the folder is gone when the owner reads the log."""

    async def play(words, log, time_s, boxes) -> int:
        folder = log.parent
        (folder / "bots").mkdir()
        for name in ("x-1", "x-10", "x-2", "house-1"):
            (folder / "bots" / f"{name}.log").write_text(f"I am {name}\n")
        log.write_text(f"output {folder}/bots/x-1.log\nreplay: arena replay show ID --data {folder}\nall passed\n")
        return 0

    monkeypatch.setattr(steps, "run_arena", play)
    write_manifest(tmp_path, ["cheat"])

    report = await CheckStep(tmp_path, BoxSettings(), ["standard"]).run(submission)

    assert report.log.splitlines() == [
        *("output bots/x-1.log", "all passed", ""),
        *("--- bots/x-1.log", "I am x-1", "--- bots/x-2.log", "I am x-2", "--- bots/x-10.log", "I am x-10"),
    ]


async def test_step_gets_nothing_of_the_servers_environment(tmp_path, monkeypatch):
    """With TLS, the server lets gRPC trace each handshake; such lines would fill the logs of authors."""
    monkeypatch.setattr(step, "_ARENA", (sys.executable, "-c", "import os; print(*os.environ)"))
    for name in ("GRPC_TRACE", "GRPC_VERBOSITY", "ARENA_TOKEN", "ARENA_LOG_LEVEL", "CHEATARENA_TOKEN"):
        monkeypatch.setenv(name, "handshaker")

    assert await run_arena((), tmp_path / "log", 60, BoxSettings()) == 0

    names = set((tmp_path / "log").read_text(encoding="utf-8").split())
    own = {name for name in names if name.startswith(("ARENA_BOXES__", "ARENA_ISOLATION_"))}
    assert own
    assert names - own - {"LC_CTYPE", "PYTHONIOENCODING"} <= set(step.INHERITED_VARIABLES)


@pytest.mark.parametrize("verdict", [Verdict.FAILED, Verdict.NOT_REACHED])
async def test_refusal_names_the_step_of_the_check_and_why(tmp_path, submission, monkeypatch, verdict):
    finding = Finding(Rule.PONG, "prompt 7 was answered with no_answer")
    other = StepResult(STEPS[1], Verdict.PASSED)
    failed = StepResult(
        STEPS[0],
        verdict,
        findings=(finding, finding) if verdict is Verdict.FAILED else (),
        note="" if verdict is Verdict.FAILED else "prompt 7 was answered with no_answer",
    )

    async def check(words, log, time_s, boxes) -> int:
        log.write_text("\n".join([*result_lines(other, None), *result_lines(failed, None)]), encoding="utf-8")
        return 1 if verdict is Verdict.FAILED else 2

    monkeypatch.setattr(steps, "run_arena", check)
    write_manifest(tmp_path, ["cheat"])

    report = await CheckStep(tmp_path, BoxSettings(), ["folk", "standard"]).run(submission)

    assert report.sentence.endswith(": in step standard, prompt 7 was answered with no_answer")


async def test_refusal_after_trial_games_tells_the_first_fault(tmp_path, submission, monkeypatch):
    first = FirstFault(
        MatchId("match"), 1, 12, "said that it has no answer: turn() raised RuntimeError: boom (bot.py:4) " * 3
    )
    totals = EntrantTotals("x", counts=Counter(decisions=9), strikes=Counter(crashed=3))

    async def play(words, log, time_s, boxes) -> int:
        log.write_text("\n".join(fault_lines(totals, first, FaultLimit(), log.parent, 100)), encoding="utf-8")
        return 3

    monkeypatch.setattr(steps, "run_arena", play)
    write_manifest(tmp_path, ["cheat"])

    report = await TrialStep(tmp_path, BoxSettings(), 2).run(submission)

    assert report.sentence.startswith(
        "it has too many faults in the trial games of cheat: the first, in game 1 at turn 12: it said that it has no"
    )
    assert report.sentence.count("boom (bot.py:4)") == 3


async def test_refusal_of_a_bot_that_does_not_start_says_why(tmp_path, submission, monkeypatch):
    async def fail(words, log, time_s, boxes) -> int:
        log.write_text("x: 3 steps, about 8 s\narena: x did not connect within 10 s\n", encoding="utf-8")
        return 3

    monkeypatch.setattr(steps, "run_arena", fail)
    write_manifest(tmp_path, ["cheat"])

    report = await CheckStep(tmp_path, BoxSettings(), ["standard"]).run(submission)

    assert report.sentence == "it cannot be started: x did not connect within 10 s"


async def test_archive_that_is_gone_is_no_fault_of_the_machine(tmp_path, submission):
    """An owner who withdraws a package while it is built would otherwise make all others wait."""
    async with await open_store(tmp_path) as store:
        quota = DiskQuota(tmp_path, store.submission_reader, stored_mb=512)
        report = await BuildStep(tmp_path, BoxSettings(), quota, SubmissionSettings()).run(
            replace(submission, package="gone")
        )

    assert (report.is_passed, report.sentence) == (False, "its archive is gone: submit it again")


async def test_build_that_asks_for_more_than_the_host_allows_is_refused(tmp_path, submission):
    """The build step has seen the manifest of the package, and the build may have written another one."""
    skip_without_boxes()
    write_manifest(tmp_path, ["cheat"], "resources = { memory_mb = 256 }")

    report = await CheckStep(tmp_path, BoxSettings(memory_mb=128), ["standard"]).run(submission)

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
            with suppress(OptionError):  # the owner has handed it in before
                await store.owners.add("ann", "", 5)
            row = await store.submissions.accept(NewSubmission("ann", "x", "1", self.package, 1), SubmissionQuotas())
            quota = DiskQuota(self.data, store.submission_reader, stored_mb)
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
    monkeypatch.setattr("arena.fleet.submissions.disk_quota.FREE_BYTES", 1 << 62)
    with pytest.raises(EnvironmentFaultError, match="builds wait"):
        await site.build()
    assert not site.is_built

    build_path(site.data, site.package).mkdir(parents=True)
    assert (await site.build()).sentence == "a package with the same content was built before"
