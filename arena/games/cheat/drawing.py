"""Draws a game of Cheat as everybody may know it, and follows its public state from its public facts."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from arena.games.cheat.phrasing import CheatPhrasing
from arena.games.cheat.rules import view_types
from arena.games.cheat.rules.call_judging import is_truthful
from arena.games.cheat.rules.cards import NAMES, RANK_COUNT, RANKS, card_texts, cards_from_hand
from arena.games.cheat.rules.events import (
    DeckCut,
    FinalWindowOpened,
    PacketChosen,
    Passed,
    SeatPlaced,
    TrickEnded,
    WindowClosed,
)
from arena.games.cheat.rules.ruleset import CallMode, DealMode, Passing, RankMode, Ruleset
from arena.games.cheat.rules.state import Claim
from arena.games.cheat.rules.view_types import CheatSnapshot
from arena.match.game import Seat, Style
from arena.match.referee.terms import Terms
from arena.plurals import format_count
from arena.replays.watch.drawing import CardFace, DrawnCards, DrawnRow, DrawnSeat
from arena.replays.watch.game_drawing import replace_at

_VERDICTS: Final = (view_types.CalledView, view_types.BelievedView, view_types.HandCheckedView)
_SHOWN_ROWS: Final = ("to follow", "required", "banished", "packets")
"""Rows of the phrasing that the drawing takes as they are. Seats and their badges show the others."""
_SUITS: Final = {"C": ("♣", "black"), "D": ("♦", "red"), "H": ("♥", "red"), "S": ("♠", "black")}
_FACES: Final = {
    name: CardFace("★", "JK") if name == "JK" else CardFace(name[0].replace("T", "10"), *_SUITS[name[1]])
    for name in NAMES
}
Seen = Mapping[Seat, CheatSnapshot]


class CheatDrawing:
    """Implements `arena.replays.watch.game_drawing.GameDrawing` for Cheat."""

    def __init__(self) -> None:
        self._phrasing = CheatPhrasing()

    @property
    def faces(self) -> Mapping[str, CardFace]:
        return _FACES

    def follow(self, terms: Terms, state: CheatSnapshot, part: Any) -> CheatSnapshot:
        handler = _HANDLERS.get(type(part))
        return state if handler is None else handler(state, part, terms.ruleset)

    def count_turns(self, state: CheatSnapshot) -> int:
        return state.landed

    def draw_seats(self, terms: Terms, state: CheatSnapshot, seen: Seen) -> Sequence[DrawnSeat]:
        """Return the seats. All hands are backs, but for those of the seats that are seen."""
        asked = set(_find_asked_seats(terms, state))
        return [
            DrawnSeat(
                seat=seat,
                name="",
                hand=_draw_hand(size, Seat(seat), seen),
                is_to_move=seat == state.to_move,
                is_asked=seat in asked,
                badges=("passed",) if seat in state.passed else (),
                place=state.places[seat],
            )
            for seat, size in enumerate(state.hand_sizes)
        ]

    def draw_centre(self, terms: Terms, state: CheatSnapshot, seen: Seen) -> Sequence[DrawnRow]:
        """Return the pile, the claim that may be called, and what the next claim must follow."""
        to_call = _claim_to_call(terms, state)
        nobody = Seat(len(state.hand_sizes))
        others = dict(self._phrasing.snapshot_rows(state, nobody))
        return [
            _draw_pile(state.pile, seen),
            DrawnRow("to call", "nothing" if to_call is None else others["to call"]),
            *(DrawnRow(label, others[label]) for label in _SHOWN_ROWS if label in others),
        ]

    def follow_verdict(self, verdict: DrawnRow | None, part: Any) -> DrawnRow | None:
        """Return the last call, belief or check, with the cards that it has shown to everybody."""
        if not isinstance(part, _VERDICTS):
            return verdict
        return DrawnRow("last call", self._phrasing.describe_part(part), tuple(_draw_shown_cards(part)))


def _draw_hand(size: int | None, seat: Seat, seen: Seen) -> DrawnCards:
    if seat not in seen:
        return DrawnCards(back_count=size)
    return DrawnCards(own_faces=tuple(card_texts(cards_from_hand(seen[seat].hand or ()))), seat=seat)


def _draw_pile(pile: Sequence[view_types.LayerView], seen: Seen) -> DrawnRow:
    """Return the pile with its cards, each move apart, bottom first."""
    if not pile:
        return DrawnRow("pile", "empty")
    layers = tuple(_draw_layer(layer, _find_own_cards(layer, at, seen)) for at, layer in enumerate(pile))
    counts = [cards.count for cards in layers if cards.count is not None]
    size = format_count(sum(counts), "card") if len(counts) == len(layers) else "unknown number of cards"
    faces = [card for cards in layers for card in cards.faces]
    face_up = f", face up: {' '.join(faces)}" if faces else ""
    return DrawnRow("pile", f"{size} from {format_count(len(pile), 'move')}{face_up}", layers)


def _find_own_cards(layer: view_types.LayerView, at: int, seen: Seen) -> bytes | None:
    """Return the cards of a layer if the seat that has laid them is seen; None if not."""
    return None if layer.seat is None or layer.seat not in seen else seen[layer.seat].pile[at].cards


def _draw_layer(layer: view_types.LayerView, own: bytes | None) -> DrawnCards:
    """Return a move on the pile. `own` has its cards if they are drawn although they lie face down."""
    claim = "" if layer.rank is None else f"{layer.count} x {RANKS[layer.rank]}"
    cards = layer.cards if own is None else own
    if cards is None:
        return DrawnCards(back_count=layer.laid, seat=layer.seat, claim=claim)
    texts = tuple(card_texts(cards))
    faces, own_faces = (texts, ()) if layer.cards is not None else ((), texts)
    is_lie = layer.rank is not None and not is_truthful(cards, layer.count or 0, layer.rank)
    return DrawnCards(faces, own_faces=own_faces, seat=layer.seat, claim=claim, is_lie=is_lie)


def _draw_shown_cards(verdict: Any) -> Iterator[DrawnCards]:
    """Yield the cards of the judged move, and then the rest of the pile, if the ruleset shows them to everybody."""
    if isinstance(verdict, view_types.HandCheckedView):
        return
    if verdict.cards is not None:
        yield DrawnCards(tuple(card_texts(verdict.cards)))
    if verdict.rest is not None:
        yield DrawnCards(tuple(card_texts(cards_from_hand(verdict.rest))))


def _claim_to_call(terms: Terms, state: CheatSnapshot) -> Claim | None:
    """Return the claim that may be called; None if there is none, or if nobody may call it."""
    return state.last if state.pile and any(_callers(terms, state)) else None


def _callers(terms: Terms, state: CheatSnapshot) -> Iterable[bool]:
    """Return for each seat whether it may call the last move (spec A7)."""
    last = state.last
    if last is None:
        return [False] * len(state.hand_sizes)
    is_anybody = terms.ruleset.any_caller or state.to_move is None
    return [
        size != 0 and seat != last.seat and (is_anybody or seat == state.to_move)
        for seat, size in enumerate(state.hand_sizes)
    ]


def _find_asked_seats(terms: Terms, state: CheatSnapshot) -> Iterator[int]:
    """Yield the seats that are asked something, as far as everybody knows (spec A7, A12)."""
    if not any(size != 0 for size in state.hand_sizes):  # before the deal
        if terms.ruleset.deal is DealMode.CUT_AND_CHOOSE:
            yield _seat_to_cut_or_choose(state)
        return
    callers = [seat for seat, may_call in enumerate(_callers(terms, state)) if may_call]
    is_window = bool(callers) and (terms.ruleset.call_mode is CallMode.WINDOW or state.to_move is None)
    if is_window:
        yield from callers
    if state.to_move is not None and not (is_window and terms.pace.style is Style.SEALED):
        yield state.to_move


def _seat_to_cut_or_choose(state: CheatSnapshot) -> int:
    """Return the seat whose cut or choice is next: the dealer, and then the seats after it, clockwise."""
    taken = sum(packet.taker is not None for packet in state.packets)
    return state.dealer if not state.packets else (state.dealer + 1 + taken) % len(state.hand_sizes)


def _follow_cut(state: CheatSnapshot, part: DeckCut, _: Ruleset) -> CheatSnapshot:
    packets = tuple(view_types.PacketView(size, None) for size in part.sizes)
    return replace(state, dealer=part.dealer, packets=packets)


def _follow_choice(state: CheatSnapshot, part: PacketChosen, _: Ruleset) -> CheatSnapshot:
    packets = list(state.packets)
    packets[part.packet] = view_types.PacketView(packets[part.packet].size, part.seat)
    return replace(state, packets=tuple(packets))


def _follow_deal(state: CheatSnapshot, part: view_types.DealtView, _: Ruleset) -> CheatSnapshot:
    sizes: tuple[int | None, ...] = part.sizes or (None,) * len(state.hand_sizes)
    return replace(state, hand_sizes=sizes, to_move=part.first, dealer=part.dealer, packets=())


def _follow_play(state: CheatSnapshot, part: view_types.PlayedView, rules: Ruleset) -> CheatSnapshot:
    claim = Claim(part.seat, part.rank, part.count)
    layer = view_types.LayerView(part.seat, part.rank, part.count, part.laid, part.cards)
    size = state.hand_sizes[part.seat]
    left = 0 if part.emptied else None if size is None or part.laid is None else size - part.laid
    passed = state.passed
    if rules.passing is Passing.SINGLE_TURN:
        passed = _with_seat(passed, part.seat)
    elif rules.passing is Passing.PASS_TURN:
        passed = ()
    return replace(
        state,
        hand_sizes=replace_at(state.hand_sizes, part.seat, left),
        pile=(*state.pile, layer),
        prev=claim,
        trick_start=False,
        last=None if part.cards is not None else claim,
        passed=passed,
        landed=state.landed + 1,
        to_move=part.to_move,
        required_rank=(part.rank + 1) % RANK_COUNT if rules.rank_mode is RankMode.ROTATION else None,
    )


def _follow_pass(state: CheatSnapshot, part: Passed, rules: Ruleset) -> CheatSnapshot:
    passed = _with_seat(state.passed, part.seat)
    if rules.passing is Passing.PASS_TURN:
        passed = tuple(seat for seat in passed if seat != part.to_move)
    return replace(state, passed=passed, landed=state.landed + 1, to_move=part.to_move)


def _follow_call(state: CheatSnapshot, part: view_types.CalledView, _: Ruleset) -> CheatSnapshot:
    return replace(_give_pile(state, part.taker, part.taken), to_move=part.to_move)


def _follow_belief(state: CheatSnapshot, part: view_types.BelievedView, _: Ruleset) -> CheatSnapshot:
    after = _banish(state, part.pile_size) if part.taker is None else _give_pile(state, part.taker, part.pile_size)
    return replace(after, to_move=part.to_move)


def _follow_check(state: CheatSnapshot, part: view_types.HandCheckedView, _: Ruleset) -> CheatSnapshot:
    return replace(state, last=None) if part.is_true else _give_pile(state, part.seat, part.taken)


def _follow_banishment(state: CheatSnapshot, part: view_types.PileBanishedView, _: Ruleset) -> CheatSnapshot:
    return _banish(state, part.card_count)


def _follow_leave(state: CheatSnapshot, part: view_types.SeatLeftView, _: Ruleset) -> CheatSnapshot:
    seat, pile = part.seat, state.pile
    if state.hand_sizes[seat] != 0:
        pile = (view_types.LayerView(seat, None, part.card_count, part.card_count, None), *pile)
    is_its_move = state.last is not None and state.last.seat == seat
    return replace(
        state,
        hand_sizes=replace_at(state.hand_sizes, seat, 0),
        pile=pile,
        last=None if is_its_move else state.last,
        places=replace_at(state.places, seat, part.place),
        to_move=part.to_move,
    )


def _follow_trick_end(state: CheatSnapshot, _part: TrickEnded, _: Ruleset) -> CheatSnapshot:
    return replace(state, prev=None, trick_start=True, passed=())


def _follow_window_end(state: CheatSnapshot, part: WindowClosed, rules: Ruleset) -> CheatSnapshot:
    passed = state.passed
    if rules.passing is Passing.PASS_TURN:
        passed = tuple(seat for seat in passed if seat != part.to_move)
    return replace(state, last=None if part.settled else state.last, to_move=part.to_move, passed=passed)


def _follow_final_window(state: CheatSnapshot, _part: FinalWindowOpened, _: Ruleset) -> CheatSnapshot:
    return replace(state, to_move=None)


def _follow_place(state: CheatSnapshot, part: SeatPlaced, _: Ruleset) -> CheatSnapshot:
    return replace(state, places=replace_at(state.places, part.seat, part.place))


def _give_pile(state: CheatSnapshot, taker: Seat, count: int | None) -> CheatSnapshot:
    """Return the state in which a seat has taken the pile. Nothing can be called any more."""
    size = state.hand_sizes[taker]
    is_empty = all(layer.count == 0 for layer in state.pile)
    if not is_empty:
        size = None if size is None or count is None else size + count
    return replace(state, hand_sizes=replace_at(state.hand_sizes, taker, size), pile=(), last=None)


def _banish(state: CheatSnapshot, count: int | None) -> CheatSnapshot:
    banished = None if count is None or state.banished is None else state.banished + count
    return replace(state, banished=banished, pile=(), last=None)


def _with_seat(seats: tuple[Seat, ...], seat: Seat) -> tuple[Seat, ...]:
    return tuple(sorted({*seats, seat}))


_HANDLERS: Mapping[type, Callable[[CheatSnapshot, Any, Ruleset], CheatSnapshot]] = {
    DeckCut: _follow_cut,
    PacketChosen: _follow_choice,
    view_types.DealtView: _follow_deal,
    view_types.PlayedView: _follow_play,
    view_types.CalledView: _follow_call,
    view_types.BelievedView: _follow_belief,
    view_types.HandCheckedView: _follow_check,
    view_types.PileBanishedView: _follow_banishment,
    view_types.SeatLeftView: _follow_leave,
    Passed: _follow_pass,
    TrickEnded: _follow_trick_end,
    WindowClosed: _follow_window_end,
    FinalWindowOpened: _follow_final_window,
    SeatPlaced: _follow_place,
}
"""The function that follows each public part, by its type."""
