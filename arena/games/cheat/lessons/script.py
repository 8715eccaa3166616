"""Writes the messages of a game of Cheat to one seat as Python code, with `cheatarena.testing.Script`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from arena.games.cheat.rules import view_types
from arena.games.cheat.rules.actions import Action, Play
from arena.games.cheat.rules.cards import RANKS, card_texts, cards_from_hand
from arena.games.cheat.rules.cut_and_choose import ChooseOptions, CutOptions
from arena.games.cheat.rules.events import (
    DeckCut,
    FinalWindowOpened,
    PacketChosen,
    Passed,
    SeatPlaced,
    TrickEnded,
    WindowClosed,
)
from arena.games.cheat.rules.questions import WindowOptions
from arena.games.cheat.rules.state import TurnOptions
from arena.match.game import Seat
from arena.match.referee.orders import PromptView
from arena.match.referee.terms import Terms
from cheatarena.testing.cheat_rules import STANDARD


def write_script(terms: Terms, seat: Seat, story: Sequence[Any]) -> list[str]:
    """Return Python statements that rebuild the messages that a seat received in a game.

    The first statement makes a `Script` with the name `story`; the others add messages to it. The argument `story` has
    the parts of events that the seat received, and its prompts, in order.
    """
    seats = len(terms.entrants)
    calls = [call for index in range(len(story)) for call in _Writer(seat, seats, story, index).calls()]
    return [f"story = Script({_setting(terms, seat)})", *[f"story.{call}" for call in calls]]


def write_answer(action: Action) -> str:
    """Return a Python expression that makes an action with the classes of the SDK, for example `Call()`."""
    if not isinstance(action, Play):
        return f"{type(action).__name__}()"
    claimed = "" if action.count == len(action.cards) else f", count={action.count}"
    return f"Play.of({_cards(action.cards)}, {RANKS[action.rank]!r}{claimed})"


def _setting(terms: Terms, seat: Seat) -> str:
    """Return the arguments of `Script`, without those that have their default value."""
    options = terms.game.ruleset_options(terms.ruleset)
    given = {name: _sdk_word(value) for name, value in options.items() if value != "none"}
    usual = {"decks": 1, "jokers_per_deck": 2, "check": "public"}
    arguments: dict[str, Any] = {"seats": len(terms.entrants), "seat": int(seat)}
    arguments |= {name.removesuffix("_per_deck"): given[name] for name, value in usual.items() if given[name] != value}
    rules = {
        name: value
        for name, value in given.items()
        if name not in (*usual, "players_min", "players_max") and value != _plain(STANDARD.get(name, False))
    }
    if rules:
        arguments["rules"] = rules
    return ", ".join(f"{name}={value!r}" for name, value in arguments.items())


def _sdk_word(value: Any) -> Any:
    """Return the value of an option in the words of the SDK, which are lower case and without signs."""
    if isinstance(value, list | tuple):
        return [_sdk_word(each) for each in value]
    return value.lower().replace("+", "_plus") if isinstance(value, str) else value


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


class _Writer:
    """Writes the method call for one item of a story. Items that follow it may belong to the same call."""

    def __init__(self, seat: Seat, seats: int, story: Sequence[Any], index: int) -> None:
        self._seat = seat
        self._seats = seats
        self._part = story[index]
        self._following = story[index + 1 : index + 4]
        self._mover = next(
            (part.seat for part in reversed(story[:index]) if isinstance(part, view_types.PlayedView)), Seat(0)
        )

    def calls(self) -> Iterator[str]:
        """Yield the method calls for the item, such as `plays(1, 'K', 2)`; none if another call covers it."""
        part = self._part
        if isinstance(part, PromptView):
            yield _question(part.options)
        elif type(part) in _PLAIN_CALLS:
            yield _PLAIN_CALLS[type(part)](part)
        elif (write := self._writers.get(type(part))) is not None:
            yield write(self, part)

    def _deal(self, part: view_types.DealtView) -> str:
        hand = _cards(cards_from_hand(self._private(view_types.HandDealt).hand))
        return f"deal({hand}, sizes={list(part.sizes or ())}, to_move={part.first}, dealer={part.dealer})"

    def _call(self, part: view_types.CalledView) -> str:
        return f"calls({part.caller}, lie={part.right}{self._shown_argument(part)}{self._to_move(part.to_move)})"

    def _belief(self, part: view_types.BelievedView) -> str:
        return (
            f"believes({part.believer}, lie={not part.right}{self._shown_argument(part)}{self._to_move(part.to_move)})"
        )

    def _check(self, part: view_types.HandCheckedView) -> str:
        return f"checks_hand(lie={not part.is_true}{self._taken_argument()})"

    def _pass(self, part: Passed) -> str:
        return f"passes({part.seat}{self._to_move(part.to_move, part.seat)})"

    def _close(self, part: WindowClosed) -> str:
        settled = "" if part.settled else ", settled=False"
        return f"closes_window({(settled + self._to_move(part.to_move))[2:]})"

    def _play(self, part: view_types.PlayedView) -> str:
        own = self._private(view_types.CardsLaid) if part.seat == self._seat else None
        cards = part.cards if own is None else own.cards
        laid = part.laid if cards is None else len(cards)
        words = f"{part.seat}, {RANKS[part.rank]!r}, {laid if cards is None else _cards(cards)}"
        words += "" if laid == part.count else f", count={part.count}"
        words += ", face_up=True" if part.cards is not None else ""
        return f"plays({words}{self._to_move(part.to_move, part.seat)})"

    def _to_move(self, to_move: Seat | None, before: Seat | None = None) -> str:
        """Return the text of the argument `to_move`; empty if `to_move` is None or the default of `Script`.

        The default is the seat after `before`, or after the seat that moved last if `before` is None.
        """
        mover = self._mover if before is None else before
        return "" if to_move is None or to_move == (mover + 1) % self._seats else f", to_move={to_move}"

    def _shown_argument(self, part: view_types.CalledView | view_types.BelievedView) -> str:
        own = self._private(view_types.CardsShown)
        cards = part.cards if own is None else own.cards
        words = "" if cards is None else f", shown={_cards(cards)}"
        words += "" if part.rest is None else f", rest={_cards(cards_from_hand(part.rest))}"
        return words + self._taken_argument()

    def _taken_argument(self) -> str:
        taken = self._private(view_types.CardsTaken)
        return "" if taken is None else f", taken={_cards(cards_from_hand(taken.cards))}"

    def _private(self, kind: type) -> Any:
        """Return the private part of this kind that belongs to the item; None if there is none."""
        for part in self._following:
            if isinstance(part, kind):
                return part
            if not isinstance(part, _PRIVATE):
                return None
        return None

    _writers: ClassVar[Mapping[type, Callable[["_Writer", Any], str]]] = {
        view_types.DealtView: _deal,
        view_types.PlayedView: _play,
        view_types.CalledView: _call,
        view_types.BelievedView: _belief,
        view_types.HandCheckedView: _check,
        Passed: _pass,
        WindowClosed: _close,
    }


_PLAIN_CALLS: Mapping[type, Callable[[Any], str]] = {
    view_types.PileBanishedView: lambda _: "banishes()",
    view_types.SeatLeftView: "leaves({0.seat}, place={0.place})".format,
    DeckCut: lambda part: f"cuts({part.dealer}, {list(part.sizes)})",
    PacketChosen: "chooses({0.seat}, {0.packet})".format,
    TrickEnded: "ends_trick({0.leader})".format,
    FinalWindowOpened: "opens_final_window({0.mover})".format,
    SeatPlaced: "finishes({0.seat}, {0.place})".format,
}
"""The calls that need only the item itself, by its type."""
_PRIVATE = (view_types.HandDealt, view_types.CardsLaid, view_types.CardsShown, view_types.CardsTaken)


def _question(options: Any) -> str:
    match options:
        case WindowOptions(final, can_believe):
            words = ["final=True"] * final + ["can_believe=True"] * can_believe
            return f"asks_window({', '.join(words)})"
        case CutOptions(packet_count, card_count):
            return f"asks_cut({packet_count}, {card_count})"
        case ChooseOptions(sizes, free):
            return f"asks_choose({list(sizes)}, {list(free)})"
        case TurnOptions():
            return f"asks_turn({', '.join(_turn_arguments(options))})"
        case _:
            raise ValueError(f"{options!r} are no options of Cheat")


def _turn_arguments(options: TurnOptions) -> Iterator[str]:
    yield repr(" ".join(RANKS[rank] for rank in options.ranks))
    yield repr([number for bounds in options.counts for number in bounds])
    for name in ("zero", "can_pass", "opens", "face_up", "can_call", "can_believe"):
        if getattr(options, name):
            yield f"{name}=True"
    if options.laid is not None:
        yield f"laid={list(options.laid)}"


def _cards(cards: Iterable[int]) -> str:
    return repr(" ".join(card_texts(cards)))
