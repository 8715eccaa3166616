"""Follows the cards of a replay of Cheat. verify_deal.py in the same folder computes the draws and calls `follow`.

Each game is recomputed from its deck. The checks cover:

* the hands that were dealt, and the cards that were played
* calls, beliefs and checks of emptied hands
* piles that were taken or banished
* seats that left, and places

`arena replay verify` also checks who was asked what and when, and which claims were allowed.

Section 12 of proto/README.md describes the game, docs/rules/deal.md how hands follow from the deck. Each method is
named after the event that it checks.
"""

from collections import Counter
from itertools import accumulate

SILENT = {"MatchStarted", "IntermissionStarted", "MatchEnded", "Passed", "Overruled", "TrickEnded", "FinalWindowOpened"}


def need(is_so, sentence):
    if not is_so:
        raise ValueError("does not hold: " + sentence)


def to_cards(counts):
    """Return the cards of a hand. The 53 numbers in `counts` say how many cards of each code the hand has."""
    return Counter(dict(enumerate(counts)))


def is_true(move):
    """Return whether a move is true: it has as many cards as claimed, all of the claimed rank or jokers."""
    return len(move["cards"]) == move["count"] and all(c == 52 or c // 4 == move["rank"] for c in move["cards"])


class Game:
    """The cards of one game, the places so far, and the last move as long as it can be judged."""

    def __init__(self, terms, started, luck):
        self.rules, self.number, self.seats = terms["ruleset"], started["game"], len(started["entrants"])
        decks = self.rules["decks"] if self.rules["decks"] != "none" else 1 if self.seats < 5 else 2
        order = luck(self.number, "deck", 0, 0, decks * (52 + self.rules["jokers_per_deck"]))
        self.deck = [min(card // decks, 52) for card in order]
        self.dealer = (self.seats - 1 + (self.number if terms["seating"] == "fixed" else 0)) % self.seats
        self.first = {"first_seat": 0, "left_of_dealer": (self.dealer + 1) % self.seats}.get(self.rules["first_mover"])
        if self.first is None:
            (self.first,) = luck(self.number, "first_mover", 0, 0, 1, faces=self.seats)
        self.packets, self.chosen, self.placed, self.before = [], {}, {}, None
        self.hands, self.pile, self.last = [Counter()] * self.seats, Counter(), None

    def DeckCut(self, e):
        sizes = e["sizes"]
        need(e["dealer"] == self.dealer and self.rules["deal"] == "cut_and_choose", "the dealer cuts")
        need(len(sizes) == self.seats and min(sizes) > 0 and sum(sizes) == len(self.deck), "the whole deck is cut")
        self.packets = [self.deck[end - size : end] for size, end in zip(sizes, accumulate(sizes), strict=True)]

    def PacketChosen(self, e):
        turn = (self.dealer + 1 + len(self.chosen)) % self.seats
        need(e["seat"] == turn and e["packet"] not in self.chosen.values(), "seats choose in turn, from what is left")
        self.chosen[turn] = e["packet"]

    def Dealt(self, e):
        if self.rules["deal"] == "cut_and_choose":
            (self.chosen[self.dealer],) = {*range(self.seats)} - {*self.chosen.values()}
            hands = [self.packets[self.chosen[seat]] for seat in range(self.seats)]
        else:
            is_back = self.rules["extra_cards_to"] == "last_dealt"
            firsts = [(self.dealer - seat) % self.seats if is_back else seat for seat in range(self.seats)]
            hands = [self.deck[first :: self.seats] for first in firsts]
        self.hands = [Counter(hand) for hand in hands]
        need([to_cards(hand) for hand in e["hands"]] == self.hands, f"hands of game {self.number} follow from its deck")
        need((e["first"], e["dealer"]) == (self.first, self.dealer), f"dealer and first seat of game {self.number}")

    def Played(self, e):
        seat, cards = e["seat"], Counter(e["cards"])
        need(seat not in self.placed and cards <= self.hands[seat], f"seat {seat} has the cards that it plays")
        need(self.rules["count_lies"] or len(e["cards"]) == e["count"], "a move has as many cards as claimed")
        need(is_true(e) or not e["face_up"], "an open move is true")
        self.hands[seat], self.pile, self.last = self.hands[seat] - cards, self.pile + cards, e
        need(e["emptied"] == (not self.hands[seat]), f"whether seat {seat} is out of cards is recorded correctly")

    def judge(self, seat, cards, pile, is_open=False):
        """Check the last move's seat and cards, and the pile. Return whether the move is true."""
        move, self.last = self.last, None
        need(move and (move["seat"], move["cards"]) == (seat, cards), "the last move is judged, with its cards")
        need(is_open or not move["face_up"], "no seat judges an open move")
        need(to_cards(pile) == self.pile, "the pile has the cards that were laid on it")
        return is_true(move)

    def Called(self, e):
        is_lie = not self.judge(e["accused"], e["cards"], e["taken"])
        loser = e["accused"] if is_lie else e["caller"]
        need((e["right"], e["taker"]) == (is_lie, loser) and self.hands[e["caller"]], "a call is judged right")
        self.hands[loser], self.pile = self.hands[loser] + self.pile, Counter()

    def Believed(self, e):
        right = self.judge(e["mover"], e["cards"], e["pile"])
        need(e["right"] == right and self.rules["believe"] and self.hands[e["believer"]], "a belief is judged right")
        if not right:
            self.hands[e["believer"]] = self.hands[e["believer"]] + self.pile
        self.pile = Counter()

    def HandChecked(self, e):
        right = self.judge(e["seat"], self.last["cards"], e["pile"], is_open=True)
        need(e["is_true"] == right and not self.hands[e["seat"]], "an emptied hand is judged right")
        if not right:
            self.hands[e["seat"]], self.pile = self.pile, Counter()

    def PileBanished(self, e):
        need(self.rules["banish_on_new_trick"] and to_cards(e["cards"]) == self.pile, "the whole pile is banished")
        self.pile = Counter()

    def WindowClosed(self, e):
        self.last = None if e["settled"] else self.last

    def SeatLeft(self, e):
        seat, (_, free) = e["seat"], self.standing()
        need(to_cards(e["cards"]) == self.hands[seat] and e["place"] == free[-1], f"seat {seat} leaves with its cards")
        self.pile, self.hands[seat], self.placed[seat] = self.pile + self.hands[seat], Counter(), e["place"]
        self.last = None if self.last and self.last["seat"] == seat else self.last

    def standing(self):
        """Return how many cards each seat without a place has, and the free places."""
        sizes = {seat: hand.total() for seat, hand in enumerate(self.hands) if seat not in self.placed}
        return sizes, sorted({*range(1, self.seats + 1)} - {*self.placed.values()})

    def SeatPlaced(self, e):
        sizes, free = self.before  # if several places are given in a row, as they were before the first
        own, others = sizes[e["seat"]], sizes.values()
        self.placed[e["seat"]] = {
            "places": free[sum(size < own for size in others)],
            "first_out_wins": 1 if own == min(others) else 2,
            "last_in_loses": free[-1] if own and own == max(others) else 1,
        }[self.rules["objective"]]
        need(e["place"] == self.placed[e["seat"]], f"seat {e['seat']} of game {self.number} gets the right place")

    def GameEnded(self, e):
        places = [self.placed[seat] for seat in range(self.seats)]
        need((e["game"], e["places"]) == (self.number, places), f"the places of game {self.number} are right")


def follow(replay, luck):
    """Check all games and return a summary. `luck(game, purpose, turn, index, count, faces=0)` returns a draw."""
    game = None
    for _, name, e in replay["events"]:
        if name == "GameStarted":
            game = Game(replay["terms"], e, luck)
        elif name == "GameEnded" and e["termination"] == "forfeit":
            need(game is None or e["game"] > game.number, "a forfeited game has no moves")
        elif name not in SILENT:
            getattr(game, name)(e)
            game.before = game.before if name == "SeatPlaced" else game.standing()
    return "every hand, play, reveal, pile and place follows from the deck"
