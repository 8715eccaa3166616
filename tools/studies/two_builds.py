"""Plays the same games in two builds: `python -m tools.studies.two_builds WHEELS FOLDER [GAMES]`. All bytes must agree.

WHEELS is the folder of the compiled wheels, which are unpacked in FOLDER. Each build plays in processes of its own,
which print one digest for each game. A game is of Cheat under a preset or under random options, or of CHEATER; in both
paces, with late answers, absences and departures. A digest covers:

* the records of the journal
* every message to every seat and to a spectator
* the replay file, and the replay as text
* every tenth game: what bots of the SDK saw and knew in a practice match, and its records
"""

import hashlib
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any, Final

from arena.errors import OptionsError
from arena.games.catalogue import games, pack_of, phrasing_of
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.presets import PRESETS
from arena.games.cheater.rules.game import CHEATER
from arena.match.feed.gate import Gate
from arena.match.feed.match_feed import MatchFeed
from arena.match.feed.outbox import Outbox
from arena.match.referee.ports import NullJournal
from arena.match.referee.replay import Replay
from arena.match.referee.scalars import Instant, StreamSequence
from arena.practice import play
from arena.replays.narration.match_narration import narrate_match
from arena.server.wire.proto_codec import ProtoCodec
from compiled.test import unpack_wheels
from tests.games.cheat.rules.strategies import LISTS, OPTIONS, playable
from tests.replays.narration.random_match import RandomMatch
from tests.support.commands import environment_of
from tests.support.observing_bots import CheaterObserver, Observer

ROOT: Final = Path(__file__).resolve().parents[2]
GAMES: Final = 10_000
PROCESSES: Final = 2
CHEATER_SHARE: Final = 0.25
PRACTICE_EVERY: Final = 10
MAX_TURNS: Final = 60
SEED: Final = 1
_UNLIMITED: Final = 1 << 60


def draw_rules(random: Random) -> tuple[str, dict[str, Any]]:
    """Draw a preset of Cheat, and in most cases some other options."""
    while True:
        preset, count = random.choice(list(PRESETS)), random.choice([0, 0, 1, 2, 4, 8, 16])
        options = {name: draw_option(random, name) for name in random.sample(list(OPTIONS), count)}
        chosen = playable(preset, {**options, "max_turns": MAX_TURNS})
        try:
            CHEAT.build_ruleset(preset, chosen)
        except OptionsError:
            continue
        return preset, chosen


def draw_option(random: Random, name: str) -> object:
    """Draw a value of an option, or some words if the option is a list."""
    values = OPTIONS[name]
    return random.sample(values, random.randint(1, len(values))) if name in LISTS else random.choice(values)


def digest_game(number: int) -> str:
    """Play a random game, and return the digest of all its bytes."""
    random, digest = Random(f"{SEED}/{number}"), hashlib.sha256()
    for part in _parts_of_match(_play_match(random, number)):
        digest.update(b"%d:" % len(part))
        digest.update(part)
    if number % PRACTICE_EVERY == 0:
        _practise(random, digest)
    return digest.hexdigest()


def _play_match(random: Random, number: int) -> RandomMatch:
    seats, style = random.randrange(2, 7), random.choice(["sealed", "live"])
    shared: dict[str, Any] = {"seed": number, "leaving": random.choice([0.0, 0.0, 0.02]), "style": style}
    if random.random() < 0.1:
        shared["absent"] = (random.randrange(seats),)
    if random.random() < CHEATER_SHARE:
        return RandomMatch(CHEATER, seats, options={"max_turns": MAX_TURNS}, **shared).play()
    while True:
        preset, options = draw_rules(random)
        try:
            match = RandomMatch(CHEAT, seats, preset=preset, options=options, **shared)
        except OptionsError:  # these options need another number of seats
            continue
        return match.play()


def _parts_of_match(match: RandomMatch) -> Iterator[bytes]:
    """Yield the journal, the messages to each viewer, the replay file and its text."""
    records = match.records
    yield from records
    yield from _messages(records)
    yield match.file()
    replay = Replay(records, games())
    for line in narrate_match(replay, phrasing_of(replay.terms.game)):
        yield repr(line).encode()


def _messages(records: Sequence[bytes]) -> Iterator[bytes]:
    """Yield what each seat and a spectator are sent, frame by frame. Every second seat takes joined acceptances."""
    replay = Replay(records, games())
    terms, referee = replay.terms, replay.referee
    gate = Gate(NullJournal(), lambda _: None)
    codec = ProtoCodec(pack_of(terms.game.name).load_codec())
    feed = MatchFeed(1, terms, [bytes(32)] * len(terms.entrants), codec, gate)
    boxes = [Outbox(lambda: None, lambda: Instant(0), _UNLIMITED, _UNLIMITED) for _ in range(len(terms.entrants) + 1)]
    for entrant in terms.entrant_indices:
        boxes[entrant].takes_joined_acceptances = entrant % 2 == 1
        feed.attach(referee, entrant, boxes[entrant], StreamSequence(0))
    feed.watch(referee, boxes[-1], StreamSequence(0))
    for moment in replay.moments():
        if moment.orders:
            feed.publish(moment.orders)
        gate.open()
        for box in boxes:
            yield b"".join(box.take_frame())


def _practise(random: Random, digest: Any) -> None:
    """Play a game in practice, and add what its bots saw to the digest."""
    seed, seats = random.randrange(1 << 30), random.randrange(2, 7)
    if random.random() < CHEATER_SHARE:
        observer: Any = type("Seen", (CheaterObserver,), {"seen": digest})
        result = play([observer] * seats, options={"max_turns": MAX_TURNS}, seed=seed, clock=lambda: 0)
    else:
        observer = type("Seen", (Observer,), {"seen": digest})
        while True:
            preset, options = draw_rules(random)
            try:
                result = play([observer] * seats, preset, options, seed=seed, clock=lambda: 0)
            except OptionsError:
                continue
            break
    for record in result.records:
        digest.update(record)


def play_games(folder: Path, first: int, count: int) -> list[str]:
    """Return the digests of some games, as the build in a folder plays them. Raises CalledProcessError."""
    words = [sys.executable, "-P", "-m", "tools.studies.two_builds", "--digests", str(first), str(count)]
    done = subprocess.run(words, cwd=folder, env=environment_of(folder), stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.split()


def compare(compiled: Path, count: int) -> Mapping[int, tuple[str, str]]:
    """Play games in both builds. Return the two digests of each game that differs, by its number."""
    share = -(-count // PROCESSES)
    parts = [
        (folder, first, min(share, count - first)) for folder in (ROOT, compiled) for first in range(0, count, share)
    ]
    with ThreadPoolExecutor(PROCESSES) as pool:
        played = list(pool.map(lambda part: play_games(*part), parts))
    digests = [digest for each in played for digest in each]
    pairs = zip(digests[:count], digests[count:], strict=True)
    return {number: pair for number, pair in enumerate(pairs) if pair[0] != pair[1]}


def main(words: Sequence[str]) -> int:
    """Compare two builds, and say whether they are the same program."""
    if words[0] == "--digests":
        first, count = map(int, words[1:])
        for number in range(first, first + count):
            print(digest_game(number), flush=True)
        return 0
    wheels, folder = map(Path, words[:2])
    count = int(words[2]) if len(words) > 2 else GAMES
    unpack_wheels(wheels, folder)
    different = compare(folder.resolve(), count)
    for number in sorted(different):
        print(f"game {number} differs")
    print(f"{count} games, {len(different)} of them differ between the builds")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
