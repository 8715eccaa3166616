"""Works out the scores and ratings of a league again, with their intervals, from the CSV files of its report alone.

    python3 recompute.py FOLDER      # the folder with standings, ratings, games, entrants and scoring, all .csv

It needs numpy alone. docs/statistics.md says what is computed. The exit code is 1 if a file is missing or wrong, or if
a score differs by more than 1e-9 or a rating by more than 0.02 points, which is how near its fit ends.
"""

import csv
import sys
from itertools import combinations
from math import comb, log, log1p, sqrt
from pathlib import Path

import numpy as np

FOLDS, PRIOR_GAMES, MIN_BLOCKS, DRAWS, NOTHING, ORDER = 10, 4, 20, 1000, 1e-12, ("block", "table", "seat")
NORMAL_QUANTILE, T_QUANTILES = 1.959964, {1: 12.706, 2: 4.303}
RATING_DRAWS, PSEUDO_COUNT, ONE_SIDED_BLOCKS, ONE_SIDED_FACTOR, RATING_POINTS = 200, 0.1, 6, 1.435268, 400 / log(10)


class Games:
    """One row for each seat of each game that counts, in the order of blocks, tables and seats."""

    def __init__(self, rows):
        rows = sorted(rows, key=lambda row: [int(row[key]) for key in ORDER])
        self.names = sorted({row["entrant"] for row in rows})
        self.who = np.array([self.names.index(row["entrant"]) for row in rows], dtype=int)
        self.seat = np.array([int(row["seat"]) for row in rows], dtype=int)
        self.block = np.unique([int(row["block"]) for row in rows], return_inverse=True)[1]
        self.luck = np.array([float(row["luck"] or 0) for row in rows])
        self.count, self.blocks, self.seats = len(self.names), int(self.block.max()) + 1, int(self.seat.max()) + 1
        self.table = np.arange(len(rows)) // self.seats  # every table has all seats
        self.place = place = np.array([int(row["place"]) for row in rows]).reshape(-1, self.seats)
        behind = np.sign(place[:, None, :] - place[:, :, None]).sum(axis=2).ravel()  # less those ahead
        self.points = (behind / (self.seats - 1) + 1) / 2
        sat = np.eye(self.count)[self.who.reshape(place.shape)].sum(axis=1)
        self.met = sat.T @ sat > 0  # who shared a table with whom, itself included
        self.sat = sat > 0  # who sat at each table


def beside_accomplices(games, flags):
    """Return the rows of entrants beside those flagged for coming last there, and the tables of these rows."""
    rows, tables = np.zeros(len(games.who), dtype=bool), np.zeros(len(games.place), dtype=bool)
    for flag in flags:
        helper, helped = (np.array(games.names) == flag[key] for key in ("entrant", "other"))
        both = games.sat[:, helper].any(axis=1) & games.sat[:, helped].any(axis=1)
        rows, tables = rows | both[games.table] & helped[games.who], tables | both
    return rows, tables


def adjusted_points(games, owners):
    """Return the adjusted points of each row."""
    fold = games.block % FOLDS
    sums, counts = np.zeros((2, FOLDS, games.count))
    np.add.at(sums, (fold, games.who), games.points)
    np.add.at(counts, (fold, games.who), 1)
    owner = np.array([owners.get(name) or "itself " + name for name in games.names])
    possible = (games.met | (owner[:, None] != owner[None, :])) & ~np.eye(games.count, dtype=bool)
    weights = possible * counts.sum(axis=0)  # who (row) may meet whom (column), and how often that one plays
    weights = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1)
    parts = [explain(games, number, fold, sums, counts, weights) * (fold == number) for number in range(FOLDS)]
    varies = np.array([np.ptp(games.points[games.who == number]) > 0 for number in range(games.count)])
    return games.points - varies[games.who] * sum(parts)  # equal points in all games stay as they are


def explain(games, number, fold, sums, counts, weights):
    """Return what the features explain of each row's points, with coefficients from all folds except this one."""
    strength, opponents = np.zeros((2, len(fold)))
    for own in range(FOLDS):
        here, others = fold == own, [each for each in range(FOLDS) if each not in (number, own)]
        known = (sums[others].sum(axis=0) + PRIOR_GAMES / 2) / (counts[others].sum(axis=0) + PRIOR_GAMES)
        strength[here] = known[games.who[here]]
        total = np.bincount(games.table[here], strength[here], len(games.place))[games.table[here]]
        opponents[here] = (total - strength[here]) / (games.seats - 1) - (weights @ known)[games.who[here]]
    training = fold != number
    played = np.bincount(games.who[training], minlength=games.count)
    means = np.bincount(games.who[training], games.points[training], games.count) / np.maximum(played, 1)
    rest, explained = games.points - means[games.who], np.zeros(len(fold))
    freedom = max(1, training.sum() - np.count_nonzero(played))
    seats = [(games.seat == seat) - 1 / games.seats for seat in range(games.seats)]
    hand = games.block * games.seats + games.seat
    others = np.bincount(hand)[hand] - 1  # how many others have the same hand and seat
    for feature in (opponents, *seats, games.luck, None):
        surprise = games.points - strength - explained
        mates = (np.bincount(hand, surprise)[hand] - surprise) * (others > 0) / np.maximum(others, 1)  # their mean
        x = 4 * strength * (1 - strength) * (mates if feature is None else feature)
        square, product, left = x[training] @ x[training], x[training] @ rest[training], rest[training] @ rest[training]
        if square >= NOTHING and left >= NOTHING and product:  # least squares, shrunk
            part = x * product / square * max(0.0, 1 - 4 * left * square / (product**2 * freedom))
            rest, explained = rest - part, explained + part
    return explained


def t_quantile(freedom, x=NORMAL_QUANTILE):
    """Return Student's t at 97.5 % (Abramowitz and Stegun, 26.7.5)."""
    first, second = (x**3 + x) / 4, (5 * x**5 + 16 * x**3 + 3 * x) / 96
    third = (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384
    return T_QUANTILES.get(freedom, x + first / freedom + second / freedom**2 + third / freedom**3)


def random_weights(count, draws, seed):
    """Return a row of weights with mean 1 for each draw of the bootstrap."""
    drawn = np.random.default_rng(np.frombuffer(bytes.fromhex(seed), "<u4")).standard_exponential((draws, count))
    return drawn / drawn.mean(axis=1, keepdims=True)


def scores(games, points, seed, helped):
    """Yield (name, score, low, high) for each entrant, from a bootstrap with random weights of blocks.

    The rows `helped` count only for those whose score they lower.
    """
    sums, played = np.zeros((2, 2, games.blocks, games.count))
    for number, kept in enumerate((np.ones(len(points)), ~helped)):
        np.add.at(sums[number], (games.block, games.who), points * kept)
        np.add.at(played[number], (games.block, games.who), kept)
    means = sums.sum(axis=1) / np.maximum(played.sum(axis=1), NOTHING)
    is_lower = (means[1] < means[0]) & played[1].any(axis=0)
    sums, played = np.where(is_lower, sums[1], sums[0]), np.where(is_lower, played[1], played[0])
    weights = random_weights(games.blocks, DRAWS, seed)
    spreads = ((weights @ sums) / (weights @ played)).std(axis=0, ddof=1)
    for number, name in enumerate(games.names):
        n = np.count_nonzero(played[:, number])
        score = (sums[:, number].sum() / played[:, number].sum()).clip(0, 1)
        if n < 2 or spreads[number] < NOTHING:  # the rule of three
            part = min(1.0, 3 / n)
            yield name, score, score * (1 - part), score + part * (1 - score)
        else:
            reach = t_quantile(n - 1) * sqrt((n + 1) / (n - 1)) * spreads[number]
            yield name, *np.clip((score, score - reach, score + reach), 0, 1)


def choices(games, halves):
    """Yield all choices in the orders of finish: table, weight, which seats are left, the share that each is chosen."""
    for table, place in enumerate(games.place):
        for best in np.unique(place):
            tied, worse = np.flatnonzero(place == best), place > best
            for count in range(1 if worse.any() else 2, len(tied) + 1):  # the last one left is no choice
                for some in combinations(tied, count):
                    chosen = np.isin(np.arange(games.seats), some)
                    yield table, (worse.any() or halves) / comb(len(tied), count), chosen | worse, chosen / count


def fit(games, orders, weights, strengths):
    """Return the most likely strengths of entrants and then seats, by Newton's method with damped steps."""
    table, weight, left, chosen = orders
    who, n = games.who.reshape(-1, games.seats)[table], games.count
    weight = (weight * weights[games.block[:: games.seats][table]])[:, None]
    ghosts = PSEUDO_COUNT * np.hstack([weights[games.blocks :].reshape(2, n), np.ones((2, games.seats))])
    cells, size, step = (who * games.seats + np.arange(games.seats)).ravel(), n * games.seats, np.ones(1)
    while abs(step).max() > 1e-8:
        odds = np.exp(strengths[who] + strengths[n:]) * left
        chance, even = odds / odds.sum(axis=1, keepdims=True), 1 / (1 + np.exp(-strengths))
        surplus = np.bincount(cells, (weight * (chosen - chance)).ravel(), size).reshape(n, -1)
        expected = np.bincount(cells, (weight * chance).ravel(), size).reshape(n, -1)
        slope = np.append(surplus.sum(axis=1), surplus.sum(axis=0)) + ghosts[0] - ghosts.sum(axis=0) * even
        both = np.hstack([np.zeros((len(who), n)), chance])  # of each entrant, and of each seat
        both[np.arange(len(who))[:, None], who] = chance
        curve = np.diag(np.append(expected.sum(axis=1), expected.sum(axis=0)) + ghosts.sum(axis=0) * even * (1 - even))
        curve[:n, n:], curve[n:, :n] = expected, expected.T
        step = np.linalg.solve(curve - both.T @ (weight * both), slope)
        change = sum(np.ptp(np.append(part, 0)) for part in (step[:n], step[n:])) + NOTHING
        strengths = strengths + step * log1p(change) / change
    return strengths


def draw_ratings(games, orders, drawn, linked):
    """Return the ratings with equal weights, and then with drawn ones."""
    best = fit(games, orders, np.ones(drawn.shape[1]), np.zeros(games.count + games.seats))
    strengths = np.array([best, *(fit(games, orders, weights, best) for weights in drawn)])[:, : games.count]
    return 1500 + RATING_POINTS * (strengths - strengths @ (linked / linked.sum(axis=0)))


def ratings(games, seed, halves, helped, shared):
    """Yield (name, rating, low, high) for each entrant. An end that no game limits is infinite.

    Entrants of the rows `helped` have the lower of two ratings: of all games, and without the tables `shared`.
    """
    table, weight, left, chosen = orders = [np.array(each) for each in zip(*choices(games, halves), strict=True)]
    who, n = games.who.reshape(-1, games.seats)[table], games.count
    won, lost = (np.bincount(who.ravel(), (weight * each.T).T.ravel(), n) > 0 for each in (chosen, left - chosen))
    sat = np.eye(n)[who].sum(axis=1)  # who sat at a table that decided something, for each choice
    linked = np.linalg.matrix_power((sat.T * weight) @ sat + np.eye(n) > 0, n)  # by chains of such tables
    drawn = random_weights(games.blocks + 2 * games.count, RATING_DRAWS, seed)  # games against a ghost have weights too
    scaled = draw_ratings(games, orders, drawn, linked)
    if helped.any():
        alone = draw_ratings(games, [each[~shared[table]] for each in orders], drawn, linked)
        scaled = np.where(np.isin(np.arange(n), games.who[helped]) & (alone[0] < scaled[0]), alone, scaled)
    for number, (name, rating, has_won, has_lost) in enumerate(zip(games.names, scaled[0], won, lost, strict=True)):
        least, factor = (2, 1) if has_won and has_lost else (ONE_SIDED_BLOCKS, 1 if halves else ONE_SIDED_FACTOR)
        is_known = len(set(games.block[games.who == number])) >= least
        reach = NORMAL_QUANTILE * factor * scaled[1:, number].std(ddof=1) if is_known else np.inf
        yield name, rating, rating - (reach if has_won else np.inf), rating + (reach if has_lost else np.inf)


def main(folder):
    """Print all scores and ratings, and return whether they agree with standings.csv and ratings.csv."""
    files = {each.stem: list(csv.DictReader(each.read_text("utf-8").splitlines())) for each in folder.glob("*.csv")}
    scoring = {row["key"]: row["value"] for row in files["scoring"]}
    counted = [row for row in files["games"] if row["label"] != "play-off"]
    if not counted:
        sys.exit("games.csv has no game that counts, so there is nothing to work out")
    games, seed, halves = Games(counted), scoring["weights_seed"], scoring.get("halves_last_tie") != "False"
    flags = files["accomplices"] if scoring.get("leaves_out_help") == "True" else []
    helped, shared = beside_accomplices(games, flags)
    doubts = [{**row, "entrant": row["other"], "other": row["entrant"]} for row in files.get("doubts", [])]
    doubtful = beside_accomplices(games, flags + doubts)
    decided = rated = list(ratings(games, seed, halves, helped, shared))
    if scoring["decided_by"] == "rating":
        for_title, tolerance = list(ratings(games, seed, halves, *doubtful)) if doubts else [], 0.02
    else:
        is_plain = scoring["draws_evenly"] != "True" or games.blocks < MIN_BLOCKS
        owners = {row["entrant"]: row["owner"] for row in files["entrants"]}
        points = games.points if is_plain else adjusted_points(games, owners)
        decided, for_title = (list(scores(games, points, seed, rows)) for rows in (helped, doubtful[0]))
        tolerance = 1e-9
    agrees, ends = True, (("low_95", "-inf"), ("high_95", "inf"))
    for file, column, figures, most in (("ratings", "rating", rated, 0.02), ("standings", "score", decided, tolerance)):
        stated = {row["entrant"]: [row[column], *(row[end] or none for end, none in ends)] for row in files[file]}
        stated = {name: list(map(float, values)) for name, values in stated.items() if values[0]}
        absent = [(f"{name}, without a game", np.nan, np.nan, np.nan) for name in sorted({*stated} - {*games.names})]
        for name, *values in [*figures, *absent]:
            is_same = name in stated and np.allclose(values, stated[name], rtol=0, atol=most)
            agrees = agrees and is_same
            print("{}: {} {:.6f}, {:.6f} to {:.6f}".format(name, column, *values), "" if is_same else "NOT AS STATED")
    for row in doubts:
        score = next(score for name, score, *_ in for_title if name == row["other"])
        is_same = abs(score - float(row["title_score"])) <= tolerance
        agrees = agrees and is_same
        print(f"{row['other']}: score for the title {score:.6f}", "" if is_same else "NOT AS STATED")
    return agrees


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        sys.exit(0 if main(Path(sys.argv[1])) else 1)
    except (LookupError, TypeError, ValueError) as error:  # a file, a column, a row or a figure is missing or wrong
        sys.exit(f"{sys.argv[1]} does not have the CSV files of a report, as the arena wrote them: {error!r}")
