"""Says what a turn allows, and why a play is illegal."""

from collections.abc import Sequence

from cheatarena.cheat.cards import CARDS, Card, Hand, Rank, count_cards
from cheatarena.cheat.decisions import Play
from cheatarena.cheat.legal import LegalTurn
from cheatarena.game import MAX_SHOWN_CARDS
from cheatarena.plurals import format_count


def describe_plays(legal: LegalTurn) -> str:
    """Return the legal plays in one phrase; empty if no play is legal."""
    numbers = _describe_numbers(legal)
    if not numbers or not legal.ranks:
        return ""
    ranks = " ".join(map(str, legal.ranks)) if len(legal.ranks) < len(Rank) else "any rank"
    laid = f", laying {_describe_laid(legal.laid)}" if legal.laid else ""
    face_up = ", face up and true" if legal.face_up else ""
    return f"play CARDS as RANK (number: {numbers}; rank: {ranks}{laid}{face_up})"


def explain_illegal_play(play: Play, legal: LegalTurn, hand: Hand) -> str:
    """Return why a play is illegal, and what is legal instead; an empty text if the play is legal."""
    if not hand.has(play.cards):
        held = f"; it has {hand}" if len(hand) <= MAX_SHOWN_CARDS else ""
        return f"your hand does not have {' '.join(map(str, _missing_cards(play, hand)))}{held}"
    if play.rank not in legal.ranks:
        return f"{play.rank} may not be claimed, only {' or '.join(map(str, legal.ranks)) or 'no rank'}"
    if not legal.allows(play.claimed):
        return (
            f"{format_count(play.claimed, 'card')} may not be claimed, only {_describe_numbers(legal) or 'no number'}"
        )
    if legal.laid is None or not play.claimed:
        if play.claimed != len(play.cards):
            claims = format_count(play.claimed, "card")
            return f"it claims {claims} and lays {len(play.cards)}, but must lay as many as it claims"
    elif len(play.cards) not in legal.laid:
        return f"{format_count(len(play.cards), 'card')} may not be laid, only {_describe_laid(legal.laid)}"
    if legal.face_up and play.cards and not may_lie_open(play.cards, play.rank, hand):
        alone = ", and jokers alone only if the hand has no other cards" if hand.jokers else ""
        return f"the cards lie face up and must be true: lay {play.rank} or jokers{alone}"
    return ""


def may_lie_open(laid: Sequence[Card], rank: Rank, hand: Hand) -> bool:
    """Return whether all cards fit a rank and may be laid face up.

    Jokers alone may be laid only if the hand has no other cards.
    """
    has_natural = not all(card.is_joker for card in laid)
    return all(card.fits(rank) for card in laid) and (has_natural or hand.jokers == len(hand))


def _describe_numbers(legal: LegalTurn) -> str:
    """Return the numbers that may be claimed, including zero."""
    ranges = [(0, 0)] * legal.zero + [*legal.ranges]
    return " or ".join(str(first) if first == last else f"{first} to {last}" for first, last in ranges)


def _describe_laid(laid: range) -> str:
    return f"{laid[0]} to {laid[-1]} cards" if len(laid) > 1 else format_count(laid[0], "card")


def _missing_cards(play: Play, hand: Hand) -> list[Card]:
    """Return the cards of a play that the hand does not have, each copy separately."""
    wanted = count_cards(play.cards)
    return [CARDS[card] for card in wanted for _ in range(wanted[card] - hand.copies(card))]
