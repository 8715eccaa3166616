"""How often a comparison errs with programs of known strength, and how many games it takes.

    python -m tools.studies.compare_statistics [COMPARISONS]

Prints the tables of `docs/compare.md`.
"""

import sys
from collections.abc import Sequence

import numpy as np

from arena.competition.compare.dependence import Dependence
from arena.competition.compare.sequential import ComparisonMode, ComparisonQuestion, SequentialVerdict
from tools.studies.compare_kinds import DRIFTS, KINDS
from tools.studies.compare_simulated import (
    Model,
    Outcome,
    as_plackett_and_luce,
    nearly_alike,
    rarely_lost,
    rarely_otherwise,
    share,
    simulate_comparisons,
)

CORRELATION = 0.3
"""The correlation of each score with the one before it, for blocks that depend on each other."""
ESTIMATES = 50
"""An estimate takes much longer than a comparison. So only the first comparisons of a kind get one."""
DRIFT_END = -0.2
TRIES = 10
MARGINS = (0.05, 0.1, 0.2, 0.4)


def describe_games(outcomes: Sequence[Outcome]) -> str:
    """Return the mean number of games, and the number that nine in ten comparisons do not exceed."""
    games = [each.games for each in outcomes]
    return f"{np.mean(games):7,.0f} games, 90 % of comparisons {np.percentile(games, 90):7,.0f}"


def describe_findings(outcomes: Sequence[Outcome]) -> str:
    """Return how often the comparisons say that blocks depend on each other, and that there is a trend."""
    likely, found = (np.mean([each.dependence is kind for each in outcomes]) for kind in list(Dependence)[1:])
    trends = np.mean([each.trend is not None for each in outcomes])
    return f"dependence likely {likely:.1%}, found {found:.1%}; trend {trends:.1%}"


def describe_estimates(outcomes: Sequence[Outcome], effect: float) -> str:
    """Return how often the estimate is too high, and how often its interval holds the effect."""
    estimates = [each.estimate for each in outcomes]
    held = np.mean([each.low <= effect <= each.high for each in estimates])
    above = np.mean([each.value > effect for each in estimates])
    return f"of {len(outcomes)} estimates {above:.0%} too high, 90 % interval holds {held:.0%}"


def show_errors(question: ComparisonQuestion, model: Model, correlation: float, comparisons: int) -> None:
    """Show how the test ends for no effect, half the margin and the margin."""
    blocks = f"blocks with a correlation of {correlation}" if correlation else "independent blocks"
    print(f"{question.mode.value}, margin {question.margin}, errors {question.error:.0%}, {blocks}")
    for effect in (question.low, question.middle, question.high):
        outcomes = simulate_comparisons(effect, question, comparisons, model, correlation)
        verdicts = " ".join(f"{verdict} {share(outcomes, verdict):5.1%}" for verdict in list(SequentialVerdict)[:2])
        texts = [verdicts, describe_games(outcomes), describe_findings(outcomes)]
        if model is as_plackett_and_luce:
            texts.append(describe_estimates(outcomes[:ESTIMATES], effect))
        print(f"  effect {effect:+.2f}: {'; '.join(texts)}", flush=True)


def show_games(comparisons: int) -> None:
    """Show how many games a comparison takes, for each margin."""
    for name, model in (("quite different", as_plackett_and_luce), ("nearly alike", nearly_alike)):
        for margin in MARGINS:
            question = ComparisonQuestion(margin=margin)
            for effect in (question.low, question.middle, question.high):
                outcomes = simulate_comparisons(effect, question, comparisons, model)
                print(f"  {name}, margin {margin}, effect {effect:+.3f}: {describe_games(outcomes)}", flush=True)


def show_kinds(comparisons: int) -> None:
    """Show for each kind of blocks how often the answer is wrong, wrong without a caveat, and missing."""
    for name, kind in KINDS.items():
        cells, games = list[str](), list[float]()
        for mode in ComparisonMode:
            question = ComparisonQuestion(mode)
            wrong = [SequentialVerdict.YES, SequentialVerdict.NO]
            for effect in (question.low, question.high):
                outcomes = kind.simulate(effect, question, comparisons)
                verdict = wrong[(effect == question.high) != (mode is ComparisonMode.SAME)]
                untold = np.mean([each.verdict is verdict and not each.is_told for each in outcomes])
                is_open = share(outcomes, SequentialVerdict.OPEN)
                cells.append(f"{share(outcomes, verdict):.1%}, untold {untold:.1%}, open {is_open:.0%}")
                games.append(float(np.mean([each.games for each in outcomes])))
        print(f"  {name}: {'; '.join(cells)}; {games[0]:,.0f} games", flush=True)


def show_drifts(comparisons: int) -> None:
    """Show how often a candidate passes that is worse by the margin in the end."""
    for name, kind in DRIFTS.items():
        for mode in (ComparisonMode.NOT_WORSE, ComparisonMode.BETTER):
            outcomes = kind.simulate(DRIFT_END, ComparisonQuestion(mode), comparisons)
            yes, trends = share(outcomes, SequentialVerdict.YES), np.mean([each.trend is not None for each in outcomes])
            print(f"  {mode.value}, {name}: yes {yes:.1%}, trend {trends:.1%}", flush=True)


def show_tries(comparisons: int) -> None:
    """Show how often a bot that is worse by the margin passes at least once, pushed again after each no."""
    for has_memory in (False, True):
        passed = np.zeros(comparisons, bool)
        for number in range(1, TRIES + 1):
            question = ComparisonQuestion(ComparisonMode.NOT_WORSE, number=number if has_memory else None)
            outcomes = simulate_comparisons(question.low, question, comparisons, seed=number)
            passed |= [each.verdict is SequentialVerdict.YES for each in outcomes]
        print(f"  {'with' if has_memory else 'without'} memory, {TRIES} tries: {passed.mean():.1%} pass", flush=True)


def main(comparisons: int) -> None:
    """Show the errors with programs that are unlike, then with programs that differ rarely, then the games needed."""
    print(f"{comparisons} comparisons each")
    for correlation in (0.0, CORRELATION):
        for mode in ComparisonMode:
            show_errors(ComparisonQuestion(mode), as_plackett_and_luce, correlation, comparisons)
    for what, model in (("games", rarely_otherwise), ("blocks", rarely_lost)):
        print(f"alike, but for rare {what}:")
        for margin in (0.2, 0.1):
            for mode in (ComparisonMode.BETTER, ComparisonMode.NOT_WORSE):
                show_errors(ComparisonQuestion(mode, margin), model, 0.0, comparisons)
    print("wrong answers by kind: better at 0 and 0.2, not-worse at -0.2 and 0, same at 0 and 0.2; games of the first:")
    show_kinds(comparisons)
    print("candidates that get worse:")
    show_drifts(comparisons)
    print("not-worse, pushed again and again, effect at the lower end:")
    show_tries(comparisons)
    print("games until the verdict, mode better, errors 5 %, independent blocks:")
    show_games(comparisons)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
