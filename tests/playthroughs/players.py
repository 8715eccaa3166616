"""Seats that answer from their hands and what they are offered, true where they can be."""

from random import Random
from typing import Any

from arena.games.cheat.rules.actions import CALL, DECLINE, PASS, Action, Play
from arena.games.cheat.rules.cards import JOKER, Hand, cards_from_hand, cards_of_rank
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.questions import WindowOptions
from arena.games.cheat.rules.state import TurnOptions
from arena.match.deal.stream import SeededChance
from arena.match.referee.ports import MatchId
from tests.match.referee.driver import MatchDriver, make_driver


def play_game(preset: str, seats: int, **options: object) -> tuple[bytes, ...]:
    """The records of a sealed game that is played to its end."""
    chance = SeededChance(bytes(31) + b"\x05", MatchId("given"))
    game = make_driver(CHEAT, seats, preset=preset, options=options, chance=chance)
    random = Random(5)
    game.begin()
    while game.referee.ended is None:
        entrant = game.asked_entrants()[0]
        game.send(entrant, _answer(game, entrant, random))
    return tuple(game.paper.records)


def _answer(game: MatchDriver, entrant: int, random: Random) -> Action:
    options: Any = game.prompt(entrant).options
    if isinstance(options, WindowOptions):
        return CALL if random.random() < 0.15 else DECLINE
    return _move(options, game.state.hands[entrant], random)


def _move(options: TurnOptions, hand: Hand, random: Random) -> Action:
    """Call or pass now and then; otherwise play the largest true set, or make a random false claim."""
    if options.can_call and random.random() < 0.2:
        return CALL
    sets = [(rank, cards_of_rank(hand, rank)) for rank in options.ranks]
    most = max(last for _, last in options.counts)
    rank, cards = max(sets, key=lambda pair: len(pair[1]))
    if cards and (options.face_up or random.random() < 0.6):
        return Play(cards[:most], len(cards[:most]), rank)
    if options.can_pass and random.random() < 0.5:
        return PASS
    first, last = options.counts[0]
    count = random.randint(first, min(last, 2) if first < 2 else last)
    laid = (
        count if options.laid is None else random.randint(max(count, options.laid[0]), min(count + 1, options.laid[1]))
    )
    held = [card for card in cards_from_hand(hand) if card != JOKER] or cards_from_hand(hand)
    return Play(bytes(sorted(random.sample(list(held), min(laid, len(held))))), count, random.choice(options.ranks))
