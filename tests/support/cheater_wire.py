"""Plays CHEATER with messages alone: the simplest choices, and the facts that a seat has received."""

from cheatarena.v1 import cheater_pb2, decision_pb2, event_pb2
from cheatarena.v1.cheater_pb2 import CheaterAction
from tests.support.wire_bot import Message, WireBot

DRAW = cheater_pb2.CHEATER_ACTION_KIND_DRAW
WILD = 28


def choose(bot: WireBot, message: Message, prompt: decision_pb2.Prompt) -> decision_pb2.Decision:
    """Attack with the first card that can, sometimes use a power or hide, and discard all drawn cards."""
    return decision_pb2.Decision(cheater=_ANSWERS[prompt.WhichOneof("options") or ""](message, prompt))


def _act(message: Message, prompt: decision_pb2.Prompt) -> CheaterAction:
    act = prompt.cheater_act
    if act.powers and prompt.id % 2:
        return _use_power(act, prompt.id)
    if not act.playable:
        return CheaterAction(kind=DRAW)
    card, target = act.playable[0], act.targets[0]
    wild_as = cheater_pb2.CHEATER_ATTACK_BUST if card == WILD else cheater_pb2.CHEATER_ATTACK_UNSPECIFIED
    return CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_PLAY, card=card, target=target, wild_as=wild_as)


def _use_power(act: cheater_pb2.CheaterAct, number: int) -> CheaterAction:
    match act.powers[number % len(act.powers)]:
        case 1:
            return CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_DRAW_TWO)
        case 2:
            return CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_TAKE_TOP)
        case _:
            return CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_DEMAND, target=act.targets[-1])


def _discard(message: Message, prompt: decision_pb2.Prompt) -> CheaterAction:
    """Discard all cards gained this turn, which came in the same message as the question."""
    gained = b"".join(event.cheater_drawn.cards for event in message.events)
    gained += bytes(event.cheater_took_top.card for event in message.events if event.HasField("cheater_took_top"))
    return CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_DISCARD, cards=gained)


def _react(message: Message, prompt: decision_pb2.Prompt) -> CheaterAction:
    hiding = prompt.cheater_reaction.hiding
    if hiding and prompt.id % 2:
        return CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_HIDE, card=hiding[0])
    return CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_ALLOW)


def _pick(message: Message, prompt: decision_pb2.Prompt) -> CheaterAction:
    pick = prompt.cheater_pick
    if pick.attack == cheater_pb2.CHEATER_ATTACK_BUST:
        return CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_BUST, cards=pick.hand[: pick.most])
    card = pick.hand[-1]
    is_demand = pick.attack == cheater_pb2.CHEATER_ATTACK_DEMAND
    return CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_TAKE, card=card, discard=card if is_demand else None)


_ANSWERS = {
    "cheater_act": _act,
    "cheater_discard": _discard,
    "cheater_reaction": _react,
    "cheater_pick": _pick,
}


def game_facts(bot: WireBot) -> list[event_pb2.Event]:
    """Return the facts of CHEATER that a bot has received."""
    events = [event for message in bot.messages for event in message.events]
    return [event for event in events if (event.WhichOneof("fact") or "").startswith("cheater_")]
