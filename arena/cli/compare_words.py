"""A comparison in words: one sentence first, then the figures."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from arena.cli.exits import Exit
from arena.cli.report import replay_command
from arena.compare.estimate import COVERED, expected_blocks
from arena.compare.finding import Code, Conduct, Finding
from arena.compare.lanes import Lanes
from arena.compare.sequential import BATCH, LEAST_BLOCKS, Evidence, Mode, Question
from arena.replays.words import counted, length
from arena.report.play_view import BotPlay
from arena.report.play_words import MEASURES

EXITS: Final[Mapping[Code, Exit]] = {
    Code.BETTER: Exit.YES,
    Code.NOT_WORSE: Exit.YES,
    Code.NOT_BETTER: Exit.NO,
    Code.WORSE: Exit.NO,
    Code.SAME: Exit.YES,
    Code.DIFFERENT: Exit.NO,
    Code.UNDECIDED: Exit.UNDECIDED,
    Code.NOT_STARTED: Exit.BOT_FAILED,
    Code.SILENT: Exit.BOT_FAILED,
    Code.OTHER_GAME: Exit.BOT_FAILED,
    Code.CRASHED: Exit.BOT_FAILED,
    Code.FAULTS: Exit.BOT_FAILED,
    Code.UNSTEADY: Exit.UNSTEADY,
}
_VERDICTS: Final = {
    Code.BETTER: "better", Code.NOT_BETTER: "not better", Code.NOT_WORSE: "not worse", Code.WORSE: "worse",
    Code.SAME: "the same", Code.DIFFERENT: "different", Code.UNDECIDED: "undecided",
}  # fmt: skip
_FAILURES: Final = {
    Code.NOT_STARTED: "did not start",
    Code.SILENT: "did not connect in time",
    Code.OTHER_GAME: "does not play these rules",
    Code.CRASHED: "crashed again and again",
}

_HOW: Final = ("as the errors go; the estimate is too high as often as too low", "of the plain mean")


def replay_name(number: int) -> str:
    """Name the file of one of the games that cost most; 1 is the worst."""
    return f"costly-{number}.txt"


def sentence_of(finding: Finding) -> str:
    """The answer, in one sentence."""
    played = f"after {counted(finding.games, 'game')}, {length(finding.seconds)}"
    if finding.code in _VERDICTS:
        return f"{_VERDICTS[finding.code]}{_effect(finding)}, {played}"
    if finding.code is Code.FAULTS:
        told = finding.candidate
        share = f"{told.fault_share:.2%} of the candidate's {told.asked} decisions"
        return f"faults: {share} were late, illegal, missing, or it was gone, {played}"
    if finding.code is Code.UNSTEADY:
        return f"unsteady: {finding.reason}, {played}; try again when it is quiet"
    who, _, how = finding.reason.partition(": ")
    return f"{who} {_FAILURES[finding.code]}, {played}: {how.partition(chr(10))[0]}"


def _effect(finding: Finding) -> str:
    """By how much: " by 0.21 places a game, 0.08 to 0.34" where it is better or worse, else with its sign."""
    estimate = finding.estimate
    if estimate is None:
        return ""
    value, low, high = map(_rounded, (estimate.value, estimate.low, estimate.high))
    match finding.code:
        case Code.BETTER:
            return f" by {value:.2f} places a game, {low:.2f} to {high:.2f}"
        case Code.WORSE:
            return f" by {_rounded(-value):.2f} places a game, {_rounded(-high):.2f} to {_rounded(-low):.2f}"
        case _:
            return f": {value:+.2f} places a game, {low:+.2f} to {high:+.2f}"


def _rounded(places: float) -> float:
    """As it is told: never -0.00."""
    return round(places, 2) + 0.0


def line_of(finding: Finding, question: Question, lanes: Lanes) -> str:
    """How it stands, in a line."""
    played = f"{counted(finding.games, 'game')} in {length(finding.seconds)}"
    evidence = finding.evidence
    if evidence is None:
        return f"{played}; a first look after {LEAST_BLOCKS * 2 * lanes.seats} games"
    ratio, bound = evidence.ratio(question), evidence.bound(question)
    wait = _to_go(finding, evidence, question, lanes) if finding.code is Code.UNDECIDED else ""
    return f"{played}; {_rounded(evidence.mean):+.2f} places a game; evidence {ratio:+.2f} of {bound:.2f}{wait}"


def _to_go(finding: Finding, evidence: Evidence, question: Question, lanes: Lanes) -> str:
    """Say how long an answer is to be expected to take: a batch at least, and as long as until the first look."""
    blocks = max(expected_blocks(evidence, question), evidence.count + BATCH, LEAST_BLOCKS) - evidence.count
    games = blocks * 2 * lanes.seats
    return f"; about {games:.0f} games, {length(games * finding.seconds / finding.games)} to go"


def lines_of(finding: Finding, question: Question) -> list[str]:
    """Give the figures behind the sentence."""
    evidence = finding.evidence
    lines = []
    if evidence is not None:
        lines += [
            f"question    {question.mode.value}, margin {question.margin:g} places a game, errors {question.error:.1%}",
            f"interval    {COVERED:.0%}, {_HOW[question.mode is Mode.SAME]}",
            f"evidence    {evidence.ratio(question):+.3f}, bounds ±{evidence.bound(question):.3f}",
            f"plain mean  {evidence.mean:+.3f} places a game in {counted(evidence.count, 'block')} of one deal each",
            f"            with a standard deviation of {_deviation(evidence, question)}",
            f"played      {finding.games / max(finding.seconds, 1e-9):.1f} games a second",
        ]
    lines += [f"said        {line.strip()}" for line in finding.reason.splitlines()[-1:] if line.startswith(" ")]
    sides = {"candidate": finding.candidate, "baseline": finding.baseline}
    lines += [f"{side:12}{_conduct(conduct)}" for side, conduct in sides.items() if conduct.asked]
    if finding.voids:
        mine = f"{finding.spared} of them as it took the candidate's time; each is played again"
        lines.append(f"void        {counted(finding.voids, 'block')} that the machine has spoilt, {mine}")
    return lines


def loss_lines(finding: Finding, data: Path, replays: Path | None) -> list[str]:
    """Say where the games are that cost most: in the files of a folder, or in the data folder."""
    places = [f"{replay_command(loss.match_id, data)} --seat {loss.seat}" for loss in finding.losses]
    if replays is not None:
        places = [str(replays / replay_name(number + 1)) for number in range(len(places))]
    return [f"cost        {loss.places:g} places: {place}" for loss, place in zip(finding.losses, places, strict=True)]


def play_lines(plays: Sequence[BotPlay]) -> list[str]:
    """Say how both bluff and call, side by side; nothing where not both have played."""
    if len(plays) < 2:
        return []
    mine, its = (play.figures for play in plays)
    told = [
        f"{measure.heading.lower()}: {measure.write(mine[what])}, the baseline {measure.write(its[what])}"
        for what, measure in MEASURES.items()
        if what in mine and what in its
    ]
    return [f"{'plays' if not index else '':12}{text}" for index, text in enumerate(told)]


def plain_plays(plays: Sequence[BotPlay]) -> dict[str, dict[str, float | None]]:
    """The same for machines: by side and figure; None: it never came to that."""
    return {play.name: {what: share.value for what, share in play.figures.items()} for play in plays}


def _deviation(evidence: Evidence, question: Question) -> str:
    """As it was seen, and what is reckoned with where that is thought too small."""
    seen, reckoned = (variance**0.5 for variance in (evidence.variance, evidence.reckoned(question)))
    return f"{seen:.3f}" + (f"; {reckoned:.3f} is reckoned with" if reckoned > seen else "")


def _conduct(conduct: Conduct) -> str:
    faults = ", ".join(f"{count} {kind}" for kind, count in conduct.faults.items() if count)
    return f"{counted(conduct.asked, 'decision')}, {faults or 'no fault'}"


def plain(finding: Finding, question: Question, code: Exit) -> dict[str, Any]:
    """The same for machines."""
    evidence, estimate = finding.evidence, finding.estimate
    return {
        "code": finding.code.value,
        "exit": int(code),
        "sentence": sentence_of(finding),
        "mode": question.mode.value,
        "margin": question.margin,
        "error": question.error,
        "games": finding.games,
        "seconds": round(finding.seconds, 3),
        "estimate": None if estimate is None else {"value": estimate.value, "low": estimate.low, "high": estimate.high},
        "covered": COVERED,
        "blocks": 0 if evidence is None else evidence.count,
        "mean": None if evidence is None else evidence.mean,
        "deviation": None if evidence is None else evidence.variance**0.5,
        "deviation_reckoned": None if evidence is None else evidence.reckoned(question) ** 0.5,
        "ratio": None if evidence is None else evidence.ratio(question),
        "bound": None if evidence is None else evidence.bound(question),
        "candidate": {"decisions": finding.candidate.decisions, **finding.candidate.faults},
        "baseline": {"decisions": finding.baseline.decisions, **finding.baseline.faults},
        "voids": finding.voids,
        "spared": finding.spared,
        "losses": [asdict(loss) for loss in finding.losses],
        "reason": finding.reason,
    }
