"""A comparison from the command line: opened, played, told."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from arena.cli.compare_files import Files
from arena.cli.compare_progress import progress
from arena.cli.compare_replays import replays_of
from arena.cli.compare_wishes import Asked
from arena.cli.compare_words import EXITS, lines_of, loss_lines, plain, plain_plays, play_lines, sentence_of
from arena.cli.console import out, say, say_nothing, show_json
from arena.cli.exits import Exit
from arena.compare.finding import Code, Finding
from arena.compare.lanes import CANDIDATE
from arena.config import read_config
from arena.errors import BotStartError
from arena.hosting.comparing import Comparing, last_error_of, plays_of
from arena.hosting.comparison import MANNER, Comparison, OpenComparison, open_comparison, remove_lanes, usual_nodes
from arena.hosting.league import check_apart, conductor_of, open_deals
from arena.launch.programs import BotProgram
from arena.replays.library import Library
from arena.report.play_view import BotPlay
from arena.rules.catalog import GAMES
from arena.runner.crew import built
from arena.runner.player import Player
from arena.runner.runner import Runner, running_nodes
from arena.store.opening import Store
from arena.telemetry import set_up_logging


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of it."""

    finding: Finding
    error: str = ""
    """What the candidate logged last, where it has faults."""
    plays: Sequence[BotPlay] = ()
    """How candidate and baseline bluff and call."""
    replays: Mapping[str, str] = field(default_factory=dict)
    """The most costly games by the name of a file, where they are wanted."""


class CompareRun:
    """One run of a comparison."""

    def __init__(
        self,
        asked: Asked,
        data: Path | None,
        nodes: int | None,
        files: Files,
        is_json: bool,
    ) -> None:
        self._asked = asked
        self._data = data
        self._nodes = nodes or usual_nodes()
        self._files = files
        self._is_json = is_json
        self._comparison: OpenComparison | None = None

    async def play(self) -> Exit:
        """Play until there is an answer, and tell it."""
        try:
            answer = await self._answer()
        except BotStartError as error:
            self._files.check()
            answer = Answer(Finding(Code.NOT_STARTED, games=0, seconds=0.0, reason=str(error)))
        return self._told(answer)

    def what_was_kept(self) -> str:
        """What is left after an interruption, and how to go on."""
        if self._comparison is None:
            return "nothing had begun"
        games = self._comparison.league.ledger.game_count
        return f"{games} games are over and kept; the same command goes on with them"

    async def _answer(self) -> Answer:
        """Raises BotStartError for a program that is not there or cannot be built."""
        asked = self._asked.comparison()
        config = read_config(flags={"data": self._data})
        set_up_logging(config.log_level if "ARENA_LOG_LEVEL" in os.environ else "error")
        check_apart(asked.programs, config.data)
        async with running_nodes(config.data, self._nodes) as runner:
            self._files.check()
            programs = await self._built(asked, config.data)
            self._comparison = comparison = await open_comparison(asked, programs, runner.store, self._asked.most_games)
            comparing = self._comparing(comparison, runner)
            finding = await self._played(comparing, comparison, runner)
            await open_deals(comparison.league, runner.store, runner.signer)  # of blocks that were just over
            answer = await _answered(finding, comparison, runner.store)
            if self._files.replays is not None:
                library = Library(runner.store.folder, runner.store, GAMES)
                answer = replace(answer, replays=await replays_of(finding.losses, comparison.lanes.roles, library))
            await comparing.close(finding)
            remove_lanes(comparison)
        return answer

    async def _built(self, asked: Comparison, data: Path) -> Mapping[str, BotProgram]:
        """Build each program that has to be, once, before it is copied. Raises BotStartError."""
        made: dict[int, BotProgram] = {}
        for role, program in sorted(asked.programs.items(), key=lambda item: item[0] == CANDIDATE):  # what is new last
            if id(program) not in made:
                made[id(program)] = await self._made(role, program, data / "bots")
        return {role: made[id(program)] for role, program in asked.programs.items()}

    async def _made(self, role: str, program: BotProgram, outputs: Path) -> BotProgram:
        try:
            await built(outputs, [Player(role, program)], say_nothing if self._is_json else say)
        except BotStartError as error:
            raise BotStartError(f"{role}: {error}") from error
        return replace(program, build=())

    def _comparing(self, comparison: OpenComparison, runner: Runner) -> Comparing:
        processes = len(comparison.lanes.roles) * len(runner.nodes)
        conductor = conductor_of(comparison.league, runner, processes, MANNER)
        return Comparing(comparison, conductor, runner.store, self._asked.limits)

    async def _played(self, comparing: Comparing, comparison: OpenComparison, runner: Runner) -> Finding:
        tell = say_nothing if self._is_json else say
        league, question = comparison.league, comparison.asked.question
        if league.ledger.game_count:
            tell(f"going on with a comparison of which {league.ledger.game_count} games are over")
        await open_deals(league, runner.store, runner.signer)
        processes = len(comparison.lanes.roles) * len(runner.nodes)
        tell(f"{processes} bot processes start, each a lane of its own; they run as you: they are not sandboxed yet")
        with progress(question, comparison.lanes, self._is_json) as told:
            return await comparing.play(told)

    def _told(self, answer: Answer) -> Exit:
        finding, figures = answer.finding, self._figures(answer)
        code = EXITS[finding.code]
        if finding.code is Code.UNDECIDED and finding.evidence is not None and self._asked.on_undecided == "pass":
            code = Exit.YES
        try:
            self._files.write(finding, figures, code, time.time(), answer.replays)
        finally:
            self._show(answer, figures, code)
        return code

    def _figures(self, answer: Answer) -> Sequence[str]:
        """What there is to say beside the sentence."""
        data = read_config(flags={"data": self._data}).data
        return [
            *lines_of(answer.finding, self._asked.question),
            *loss_lines(answer.finding, data, self._files.replays),
            *([f"error       {answer.error}"] if answer.error else ()),
            *play_lines(answer.plays),
        ]

    def _show(self, answer: Answer, figures: Sequence[str], code: Exit) -> None:
        if self._is_json:
            told = plain(answer.finding, self._asked.question, code)
            show_json({**told, "error_logged": answer.error, "plays": plain_plays(answer.plays)})
            return
        for line in (sentence_of(answer.finding), *figures):
            out().print(line, soft_wrap=True)


async def _answered(finding: Finding, comparison: OpenComparison, store: Store) -> Answer:
    error = last_error_of(comparison, store.folder) if finding.candidate.fault_count else ""
    return Answer(finding, error, await plays_of(comparison) if finding.games else ())
