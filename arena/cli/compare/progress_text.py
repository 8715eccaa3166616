"""Describes a running comparison in one line: what was played, what it says so far, and when the next look comes."""

from arena.cli.compare.text import round_places
from arena.compare.comparison_result import ComparisonProgress, ResultCode
from arena.compare.estimate import expected_blocks
from arena.compare.lanes import Lanes
from arena.compare.sequential import BATCH_BLOCKS, MIN_BLOCKS, ComparisonQuestion, ScoreSummary
from arena.plurals import format_count
from arena.replays.text_format import format_rough_duration


def progress_line(progress: ComparisonProgress, question: ComparisonQuestion, lanes: Lanes) -> str:
    """Return the state of a comparison in one line."""
    finding = progress.finding
    counts = f"{format_count(progress.games, 'game')}, {format_count(progress.decisions, 'decision')}"
    parts = [f"{counts} in {format_rough_duration(finding.seconds)}"]
    evidence = finding.evidence
    if evidence is not None:
        parts.append(f"{round_places(evidence.mean):+.2f} places a game")
    if not finding.first_look_games:
        left_s = max(0.0, (progress.limit_s or 0.0) - finding.seconds)
        return "; ".join([*parts, f"the rough answer comes in {format_rough_duration(left_s)}"])
    has_looked = evidence is not None and evidence.count >= MIN_BLOCKS
    if evidence is not None and has_looked:
        ratio, bound = evidence.log_likelihood_ratio(question), evidence.bound(question)
        parts.append(f"evidence {ratio:+.2f} of {bound:.2f}")
    if finding.code is ResultCode.UNDECIDED:
        parts.append(_look_text(progress, lanes, "next" if has_looked else "first"))
        if evidence is not None and has_looked:
            parts.append(_answer_text(progress, evidence, question, lanes))
    return "; ".join(parts)


def _look_text(progress: ComparisonProgress, lanes: Lanes, name: str) -> str:
    """Return after how many games the next look of the test comes, and in how much time.

    Games count in the order of their blocks. So the look may wait for a long game even if enough others are over.
    """
    finding = progress.finding
    games = max(finding.first_look_games, finding.games + BATCH_BLOCKS * 2 * lanes.seats)
    text = f"the {name} look is after {games} games"
    if progress.games < 2 * lanes.seats:  # the first games to end say little about the speed
        return text
    left = games - progress.games
    return f"{text}, in {_duration_of(left, progress)}" if left > 0 else f"{text} and waits for a long one"


def _answer_text(
    progress: ComparisonProgress, evidence: ScoreSummary, question: ComparisonQuestion, lanes: Lanes
) -> str:
    """Return how many games and how much time are expected until the answer, which takes at least one more batch."""
    blocks = max(expected_blocks(evidence, question), evidence.count + BATCH_BLOCKS) - evidence.count
    games = blocks * 2 * lanes.seats
    return f"about {games:.0f} games, {_duration_of(games, progress)} to go"


def _duration_of(games: float, progress: ComparisonProgress) -> str:
    """Return how long some games take at the speed so far. At least one game is over."""
    return format_rough_duration(games * progress.finding.seconds / progress.games)
