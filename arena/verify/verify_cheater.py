"""Follows the cards of a replay of CHEATER. verify_deal.py in the same folder computes the draws and calls `follow`.

Each game is recomputed from its deck. The checks cover:

* the hands and the top card that were dealt, dice and marker
* cards that were drawn, laid, shown or taken, and reshuffled piles
* seats that left, the winner's word, and places

`arena replay verify` also checks who was asked what and when, which powers were allowed, and titles.

Section 13 of proto/README.md describes the game, docs/rules/deal.md how cards and dice follow from draws. Each method
is named after the event that it checks.
"""

SILENT = {"MatchStarted", "IntermissionStarted", "MatchEnded"}
COPIES = [2, 2, 4, 2, 2, 2] * 4 + [4, 4, 4, 1, 1]  # C H E A T R of each colour, TAKE SHOW HIDE BUST WILD: 70 cards
WORD = [0, 1, 2, 2, 3, 4, 5]  # C H E E A T R; the next colour is six higher
ATTACKS, HIDE, WILD = {"take": 24, "show": 25, "bust": 27}, 26, 28


def need(is_so, sentence):
    if not is_so:
        raise ValueError("does not hold: " + sentence)


class Game:
    """The cards of one game. In `pile` the next card comes first; in `discards` the top card comes last."""

    def __init__(self, started, luck):
        self.number, self.seats, self.luck = started["game"], len(started["entrants"]), luck
        self.rollers, self.rolls, self.reshuffles, self.placed = [*range(self.seats)], 0, 0, {}
        self.turn, self.mover, self.cheater = -1, None, None

    def shuffle(self, cards, purpose, turn, index):
        """Sort the cards, and return them in the order that a draw gives."""
        return [sorted(cards)[place] for place in self.luck(self.number, purpose, turn, index, len(cards))]

    def dice(self, purpose, turn, index, count):
        return [value + 1 for value in self.luck(self.number, purpose, turn, index, count, faces=6)]

    def present(self):
        return [seat for seat in range(self.seats) if seat not in self.placed]

    def lay(self, seat, cards):
        for card in cards:
            need(card in self.hands[seat], f"seat {seat} has the cards that it lays")
            self.hands[seat].remove(card)
            self.discards.append(card)

    def Dealt(self, e):
        pack = [code for code, count in enumerate(COPIES) for _ in range(count)] * (1 if self.seats < 5 else 2)
        cards, dealt = self.shuffle(pack, "deck", 0, 0), 7 * self.seats
        self.hands = [sorted(cards[seat : dealt : self.seats]) for seat in range(self.seats)]
        self.discards, self.pile = [cards[dealt]], cards[dealt + 1 :]
        stated = (e["hands"], e["top"], e["draw_count"])
        need(stated == (self.hands, cards[dealt], len(self.pile)), f"cards of game {self.number} follow from its deck")

    def StartRolled(self, e):
        dice = self.dice("start", 0, self.rolls, 2 * len(self.rollers))
        rolls = [[seat, dice[2 * at : 2 * at + 2]] for at, seat in enumerate(self.rollers)]
        most = max(sum(pair) for _, pair in rolls)
        self.rollers, self.rolls = [seat for seat, pair in rolls if sum(pair) == most], self.rolls + 1
        self.mover = self.rollers[0] if len(self.rollers) == 1 else None
        need((e["rolls"], e["first"]) == (rolls, self.mover), f"dice for the start of game {self.number}")

    def Rolled(self, e):
        need(all(len(self.hands[seat]) == 7 for seat in self.present()), "a turn begins with seven cards in each hand")
        if self.turn >= 0:
            self.mover = min(self.present(), key=lambda seat: (seat - self.mover - 1) % self.seats)
        self.turn, self.attack, self.victim, self.die = self.turn + 1, None, None, None
        dice = self.dice("dice", self.turn, 0, 2)
        is_lost = dice[0] == dice[1] and self.cheater == self.mover
        if dice[0] == dice[1]:
            self.cheater = None if is_lost else self.mover
        stated = (e["seat"], e["dice"], e["cheater"], e["is_lost"])
        need(stated == (self.mover, dice, self.cheater, is_lost), f"dice of turn {self.turn} of game {self.number}")

    def Drew(self, e):
        cards, self.pile = self.pile[: len(e["cards"])], self.pile[len(e["cards"]) :]
        need(e["cards"] == cards and e["seat"] not in self.placed, "cards are drawn from the pile in its order")
        self.hands[e["seat"]] += cards

    def TookTop(self, e):
        need(e["seat"] == self.mover == self.cheater and e["card"] == self.discards.pop(), "the CHEATER takes the top")
        self.hands[e["seat"]].append(e["card"])

    def Discarded(self, e):
        self.lay(e["seat"], e["cards"])

    def Attacked(self, e):
        self.attack, self.victim, card = e["attack"], e["target"], e["card"]
        is_demand = card is None and self.attack == "demand" and self.cheater == self.mover
        need(is_demand or card in (ATTACKS.get(self.attack, WILD), WILD), "an attack needs its card, or power 3")
        need(e["seat"] == self.mover and self.victim in self.present(), "the seat in turn attacks another one")
        self.lay(self.mover, [] if card is None else [card])

    def Hidden(self, e):
        need(e["seat"] == self.victim and e["card"] in (HIDE, WILD), "the victim hides")
        self.lay(e["seat"], [e["card"]])

    def HandShown(self, e):
        need(e["seat"] == self.victim and e["cards"] == sorted(self.hands[e["seat"]]), "a hand is shown")

    def DieRolled(self, e):
        (self.die,) = self.dice("die", self.turn, 0, 1)
        need(e["value"] == self.die and self.attack == "bust", f"the die of turn {self.turn} follows from the seed")

    def Taken(self, e):
        need((e["seat"], e["target"]) == (self.mover, self.victim), "the attacker takes")
        self.lay(e["target"], [e["card"]])
        self.hands[e["seat"]].append(self.discards.pop())

    def Busted(self, e):
        is_his = (e["seat"], e["target"]) == (self.mover, self.victim)
        need(is_his and len(e["cards"]) <= self.die, "the attacker busts no more cards than the die shows")
        self.lay(e["target"], e["cards"])

    def Reshuffled(self, e):
        need(not self.pile and e["draw_count"] == len(self.discards) - 1, "all discards but the top one are shuffled")
        self.pile = self.shuffle(self.discards[:-1], "reshuffle", self.turn, self.reshuffles)
        self.discards, self.reshuffles = self.discards[-1:], self.reshuffles + 1

    def SeatLeft(self, e):
        seat, place = e["seat"], self.seats - len(self.placed)
        self.cheater = None if self.cheater == seat else self.cheater
        stated = (e["cards"], e["place"], e["cheater"])
        need(stated == (sorted(self.hands[seat]), place, self.cheater), f"seat {seat} leaves with its cards")
        self.pile, self.hands[seat], self.placed[seat] = self.pile + self.hands[seat], [], place
        if len(self.present()) > 1:
            self.pile = self.shuffle(self.pile, "leaver", self.turn, seat)

    def Won(self, e):
        seat, color = e["seat"], e["color"]
        spells = color is not None and sorted(self.hands[seat]) == [6 * color + letter for letter in WORD]
        need(spells or (color is None and self.present() == [seat]), "the winner's hand spells CHEATER")
        self.placed |= dict.fromkeys(self.present(), 2) | {seat: 1}

    def Stopped(self, _):
        self.placed |= dict.fromkeys(self.present(), 1)

    def GameEnded(self, e):
        need(e["places"] == [self.placed[seat] for seat in range(self.seats)], f"places of game {e['game']}")


def follow(replay, luck):
    """Check all games and return a summary. `luck(game, purpose, turn, index, count, faces=0)` returns a draw."""
    game = None
    for _, name, e in replay["events"]:
        if name == "GameStarted":
            game = Game(e, luck)
        elif name == "GameEnded" and e["termination"] == "forfeit":
            need(game is None or e["game"] > game.number, "a forfeited game has no moves")
        elif name not in SILENT:
            getattr(game, name)(e)
    return "every hand, draw, reveal, die, pile and place follows from the deck"
