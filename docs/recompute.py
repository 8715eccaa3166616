"""Works out the scores and intervals of a league's standings again, from the CSV files of its report alone.

    python3 recompute.py FOLDER      # the folder with standings.csv, games.csv, entrants.csv and scoring.csv

It needs numpy and nothing of the arena. docs/leagues.md, "Blocks and scores", says what is computed. The program prints
each score with its interval, and exits with code 1 if one differs from standings.csv by more than 1e-9.
"""

import csv
import sys
from math import sqrt
from pathlib import Path

import numpy as np

FOLDS, PRIOR_GAMES, MIN_BLOCKS, DRAWS, TOLERANCE, NOTHING = 10, 4, 20, 1000, 1e-9, 1e-12
T_QUANTILES = {1: 12.706, 2: 4.303}


def read(folder, name):
    """Return the rows of a CSV file, as dictionaries."""
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class Games:
    """One row for each seat of each game that counts, in the order of blocks, tables and seats."""

    def __init__(self, rows):
        rows = [row for row in rows if row["label"] != "play-off"]
        rows.sort(key=lambda row: (int(row["block"]), int(row["table"]), int(row["seat"])))
        self.names = sorted({row["entrant"] for row in rows})
        self.who = np.array([self.names.index(row["entrant"]) for row in rows], dtype=int)
        self.seat = np.array([int(row["seat"]) for row in rows], dtype=int)
        self.block = np.unique([int(row["block"]) for row in rows], return_inverse=True)[1]
        self.table = np.unique([(int(row["block"]), int(row["table"])) for row in rows], axis=0, return_inverse=True)[1]
        self.table = self.table.reshape(-1)
        self.luck = np.array([float(row["luck"] or 0) for row in rows])
        self.seats = int(self.seat.max()) + 1
        place = np.array([int(row["place"]) for row in rows]).reshape(-1, self.seats)  # every table has all seats
        beaten = (place[:, None, :] > place[:, :, None]).sum(axis=2).reshape(-1)
        beaten = beaten + ((place[:, None, :] == place[:, :, None]).sum(axis=2).reshape(-1) - 1) / 2
        self.points = beaten / (self.seats - 1)
        self.blocks, self.count = int(self.block.max()) + 1, len(self.names)


def possible_opponents(games, owners):
    """Return who (row) may meet whom (column): all that it met, and all of other owners."""
    met = np.zeros((games.count, int(games.table.max()) + 1))
    met[games.who, games.table] = 1
    owner = np.array([owners.get(name) or "itself " + name for name in games.names])
    return (((met @ met.T) > 0) | (owner[:, None] != owner[None, :])) & ~np.eye(games.count, dtype=bool)


def adjusted_points(games, owners):
    """Return the adjusted points of each row."""
    fold = games.block % FOLDS
    sums, counts = np.zeros((2, FOLDS, games.count))
    np.add.at(sums, (fold, games.who), games.points)
    np.add.at(counts, (fold, games.who), 1)
    weights = possible_opponents(games, owners) * counts.sum(axis=0)
    weights = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1)
    adjusted = games.points.copy()
    for number in range(FOLDS):
        explained = explain(games, number, fold, sums, counts, weights)
        adjusted[fold == number] -= explained[fold == number]
    for number in range(games.count):  # equal points in all games stay as they are
        mine = games.who == number
        if games.points[mine].var() * mine.sum() <= NOTHING:
            adjusted[mine] = games.points[mine]
    return adjusted


def explain(games, number, fold, sums, counts, weights):
    """Return what the features explain of each row's points, with coefficients from all folds except this one."""
    strength, opponents = np.zeros((2, len(fold)))
    for own in range(FOLDS):
        here, others = fold == own, [each for each in range(FOLDS) if each not in (number, own)]
        known = (sums[others].sum(axis=0) + PRIOR_GAMES / 2) / (counts[others].sum(axis=0) + PRIOR_GAMES)
        strength[here] = known[games.who[here]]
        total = np.bincount(games.table[here], strength[here], int(games.table.max()) + 1)[games.table[here]]
        opponents[here] = (total - strength[here]) / (games.seats - 1) - (weights @ known)[games.who[here]]
    training = fold != number
    played = np.bincount(games.who[training], minlength=games.count)
    means = np.bincount(games.who[training], games.points[training], games.count) / np.maximum(played, 1)
    rest, explained = games.points - means[games.who], np.zeros(len(fold))
    freedom = max(1, training.sum() - np.count_nonzero(played))
    seats = [(games.seat == seat) - 1 / games.seats for seat in range(games.seats)]
    for feature in (opponents, *seats, games.luck, None):
        column = mates(games, games.points - strength - explained) if feature is None else feature
        x = 4 * strength * (1 - strength) * column
        part = x * coefficient(x[training], rest[training], freedom)
        rest, explained = rest - part, explained + part
    return explained


def mates(games, surprise):
    """Return for each row the mean surprise of the others with the same hand and seat; 0 if there are none."""
    hand = games.block * games.seats + games.seat
    others = np.bincount(hand)[hand] - 1
    return np.where(others > 0, np.bincount(hand, surprise)[hand] - surprise, 0) / np.maximum(others, 1)


def coefficient(x, rest, freedom):
    """Return the shrunk coefficient of least squares."""
    square, left = x @ x, rest @ rest
    if square < NOTHING or left < NOTHING or not x @ rest:
        return 0.0
    found = (x @ rest) / square
    return found * max(0.0, 1 - 4 / (found**2 * square * freedom / left))


def t_quantile(freedom):
    """Return Student's t at 97.5 % (Abramowitz and Stegun, 26.7.5)."""
    x = 1.959964
    first, second = (x**3 + x) / 4, (5 * x**5 + 16 * x**3 + 3 * x) / 96
    third = (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384
    return T_QUANTILES.get(freedom, x + first / freedom + second / freedom**2 + third / freedom**3)


def intervals(games, points, seed):
    """Yield (name, score, low, high) for each entrant, from a bootstrap with random weights of blocks."""
    sums, played = np.zeros((2, games.blocks, games.count))
    np.add.at(sums, (games.block, games.who), points)
    np.add.at(played, (games.block, games.who), 1)
    source = np.random.default_rng(np.frombuffer(bytes.fromhex(seed), dtype="<u4"))
    weights = np.array([source.standard_exponential(games.blocks) for _ in range(DRAWS)])
    spreads = ((weights @ sums) / (weights @ played)).std(axis=0, ddof=1)
    for number, name in enumerate(games.names):
        n = np.count_nonzero(played[:, number])
        score = min(1.0, max(0.0, sums[:, number].sum() / played[:, number].sum()))
        if n < 2:
            yield name, score, 0.0, 1.0
        elif spreads[number] < NOTHING:  # the rule of three
            part = min(1.0, 3 / n)
            yield name, score, score * (1 - part), score + part * (1 - score)
        else:
            reach = t_quantile(n - 1) * sqrt((n + 1) / (n - 1)) * spreads[number]
            yield name, score, max(0.0, score - reach), min(1.0, score + reach)


def main(folder):
    """Print all scores, and return whether they agree with standings.csv."""
    scoring = {row["key"]: row["value"] for row in read(folder, "scoring.csv")}
    if scoring["decided_by"] == "rating":
        print("Ratings decide this league; this program recomputes mean scores only.")
        return False
    games = Games(read(folder, "games.csv"))
    owners = {row["entrant"]: row["owner"] for row in read(folder, "entrants.csv")}
    is_plain = scoring["draws_evenly"] != "True" or games.blocks < MIN_BLOCKS
    points = games.points if is_plain else adjusted_points(games, owners)
    published = {row["entrant"]: row for row in read(folder, "standings.csv")}
    agrees = {name for name, row in published.items() if row["score"]} == set(games.names)
    for name, *values in intervals(games, points, scoring["weights_seed"]):
        stated = [float(published[name][key]) for key in ("score", "low_95", "high_95")]
        is_same = all(abs(one - other) <= TOLERANCE for one, other in zip(values, stated, strict=True))
        agrees = agrees and is_same
        print(
            f"{name}: {values[0]:.6f}, {values[1]:.6f} to {values[2]:.6f}",
            "" if is_same else f"NOT AS STATED: {stated}",
        )
    return agrees


if __name__ == "__main__":
    sys.exit(0 if main(Path(sys.argv[1])) else 1)
