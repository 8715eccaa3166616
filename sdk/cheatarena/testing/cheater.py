"""Scripts of matches of CHEATER, for tests of bots."""

from collections.abc import Iterable

from cheatarena.cheater.answers import Attack
from cheatarena.cheater.cards import Card, Color, cards
from cheatarena.testing.story import Story
from cheatarena.v1 import cheater_pb2, decision_pb2, event_pb2, ruleset_pb2

OTHER_HAND_SIZE = 7


class CheaterScript(Story):
    """A script of messages to one seat of CHEATER. Each method adds a message and returns the script.

    Messages are not checked: a script may break every rule of the game.
    """

    def __init__(self, seats: int = 3, seat: int = 0, *, pace: str = "sealed", games: int = 1) -> None:
        """Begin a match and its first game; ``pace`` is ``sealed`` or ``live``."""
        rules = cheater_pb2.CheaterRuleset(players_min=2, players_max=10, titles=True, max_turns=2000)
        super().__init__(seats, seat, ruleset_pb2.Ruleset(preset="cheater", version="1", cheater=rules), pace, games)
        self._cheater: int | None = None

    def deal(self, hand: str, top: str = "BT", draw_count: int | None = None) -> "CheaterScript":
        """Deal this seat's hand, and turn up the first card of the discard pile."""
        left = 69 - OTHER_HAND_SIZE * self._seats if draw_count is None else draw_count
        dealt = cheater_pb2.CheaterDealt(seat_count=self._seats, top=Card.of(top), draw_count=left)
        own = cheater_pb2.CheaterHand(cards=_sorted_cards(hand))
        return self.tell(event_pb2.Event(cheater_dealt=dealt), event_pb2.Event(cheater_hand=own))

    def rolls(self, seat: int, first: int = 1, second: int = 2) -> "CheaterScript":
        """Begin a turn with a roll of the dice; a double moves the marker of the CHEATER."""
        is_lost = first == second and seat == self._cheater
        if first == second:
            self._cheater = None if is_lost else seat
        rolled = cheater_pb2.CheaterRolled(
            seat=seat, dice=bytes((first, second)), cheater=self._cheater, is_lost=is_lost
        )
        return self.tell(event_pb2.Event(cheater_rolled=rolled))

    def draws(self, seat: int, drawn: int | str) -> "CheaterScript":
        """Let a seat draw. ``drawn`` names the cards if this seat draws them; otherwise it is their number."""
        count = drawn if isinstance(drawn, int) else len(cards(drawn))
        events = [event_pb2.Event(cheater_drew=cheater_pb2.CheaterDrew(seat=seat, count=count))]
        if isinstance(drawn, str):
            own = cheater_pb2.CheaterDrawn(cards=bytes(cards(drawn)))
            events.append(event_pb2.Event(cheater_drawn=own))
        return self.tell(*events)

    def takes_top(self, seat: int, card: str) -> "CheaterScript":
        """Let a seat take the top discard."""
        took = cheater_pb2.CheaterTookTop(seat=seat, card=Card.of(card))
        return self.tell(event_pb2.Event(cheater_took_top=took))

    def discards(self, seat: int, laid: str) -> "CheaterScript":
        """Let a seat discard."""
        discarded = cheater_pb2.CheaterDiscarded(seat=seat, cards=bytes(cards(laid)))
        return self.tell(event_pb2.Event(cheater_discarded=discarded))

    def attacks(self, seat: int, target: int, attack: Attack, card: str | None = None) -> "CheaterScript":
        """Let a seat attack with a card; by default, the card has the name of the attack. A DEMAND needs no card."""
        laid = card or (None if attack is Attack.DEMAND else attack.name)
        attacked = cheater_pb2.CheaterAttacked(
            seat=seat, target=target, attack=_attack_number(attack), card=None if laid is None else Card.of(laid)
        )
        return self.tell(event_pb2.Event(cheater_attacked=attacked))

    def hides(self, seat: int, card: str = "HIDE") -> "CheaterScript":
        """Let a seat hide its hand."""
        hidden = cheater_pb2.CheaterHidden(seat=seat, card=Card.of(card))
        return self.tell(event_pb2.Event(cheater_hidden=hidden))

    def shows(self, seat: int, hand: str) -> "CheaterScript":
        """Let a seat show its hand."""
        shown = cheater_pb2.CheaterHandShown(seat=seat, cards=_sorted_cards(hand))
        return self.tell(event_pb2.Event(cheater_hand_shown=shown))

    def takes(self, seat: int, target: int, card: str) -> "CheaterScript":
        """Let a seat take a card from another seat."""
        taken = cheater_pb2.CheaterTaken(seat=seat, target=target, card=Card.of(card))
        return self.tell(event_pb2.Event(cheater_taken=taken))

    def busts(self, seat: int, target: int, die: int, laid: str) -> "CheaterScript":
        """Roll the die, and let a seat discard cards of another seat."""
        rolled = cheater_pb2.CheaterDieRolled(value=die)
        busted = cheater_pb2.CheaterBusted(seat=seat, target=target, cards=bytes(cards(laid)))
        return self.tell(event_pb2.Event(cheater_die_rolled=rolled), event_pb2.Event(cheater_busted=busted))

    def leaves(self, seat: int, card_count: int = OTHER_HAND_SIZE, place: int = 0) -> "CheaterScript":
        """Let a seat leave. If it is the CHEATER, the marker goes back to the centre."""
        self._cheater = None if self._cheater == seat else self._cheater
        left = cheater_pb2.CheaterLeft(
            seat=seat, card_count=card_count, place=place or self._seats, cheater=self._cheater
        )
        return self.tell(event_pb2.Event(cheater_left=left))

    def wins(self, seat: int, color: Color | None = None) -> "CheaterScript":
        """Let a seat win."""
        return self.tell(event_pb2.Event(cheater_won=cheater_pb2.CheaterWon(seat=seat, color=color)))

    def asks_act(
        self, playable: str = "", targets: Iterable[int] | None = None, powers: Iterable[int] = ()
    ) -> "CheaterScript":
        """Ask this seat for its action. By default, all other seats are targets."""
        ring = ((self._seat + distance) % self._seats for distance in range(1, self._seats))
        act = cheater_pb2.CheaterAct(
            powers=bytes(powers), playable=_sorted_cards(playable), targets=bytes(ring if targets is None else targets)
        )
        return self._ask(decision_pb2.Prompt(cheater_act=act))

    def asks_discard(self, count: int = 1) -> "CheaterScript":
        """Ask this seat to discard."""
        return self._ask(decision_pb2.Prompt(cheater_discard=cheater_pb2.CheaterDiscard(count=count)))

    def asks_reaction(self, attacker: int, attack: Attack, hiding: str = "") -> "CheaterScript":
        """Ask this seat whether it hides its hand."""
        reaction = cheater_pb2.CheaterReaction(
            attacker=attacker, attack=_attack_number(attack), hiding=_sorted_cards(hiding)
        )
        return self._ask(decision_pb2.Prompt(cheater_reaction=reaction))

    def asks_pick(self, attack: Attack, target: int, hand: str, most: int = 1) -> "CheaterScript":
        """Ask this seat to pick from a shown hand; ``most`` is the most cards that a BUST may discard."""
        pick = cheater_pb2.CheaterPick(
            attack=_attack_number(attack), target=target, hand=_sorted_cards(hand), most=most
        )
        return self._ask(decision_pb2.Prompt(cheater_pick=pick))


def _sorted_cards(text: str) -> bytes:
    return bytes(sorted(cards(text)))


def _attack_number(attack: Attack) -> cheater_pb2.CheaterAttack.ValueType:
    return cheater_pb2.CheaterAttack.Value(f"CHEATER_ATTACK_{attack.name}")
