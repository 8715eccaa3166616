"""Leagues of submitted bots: the seal pins their versions, and the report has no warning about rights."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from arena.bots.launch.programs import BotProgram
from arena.bots.submissions.submission import Submission, SubmissionState
from arena.errors import BotStartError, OptionsError, RequestError
from arena.organizer.file.league_file import LeagueFile
from arena.organizer.file.league_reader import read_league_file, read_league_file_lenient
from arena.organizer.seal.open_league import OpenLeague, open_league_to_play
from arena.organizer.seal.seal import check_data_folder, seal_league
from arena.organizer.view.league_view import build_league_view
from arena.server.store.open_store import Store, open_store
from tests.organizer.leagues import LUCK


@dataclass
class Submitted:
    """The submitted bots of a test; implements `SubmittedBots`."""

    folder: Path
    active: dict[str, str] = field(default_factory=dict)
    """The active version of each bot."""
    versions: dict[tuple[str, str], str] = field(default_factory=dict)
    """The content hash by bot and version."""
    withdrawn: set[tuple[str, str]] = field(default_factory=set)
    """Bots and versions that owners have withdrawn, which may play in leagues that have sealed them alone."""
    texts: dict[str, str] = field(default_factory=dict)
    """The sealed text of each league, by name."""
    asked: list[Path | None] = field(default_factory=list)
    """The data folders for which the bots were asked."""

    def add(self, name: str, version: str) -> None:
        self.active[name] = version
        self.versions[name, version] = f"{name}-{version}"

    def __call__(self, folder: Path | None) -> "Submitted":
        self.asked.append(folder)
        return self

    def find(self, name: str, version: str) -> BotProgram:
        version = version or self.active.get(name, "")
        if (name, version) not in self.versions.keys() - self.withdrawn:
            raise BotStartError(f"there is no version {version} of the submitted bot {name}")
        return self.read(name, version)

    def read(self, name: str, version: str) -> BotProgram:
        content, environment = self.versions[name, version], {"OWN": version}
        return BotProgram(
            name,
            ("python",),
            self.folder,
            environment,
            version=version,
            is_boxed=True,
            is_submitted=True,
            content=content,
        )

    def list_active(self, pool: str) -> list[Submission]:
        """Every active version names every pool."""
        return [
            Submission(name, name, "Ann", version, self.versions[name, version], 1, (pool,), SubmissionState.ACTIVE)
            for name, version in sorted(self.active.items())
        ]

    def find_league_text(self, name: str) -> str | None:
        return self.texts.get(name)

    def find_content(self, name: str, content: str) -> BotProgram | None:
        found = [version for (bot, version), known in self.versions.items() if (bot, known) == (name, content)]
        return self.read(name, found[0]) if found else None


@pytest.fixture
def submitted(tmp_path) -> Submitted:
    bots = Submitted(tmp_path / "builds")
    for name in ("ann", "bob", "cyd"):
        bots.add(name, "1")
    return bots


def write(folder: Path, *entrants: str, head: str = "") -> Path:
    lines = ['name = "class"', 'format = "season"', "games = 4", "seats = 2", 'preset = "standard"', head]
    lines += [f"[[entrants]]\nbot = {json.dumps(bot)}" for bot in entrants]
    (folder / "league.toml").write_text("\n".join(lines))
    return folder / "league.toml"


@contextmanager
def sealed_league(file: Path, submitted: Submitted, data: Path) -> Iterator[asyncio.Runner]:
    """Seal a league, and yield what runs coroutines."""
    with asyncio.Runner() as runner:

        async def seal() -> None:
            async with await open_store(data) as store:
                row = await seal_league(read_league_file(file, submitted), store, LUCK)
                submitted.texts[row.name] = row.text

        runner.run(seal())
        yield runner


async def open_again(file: Path, submitted: Submitted, data: Path, amending: str = "") -> OpenLeague:
    async with await open_store(data) as store:
        return await open_league_to_play(read_league_file_lenient(file, submitted), store, amending)


def versions_of(league: OpenLeague | LeagueFile) -> dict[str, str]:
    file = league.file if isinstance(league, OpenLeague) else league
    return {name: bot.program.version for name, bot in file.bots.items() if isinstance(bot.program, BotProgram)}


def test_seal_pins_the_version_that_was_active(submitted, tmp_path):
    file = write(tmp_path, "submitted:ann", "submitted:bob", "submitted:cyd@1")
    with sealed_league(file, submitted, tmp_path / "data") as runner:
        submitted.add("ann", "2")
        submitted.add("cyd", "2")

        league = runner.run(open_again(file, submitted, tmp_path / "data"))

    assert versions_of(read_league_file(file, submitted)) == {"ann": "2", "bob": "1", "cyd": "1"}
    assert versions_of(league) == {"ann": "1", "bob": "1", "cyd": "1"}
    assert [each.content for each in league.file.entrants] == ["ann-1", "bob-1", "cyd-1"]


def test_rule_takes_the_versions_that_are_active_at_the_seal(submitted, tmp_path):
    """The sealed text names them, so they stay whichever are active later; a bot that the file names is its own."""
    file = write(tmp_path, "submitted:ann@1", head='bots = "active in pool standard"')
    with sealed_league(file, submitted, tmp_path / "data") as runner:
        submitted.add("bob", "2")
        submitted.add("dora", "1")

        league = runner.run(open_again(file, submitted, tmp_path / "data"))

    assert versions_of(league) == {"ann": "1", "bob": "1", "cyd": "1"}
    assert [(each.name, each.owner) for each in league.file.entrants] == [("ann", ""), ("bob", "Ann"), ("cyd", "Ann")]
    assert league.row.text.endswith('[[entrants]]\nbot = "submitted:cyd@1"\nowner = "Ann"\n')
    assert league.changes == ()


def test_bot_that_a_rule_took_is_replaced_by_naming_it(submitted, tmp_path):
    file = write(tmp_path, head='bots = "active in pool standard"')
    with sealed_league(file, submitted, tmp_path / "data") as runner:
        submitted.add("bob", "2")
        file.write_text(file.read_text() + '\n[[entrants]]\nbot = "submitted:bob"\nowner = "Ann"')

        league = runner.run(open_again(file, submitted, tmp_path / "data", amending="bob"))

    assert versions_of(league) == {"ann": "1", "bob": "2", "cyd": "1"}


def test_pinned_version_keeps_the_environment_of_the_file(submitted, tmp_path):
    file = write(tmp_path, "submitted:bob", "submitted:ann")
    file.write_text(file.read_text() + '\nenvironment = { NERVE = "3" }')
    with sealed_league(file, submitted, tmp_path / "data") as runner:
        submitted.add("ann", "2")

        league = runner.run(open_again(file, submitted, tmp_path / "data"))

    program = league.file.bots["ann"].program
    assert isinstance(program, BotProgram)
    assert program.environment == {"OWN": "1", "NERVE": "3"}


def test_owner_who_withdraws_a_sealed_version_stops_no_league(submitted, tmp_path):
    """Whether the file names the version or not, and whether the bot has another version that may play or none."""
    file = write(tmp_path, "submitted:ann", "submitted:bob@1", "submitted:cyd")
    file.write_text(f'{file.read_text()}\nname = "cyril"\nowner = "cy"\nenvironment = {{ NERVE = "3" }}')
    with sealed_league(file, submitted, tmp_path / "data") as runner:
        submitted.add("ann", "2")
        submitted.withdrawn |= {("ann", "1"), ("bob", "1"), ("cyd", "1")}

        league = runner.run(open_again(file, submitted, tmp_path / "data"))

    assert versions_of(league) == {"ann": "1", "bob": "1", "cyril": "1"}
    program = league.file.bots["cyril"].program
    assert isinstance(program, BotProgram)
    assert program.is_boxed
    assert program.environment == {"OWN": "1", "NERVE": "3"}


def test_withdrawn_version_joins_no_further_league(submitted, tmp_path):
    file = write(tmp_path, "submitted:ann", "submitted:bob")
    submitted.withdrawn.add(("bob", "1"))

    with pytest.raises(OptionsError, match="there is no version 1 of the submitted bot bob"):
        read_league_file(file, submitted)


def test_version_that_is_gone_stops_the_league(submitted, tmp_path):
    file = write(tmp_path, "submitted:ann", "submitted:bob")
    with sealed_league(file, submitted, tmp_path / "data") as runner:
        submitted.add("ann", "2")
        del submitted.versions["ann", "1"]

        with pytest.raises(RequestError, match="the files of ann have changed"):
            runner.run(open_again(file, submitted, tmp_path / "data"))


def test_amended_entrant_gets_its_new_version(submitted, tmp_path):
    file = write(tmp_path, "submitted:ann", "submitted:bob")
    with sealed_league(file, submitted, tmp_path / "data") as runner:
        submitted.add("ann", "2")
        submitted.add("bob", "2")

        league = runner.run(open_again(file, submitted, tmp_path / "data", amending="ann"))

    assert versions_of(league) == {"ann": "2", "bob": "1"}


def test_names_that_owners_have_may_play_as_submitted_bots(submitted, tmp_path):
    file, data = write(tmp_path, "submitted:ann", "submitted:bob"), tmp_path / "data"

    async def own() -> None:
        async with await open_store(data) as store:
            await store.owners.add("teacher", "", 5)
            await store.owners.register_bot("teacher", "ann")

    asyncio.run(own())
    with sealed_league(file, submitted, data) as runner:
        assert versions_of(runner.run(open_again(file, submitted, data)))["ann"] == "1"


def test_builds_may_lie_in_the_data_folder(submitted, tmp_path):
    file = read_league_file(write(tmp_path, "submitted:ann", "submitted:bob"), submitted)

    check_data_folder(file.programs, tmp_path)


async def notes_of(file: Path, submitted: Submitted, store: Store) -> list[str]:
    league = await open_league_to_play(read_league_file(file, submitted), store)
    return list((await build_league_view(league, store.folder, False)).notes)


@pytest.mark.parametrize(
    ("entrants", "head", "is_warned"),
    [
        (("submitted:ann", "submitted:bob"), "", False),
        (("submitted:ann", "sample:counter"), "", True),
        (("submitted:ann", "sample:counter"), "untrusted = true", False),
        (("sample:honest", "sample:counter"), "untrusted = true", False),
        (("sample:honest", "sample:counter"), "untrusted = false", True),
    ],
)
def test_report_warns_of_rights_only_if_a_bot_has_no_box(submitted, tmp_path, entrants, head, is_warned):
    file = write(tmp_path, *entrants, head=head)
    with sealed_league(file, submitted, tmp_path / "data") as runner:

        async def notes() -> list[str]:
            async with await open_store(tmp_path / "data") as store:
                return await notes_of(file, submitted, store)

        assert any("not sandboxed" in note for note in runner.run(notes())) is is_warned


def test_untrusted_league_boxes_all_programs(submitted, tmp_path):
    file = read_league_file(write(tmp_path, "submitted:ann", "sample:counter", head="untrusted = true"), submitted)

    assert [each.program.is_boxed for each in file.bots.values() if isinstance(each.program, BotProgram)] == [True] * 2


def test_submitted_bot_is_never_trusted(submitted, tmp_path):
    file = write(tmp_path, "submitted:ann", "sample:counter", head="untrusted = false")

    with pytest.raises(OptionsError, match="submitted:ann was submitted, and such bots always run in boxes"):
        read_league_file(file, submitted)


def test_file_says_where_bots_were_submitted(submitted, tmp_path):
    read_league_file(write(tmp_path, "submitted:ann", "submitted:bob", head='submitted_from = "server"'), submitted)
    read_league_file(write(tmp_path, "submitted:ann", "submitted:bob"), submitted)

    assert submitted.asked == [tmp_path / "server", None]


def test_unknown_submitted_bot_is_named_with_its_line(submitted, tmp_path):
    file = write(tmp_path, "submitted:ann@7", "submitted:bob")

    with pytest.raises(OptionsError, match=r"entrants\[0\]\.bot .*there is no version 7 of the submitted bot ann"):
        read_league_file(file, submitted)


def test_command_without_submitted_bots_says_so(tmp_path):
    with pytest.raises(OptionsError, match="submitted:ann: this command does not know submitted bots"):
        read_league_file(write(tmp_path, "submitted:ann", "sample:counter"))
