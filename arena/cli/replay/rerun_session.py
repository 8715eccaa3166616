"""Runs a rerun: one bot and one match, on a server and in a data folder that nothing else uses."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from arena.author.rerun.rerun_case import RerunCase
from arena.author.rerun.rerun_report import RerunReport
from arena.author.rerun.rerun_seat import UNTIMED_LIMITS, RerunSeat, WaitPolicy
from arena.bots.launch.output import read_last_error
from arena.cli.command_settings import set_up_command
from arena.cli.console import print_status
from arena.cli.exit_codes import ExitCode
from arena.cli.present import Styled, present
from arena.cli.replay.rerun_options import RerunSetup
from arena.cli.replay.text import WIDTH, add_style, header_lines, row_texts, wrap_styled
from arena.errors import BotStartError, UnknownNameError
from arena.fleet.assembly.node import RunningNode
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.host import open_local_host
from arena.fleet.runner.match_bots import POLL_INTERVAL_S, MatchBots, launch_bots
from arena.plurals import format_count
from arena.server.config.server_config import ServerConfig
from arena.server.node.event_loop import NodeClock, StampingSelector
from arena.server.node.session import Session

_WAIT_NOTICE_S = 10.0
"""Seconds without an answer before a notice names the open question."""


async def play_rerun(
    case: RerunCase, player: BotEntrant, setup: RerunSetup, folder: Path, loop: tuple[NodeClock, StampingSelector]
) -> int:
    """`folder` is the data folder of the server for this rerun. The bot's output goes to the user's data folder."""
    user_config = set_up_command(setup.data)
    config = ServerConfig(folder, limits=UNTIMED_LIMITS, grace_s=0)
    async with open_local_host(config, *loop) as host:
        assert host.server is not None
        user_host = replace(host, data=user_config.data.absolute())
        shown = [player.name] if setup.show_output else []
        async with launch_bots(user_host, [player], setup.join_time, print_status, shown) as bots:
            run = _RerunSession(case, player, bots, host.server, setup)
            await run.play()
            report = run.compare_answers()
    what = {"match_id": case.entry.match_id, "entrant": case.entrant, "name": case.name}
    present(what | report.as_dict(), setup.json, _result_lines(case, report))
    return ExitCode.NO if report.differing else ExitCode.YES


class _RerunSession:
    def __init__(
        self, case: RerunCase, player: BotEntrant, bots: MatchBots, server: RunningNode, setup: RerunSetup
    ) -> None:
        self._case = case
        self._player = player
        self._bots = bots
        self._registry = server.node.registry
        self._setup = setup
        self._seen_at = time.monotonic()
        """Instant at which the bot was last connected, on the monotonic clock."""
        self._noticed_prompt = 0
        wait_policy = WaitPolicy(self._check_bot_alive, self._print_wait_notice, setup.patience)
        self._seat = RerunSeat(case.recorded, case.entrant, server.node, wait_policy)

    async def play(self) -> None:
        """Raises BotStartError, RequestError."""
        await self._seat.offer(await self._wait_for_bot())
        await self._seat.play(self._case.until)

    def compare_answers(self) -> RerunReport:
        """Raises BotStartError if the bot has not answered at all."""
        report = RerunReport(self._case.prompts, self._seat.responses, self._case.game)
        if report.is_silent:
            questions = format_count(len(report.compared), "question")
            error = BotStartError(f"{self._player.name} has answered none of {questions}")
            if (output := self._bots.output_of(self._player.name)) is not None:
                error.add_note(f"its output is in {output}")
            raise error
        return report

    async def _wait_for_bot(self) -> Session:
        while True:
            with suppress(UnknownNameError):
                return self._registry.sessions.find(self._player.name)
            self._bots.check_missing([self._player.name])
            await asyncio.sleep(POLL_INTERVAL_S)

    def _check_bot_alive(self) -> None:
        """Raise BotStartError if the bot has ended or stays disconnected for too long."""
        for loss in self._bots.find_exits():
            first, _, rest = str(loss).partition("\n")
            error = BotStartError(first)
            error.add_note(rest)
            raise error
        now = time.monotonic()
        if any(name == self._player.name for name, _ in self._registry.sessions.by_key):
            self._seen_at = now
        elif self._player.is_remote and now - self._seen_at > self._setup.join_time:
            raise BotStartError(f"{self._player.name} disconnected and was not back within {self._setup.join_time:g} s")

    def _print_wait_notice(self, prompt_id: int, waited_s: float) -> None:
        """Once per question."""
        if waited_s < _WAIT_NOTICE_S or prompt_id == self._noticed_prompt:
            return
        self._noticed_prompt = prompt_id
        prompt = next((each for each in self._case.prompts if each.prompt_id == prompt_id), None)
        where = "a question" if prompt is None else f"game {prompt.game}, turn {prompt.turn} ({prompt.kind})"
        output = self._bots.output_of(self._player.name)
        written = "" if output is None else f"; the bot's output is in {output}"
        if output is not None and (error := read_last_error(output)):
            written += f", its last error is {error}"
        print_status(f"waiting for the answer to {where}{written}; --patience S sets a limit")


def _result_lines(case: RerunCase, report: RerunReport) -> Iterator[Styled]:
    yield from map(add_style, header_lines(case.entry))
    for compared in report.compared if case.is_turn else report.noteworthy:
        yield add_style("")
        yield from wrap_styled(compared.question_text, "decision", WIDTH)
        for label, words in compared.answer_rows():
            yield from (add_style(text, "fault" if label == "illegal" else "") for text in row_texts(label, words))
    yield add_style("")
    yield add_style(report.summary(), "fault" if report.differing else "end")
