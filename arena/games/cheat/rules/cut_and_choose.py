"""Cutting the deck and choosing packets: one of the two ways to deal (spec AMB-45).

The dealer cuts the deck into packets. The other seats choose one packet each, clockwise, and the dealer keeps the last
one. Sizes and choices are public, but no seat sees a packet's cards before all hands are dealt.

If a seat wants to leave before all packets are chosen, the automatic action answers for this seat. It still gets a
hand, and leaves as soon as the hands are dealt.
"""

from itertools import accumulate

from arena.games.cheat.rules.actions import Action, Choose, Cut
from arena.games.cheat.rules.cards import Hand, hand_from_cards
from arena.games.cheat.rules.dealing import deal
from arena.games.cheat.rules.events import DeckCut, Event, PacketChosen
from arena.games.cheat.rules.leaving import remove_seat
from arena.games.cheat.rules.state import Packets, Phase, State
from arena.match.game import ClosingRule, Question, QuestionGroup, Seat, TimeLimit, Transition
from arena.match.value_class import value_class

CUTTING_PHASES = (Phase.CUT, Phase.CHOOSE)


@value_class()
class CutOptions:
    """The options of the dealer, who cuts `card_count` cards into `packet_count` packets."""

    packet_count: int
    card_count: int


@value_class()
class ChooseOptions:
    """The packets that a seat may choose from."""

    sizes: tuple[int, ...]
    """Number of cards in each packet, including taken packets."""
    free: tuple[int, ...]
    """Indexes of the remaining packets."""


def open_groups(state: State) -> tuple[QuestionGroup, ...]:
    """Return the one open group: the question to the seat whose cut or choice is next."""
    packets = _packets(state)
    options: CutOptions | ChooseOptions = (
        CutOptions(len(state.hands), len(packets.deck))
        if state.phase is Phase.CUT
        else ChooseOptions(packets.sizes, tuple(_free_packets(packets)))
    )
    question = Question(seat_to_act(state), options)
    group = QuestionGroup(
        state.phase.value, state.turn_serial, (question,), ClosingRule.FIRST, TimeLimit.TURN, state.turn_clock
    )
    return (group,)


def seat_to_act(state: State) -> Seat:
    """Return the seat whose cut or choice is next."""
    if state.phase is Phase.CUT:
        return state.dealer
    return state.compiled_rules.ring[state.dealer][_taken_count(_packets(state))]


def why_illegal(state: State, seat: Seat, action: Cut | Choose, kind: str | None) -> str | None:
    """Return the code of the rule that forbids this cut or choice now; None if it is legal."""
    expected = {Phase.CUT: Cut, Phase.CHOOSE: Choose}.get(state.phase)
    if expected is not type(action) or seat != seat_to_act(state) or kind not in (None, state.phase.value):
        return "not_your_turn"
    packets = _packets(state)
    if isinstance(action, Choose):
        return None if action.packet in _free_packets(packets) else "illegal_cut"
    fits = len(action.sizes) == len(state.hands) and min(action.sizes) > 0 and sum(action.sizes) == len(packets.deck)
    return None if fits else "illegal_cut"


def automatic_action(state: State) -> Cut | Choose:
    """Return the action of a seat that did not answer.

    The dealer cuts evenly, with the thicker packets last. Any other seat takes the thinnest packet, or the first of
    several that are equally thin.
    """
    packets = _packets(state)
    if state.phase is Phase.CHOOSE:
        return Choose(min(_free_packets(packets), key=lambda index: packets.sizes[index]))
    seat_count = len(state.hands)
    size, thicker = divmod(len(packets.deck), seat_count)
    return Cut((size,) * (seat_count - thicker) + (size + 1,) * thicker)


def resolve(state: State, action: Action | None) -> Transition:
    """Apply the cut or the choice. If there is no answer, apply the automatic action."""
    draft = state.draft()
    events: list[Event] = []
    _apply_action(draft, action if isinstance(action, Cut | Choose) else automatic_action(state), events)
    _advance(draft, events)
    return Transition(draft, events)


def leave(state: State, seat: Seat) -> Transition:
    """Record that a seat leaves as soon as the hands are dealt."""
    packets = _packets(state)
    if seat in packets.leavers:
        return Transition(state, ())
    draft = state.draft()
    events: list[Event] = []
    draft.packets = packets._replace(leavers=(*packets.leavers, seat))
    _advance(draft, events)
    return Transition(draft, events)


def _apply_action(draft: State, action: Cut | Choose, events: list[Event]) -> None:
    seat, packets = seat_to_act(draft), _packets(draft)
    if isinstance(action, Cut):
        draft.packets = packets._replace(sizes=action.sizes, takers=(None,) * len(action.sizes))
        events.append(DeckCut(seat, action.sizes))
    else:
        draft.packets = _take_packet(packets, action.packet, seat)
        events.append(PacketChosen(seat, action.packet))
    draft.phase = Phase.CHOOSE
    draft.turn_serial += 1
    draft.turn_clock = draft.step


def _advance(draft: State, events: list[Event]) -> None:
    """Act for the seats that are leaving. Deal as soon as only the dealer's packet is left."""
    while not _is_all_but_one_taken(draft) and seat_to_act(draft) in _packets(draft).leavers:
        _apply_action(draft, automatic_action(draft), events)
    if not _is_all_but_one_taken(draft):
        return
    packets = _packets(draft)
    events += deal(draft, _hands_from_packets(_take_packet(packets, _free_packets(packets)[0], draft.dealer)))
    for seat in packets.leavers:
        remove_seat(draft, seat, events)


def _is_all_but_one_taken(draft: State) -> bool:
    return draft.phase is Phase.CHOOSE and _taken_count(_packets(draft)) == len(draft.hands) - 1


def _hands_from_packets(packets: Packets) -> list[Hand]:
    """Return the hand of each seat: the slice of the deck that makes up its packet."""
    ends = list(accumulate(packets.sizes))
    cards = [packets.deck[end - size : end] for size, end in zip(packets.sizes, ends, strict=True)]
    return [hand_from_cards(cards[packets.takers.index(Seat(seat))]) for seat in range(len(cards))]


def _take_packet(packets: Packets, index: int, seat: Seat) -> Packets:
    takers = list(packets.takers)
    takers[index] = seat
    return packets._replace(takers=tuple(takers))


def _free_packets(packets: Packets) -> list[int]:
    return [index for index, taker in enumerate(packets.takers) if taker is None]


def _taken_count(packets: Packets) -> int:
    return len(packets.takers) - packets.takers.count(None)


def _packets(state: State) -> Packets:
    if state.packets is None:
        raise ValueError("the deck is neither cut nor chosen from")
    return state.packets
