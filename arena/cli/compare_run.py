"""A comparison from the command line: opened, played, told."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from arena.cli.compare_files import junit_of, markdown_of
from arena.cli.compare_wishes import Asked
from arena.cli.compare_words import EXITS, line_of, lines_of, plain, play_lines, sentence_of
from arena.cli.console import out, say, say_nothing, show_json
from arena.cli.exits import Exit
from arena.compare.finding import Code, Finding
from arena.config import read_config
from arena.errors import BotStartError, EnvironmentFaultError
from arena.hosting.comparing import Comparing, plays_of
from arena.hosting.comparison import MANNER, Comparison, OpenComparison, open_comparison, remove_lanes
from arena.hosting.league import check_apart, conductor_of, open_deals
from arena.launch.programs import BotProgram
from arena.runner.crew import built
from arena.runner.player import Player
from arena.runner.runner import Runner, running_nodes, usable_cores
from arena.telemetry import set_up_logging

_CORES_A_NODE: Final = 3
"""A node feeds the bots of about so many cores; more nodes, each with all bots, would take long to start."""


class CompareRun:
    """One run of a comparison."""

    def __init__(
        self,
        asked: Asked,
        data: Path | None,
        nodes: int | None,
        is_json: bool,
        markdown: Path | None,
        junit: Path | None,
    ) -> None:
        self._asked = asked
        self._data = data
        self._nodes = nodes or max(1, usable_cores() // _CORES_A_NODE)
        self._is_json = is_json
        self._markdown = markdown
        self._junit = junit
        self._comparison: OpenComparison | None = None

    async def play(self) -> Exit:
        """Play until there is an answer, and tell it."""
        try:
            asked = self._asked.comparison()
        except BotStartError as error:
            return self._told(Finding(Code.NOT_STARTED, games=0, seconds=0.0, reason=str(error)))
        config = read_config(flags={"data": self._data})
        set_up_logging(config.log_level if "ARENA_LOG_LEVEL" in os.environ else "error")
        check_apart(asked.programs, config.data)
        async with running_nodes(config.data, self._nodes) as runner:
            programs = await self._built(asked, config.data)
            comparison = await open_comparison(asked, programs, runner.store, self._asked.most_games)
            self._comparison = comparison
            finding = await self._played(comparison, runner)
            told = play_lines(await plays_of(comparison))
            remove_lanes(comparison)
        return self._told(finding, told)

    def what_was_kept(self) -> str:
        """What is left after an interruption, and how to go on."""
        if self._comparison is None:
            return "nothing had begun"
        games = self._comparison.league.ledger.game_count
        return f"{games} games are over and kept; the same command goes on with them"

    async def _built(self, asked: Comparison, data: Path) -> Mapping[str, BotProgram]:
        """Build what has to be, once, before it is copied. Raises BotStartError."""
        players = tuple(Player(role, program) for role, program in asked.programs.items())
        done = await built(data / "bots", players, say_nothing if self._is_json else say)
        return {player.name: player.program for player in done if isinstance(player.program, BotProgram)}

    async def _played(self, comparison: OpenComparison, runner: Runner) -> Finding:
        tell = say_nothing if self._is_json else say
        league, question = comparison.league, comparison.asked.question
        if league.ledger.game_count:
            tell(f"going on with a comparison of which {league.ledger.game_count} games are over")
        await open_deals(league, runner.store, runner.signer)
        processes = len(comparison.lanes.roles) * len(runner.nodes)
        tell(f"{processes} bot processes start, each a lane of its own; they run as you: they are not sandboxed yet")
        comparing = Comparing(
            comparison, conductor_of(league, runner, processes, MANNER), runner.store, self._asked.limits
        )
        return await comparing.play(lambda finding: tell(line_of(finding, question, comparison.lanes)))

    def _told(self, finding: Finding, more: Sequence[str] = ()) -> Exit:
        question = self._asked.question
        data = read_config(flags={"data": self._data}).data
        code, figures = EXITS[finding.code], [*lines_of(finding, question, data), *more]
        if finding.code is Code.UNDECIDED and self._asked.on_undecided == "pass":
            code = Exit.YES
        if self._junit is not None:
            _write(self._junit, junit_of(finding, figures, code))
        if self._markdown is not None:
            _write(self._markdown, markdown_of(finding, figures))
        if self._is_json:
            show_json(plain(finding, question, code))
        else:
            out().print(sentence_of(finding), soft_wrap=True)
            for line in figures:
                out().print(line, soft_wrap=True)
        return code


def _write(path: Path, text: str) -> None:
    """Write a file. Raises EnvironmentFaultError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise EnvironmentFaultError(f"{path} cannot be written: {error.strerror}") from error
