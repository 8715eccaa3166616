"""Views of made-up leagues of any size, as input of a report."""

from collections.abc import Sequence
from random import Random

import numpy as np

from arena.competition.league.accomplice_screen import AccompliceEvidence
from arena.competition.league.champion import Champion
from arena.competition.league.estimates import Interval
from arena.competition.league.head_to_head import HeadToHead
from arena.competition.league.model import Block, Entrant, TableResult
from arena.competition.league.rating import Rating
from arena.competition.league.standings import Standings, StandingsRow
from arena.match.referee.facts import StrikeKind
from arena.match.referee.strike_record import ResponseTimes
from arena.organizer.report.play_view import BotPlay, Incident, StrikeView
from arena.organizer.report.view import (
    Absence,
    Amendment,
    AwaitedBot,
    Check,
    DateView,
    EntrantGames,
    EntrantView,
    LeagueGame,
    LeagueView,
    Matrix,
    Progress,
    RatingMoment,
    Seal,
    VoidedBlock,
)
from arena.replays.analytics.bot_figures import Ratio
from arena.replays.analytics.collusion_screen import PairEvidence
from arena.replays.analytics.deviation import PairDirection

HOSTILE_TEXTS = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "\u202egnp.exe\u202c \u2066x\u2069",
    "\U0001f600" * 32,
    "=cmd|'/c calc'!A1",
    "{{ 7 * 7 }}{% raw %}",
    "]]></svg><svg onload=alert(1)>",
    "W" * 32,
    "Z\u0351\u0363\u036b\u0301a\u0300\u0317\u0321l\u0342\u031ag\u0324o\u0353!",
    "\u05d0\u05d1\u05d2 (1) \u0645\u0631\u062d\u0628\u0627",
    "a\x00b\x1b[2J\nnew line\ttab",
    "</style><style>*{display:none}",
    "@SUM(1+1)*cmd",
    "&lt;b&gt; &amp; &#x202e;",
    "javascript:alert(1)",
    "--><!-- \u2028 \ufeff",
)
PLAIN_NAMES = ("counter", "cautious", "bold-7", "memory", "parrot", "sly fox", "Ockham 1.2", "random")
RANKS = tuple("A23456789TJQK")
BASE_TIME = 1_760_000_000.0


def make_names(count: int) -> list[str]:
    """Return plausible names of entrants."""
    return [
        PLAIN_NAMES[i] if i < len(PLAIN_NAMES) else f"{PLAIN_NAMES[i % len(PLAIN_NAMES)]}-{i}" for i in range(count)
    ]


def make_league_view(names: Sequence[str], seed: int = 1, *, is_over: bool = True, game_count: int = 400) -> LeagueView:
    """Return the view of a league of these entrants, with some content in every part."""
    chance = Random(seed)
    strength = sorted((chance.gauss(0, 0.5) for _ in names), reverse=True)
    width = 0.5 if is_over else 1.2
    return LeagueView(
        title="Autumn season of the bluffers",
        progress=Progress(
            "over" if is_over else "running",
            is_over,
            game_count if is_over else game_count // 3,
            game_count,
            game_count // 4 if is_over else game_count // 12,
            BASE_TIME + 90_000,
        ),
        ruleset="Cheat, preset standard, 4 seats, rules version 1",
        pace="sealed; turn 2 s, call window 1 s, fixed windows",
        format="season in blocks of 4 tables: pairs meet about equally often",
        entrants=_entrants(names),
        standings=_standings(names, strength, width, chance),
        seal=Seal(
            "cheatarena-league-1 9f2c0d0f5d7f41f7ed5b13be8d60a3a9d6a56c8f95a0a0c5b0bf6d5c2f0e7a11",
            (
                Check(True, "the rules, the schedule seed and every entrant's files are those that were sealed"),
                Check(is_over, "all deals of the chain are opened"),
            ),
        ),
        notes=(
            "Bots ran as the user who ran the league, not in a sandbox: they could have read each other's files.",
            "Remote bots have no lanes: nothing keeps them from remembering what they saw.",
        ),
        ratings=_ratings(names, strength, width),
        win_probabilities=_win_probabilities(strength),
        course=_rating_course(names, strength, game_count, chance),
        meetings=_meetings(names, strength, chance),
        play=_play(names, chance),
        play_notes=("Luck of the deal: hand at the deal against the mean hand of that deal, in standard deviations.",),
        collusion=(_collusion(names[0], names[-1]),),
        collusion_method="For each chance to call between a pair, its call is compared with what caller, accused and"
        " situation explain; Holm over all pairs.",
        accomplices=(AccompliceEvidence(names[-1], names[0], 15, 15, 6.2, 38, 11, 0.0004),),
        faults=_faults(names, chance),
        incidents=(
            Incident(
                names[1], BASE_TIME + 4_000, "crashed, started again (1 of 3)", "ValueError: <b>not a card</b>\nexit 1"
            ),
        ),
        amendments=(Amendment(BASE_TIME + 5_000, f"disqualify {names[-1]}", "it read <other> bots' files & said so"),),
        voided=(
            VoidedBlock(17, 0, ("01JB000000000000000000VOID",), "the host stood still for 4.2 s", is_replayed=True),
        ),
        games=_games(names, game_count, chance),
        dates=_dates(names, is_over=is_over),
        absences=(Absence(BASE_TIME + 7_200, 1, 3, names[-2:]),),
        awaited=() if is_over else (AwaitedBot(names[0], 12), AwaitedBot(names[-1], 1)),
        made_by="cheatarena-server 0.1.0",
    )


def _dates(names: Sequence[str], *, is_over: bool) -> list[DateView]:
    """Return two dates: the first is closed, the second is open unless the league is over."""
    played = [EntrantGames(name, 12, 12, 2 * (i >= len(names) - 2)) for i, name in enumerate(names)]
    playing = [EntrantGames(name, 12, 12 if is_over else i % 12, 0) for i, name in enumerate(names)]
    state = "closed" if is_over else "open"
    return [
        DateView(1, 8, BASE_TIME, BASE_TIME + 7_200, "closed", True, played),
        DateView(9, 9, BASE_TIME + 86_400, BASE_TIME + 93_600, state, is_over, playing),
    ]


def _entrants(names: Sequence[str]) -> list[EntrantView]:
    return [
        EntrantView(
            Entrant(name, f"team {i // 3}", f"1.{i}", "" if i % 7 == 6 else f"{i * 7919 + 1:064x}"),
            kind="remote" if i % 7 == 6 else "local",
            remark="disqualified" if i == len(names) - 1 else "",
        )
        for i, name in enumerate(names)
    ]


def _collusion(one: str, other: str) -> PairEvidence:
    ways = PairDirection(one, other, 203, 412, 30, 60.4), PairDirection(other, one, 203, 400, 31, 58.0)
    return PairEvidence(ways, ratio=0.51, z=-4.2, p=0.00001, p_of_all=0.00004, is_flagged=True)


def _standings(names: Sequence[str], strength: Sequence[float], width: float, chance: Random) -> Standings:
    rows = [
        StandingsRow(
            place=None if i == len(names) - 1 else i + 1,
            name=name,
            games=96,
            score=strength[i] / 4,
            interval=Interval(strength[i] / 4 - width / 8, strength[i] / 4 + width / 8),
            first_places=chance.randrange(10, 40),
            mean_place=2.5 - strength[i],
            forfeits=i % 5 == 4,
            strikes={"late": chance.randrange(3), "illegal": i % 4, "missing": chance.randrange(9), "gone": 0},
            marked_games=chance.randrange(3),
            is_separable=i % 3 == 0,
            is_disqualified=i == len(names) - 1,
        )
        for i, name in enumerate(names)
    ]
    return Standings(tuple(rows), "points", champion=Champion(names[0], "clear lead", (names[0],)))


def _ratings(names: Sequence[str], strength: Sequence[float], width: float) -> list[Rating]:
    points = [1500 + 174 * each for each in strength]
    return [
        Rating(n, p, Interval(p - 80 * width, p + 80 * width), is_separable=i % 2 == 0)
        for i, (n, p) in enumerate(zip(names, points, strict=True))
    ]


def _win_probabilities(strength: Sequence[float]) -> Matrix:
    return [[None if i == j else 1 / (1 + 10 ** (2 * (b - a))) for j, b in enumerate(strength)]
            for i, a in enumerate(strength)]  # fmt: skip


def _rating_course(names: Sequence[str], strength: Sequence[float], games: int, chance: Random) -> list[RatingMoment]:
    moments = []
    for step in range(1, 41):
        wide = 160 / step**0.5
        rating = [1500 + 174 * each + chance.gauss(0, wide / 3) for each in strength]
        rated = [Rating(n, r, Interval(r - wide, r + wide)) for n, r in zip(names, rating, strict=True)]
        moments.append(RatingMoment(games * step // 40, rated))
    return moments


def _meetings(names: Sequence[str], strength: Sequence[float], chance: Random) -> HeadToHead:
    games = np.array([[0.0 if i == j else 20 + (i + j) % 3 for j in range(len(names))] for i in range(len(names))])
    if len(names) > 3:
        games[0, 2] = games[2, 0] = 0
    mean = [[1 / (1 + 10 ** (b - a)) for b in strength] for a in strength]
    return HeadToHead(tuple(names), games, games * mean)


def _share(chance: Random, rate: float, of: int) -> Ratio:
    return Ratio(sum(chance.random() < rate for _ in range(of)), of)


def _play(names: Sequence[str], chance: Random) -> list[BotPlay]:
    found = []
    for name in names:
        lies, calls = chance.uniform(0.1, 0.6), chance.uniform(0.4, 0.95)
        figures = {
            "lies": _share(chance, lies, 900),
            "lies_called": _share(chance, chance.uniform(0.1, 0.5), 300),
            "precision": _share(chance, calls, 120),
            "recall": _share(chance, calls / 3, 500),
            "cards_a_wrong_call": Ratio(chance.randrange(200, 900), 100),
            "think_s": Ratio(chance.uniform(0.3, 40), 1000),
        }
        bands = {
            "lies_by_rank": {rank: _share(chance, lies, chance.choice([9, 90])) for rank in RANKS},
            "lies_by_count": {str(n): _share(chance, min(1, lies * n / 2), 80) for n in range(1, 5)},
            "lies_by_pile": {band: _share(chance, lies, 60) for band in ("0", "1-3", "4-9", "10-19", "20 or more")},
        }
        found.append(BotPlay(name, figures, bands, luck=chance.gauss(0, 0.05), luck_error=0.02))
    return found


def _faults(names: Sequence[str], chance: Random) -> list[StrikeView]:
    sentence = "asked for 1 to 4 cards as Q; the answer came 212 ms after the deadline: the bot took 2.1 s itself"
    late = ResponseTimes(2_100_000, 400, 200, 100, 300, 12_000)
    return [
        StrikeView(name, _match_id(chance.randrange(300)), chance.randrange(200), StrikeKind(kind), f"{sentence} <{i}>",
              late if kind == "late" else ResponseTimes(), None)
        for name in names[: max(2, len(names) // 3)]
        for i, kind in enumerate(chance.choices(("late", "missing", "illegal"), k=chance.randrange(1, 40)))
    ]  # fmt: skip


def _match_id(number: int) -> str:
    return f"01JB{number:022d}"


def _games(names: Sequence[str], count: int, chance: Random) -> list[LeagueGame]:
    rows = []
    for number in range(count):
        seats = tuple(chance.sample(list(names), min(4, len(names))))
        ending = "finished" if chance.random() < 0.98 else "max_turns"
        places = tuple(range(1, len(seats) + 1))
        result = TableResult(_match_id(number), seats, places, ending, turn_count=310)
        rows.append(LeagueGame(Block(1 + number // 4, 1 + number // 40, (seats,)), 1 + number % 4, result))
    return rows
