"""Checks a replay of an arena match without the arena: python3 verify_deal.py REPLAY [RECEIPTS].

REPLAY is what `arena replay export` wrote, RECEIPTS the lines of JSON that a bot kept. It works out again, from the
seed that was opened after the match: the commitment, the key, every card and die, the receipts; and for Cheat the game.
Two things it leaves to `arena replay verify`: signatures (not in Python's library) and the finer rules (who was asked
what, and when). Every hash is defined in section 18 of the protocol guide, proto/README.md. Exit code 0: all holds.
"""

import hashlib
import hmac
import json
import struct
import sys
from collections import Counter


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def joined(*fields):
    return b"".join(struct.pack(">I", len(field)) + field for field in fields)


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def need(is_true, sentence):
    if not is_true:
        raise ValueError("does not hold: " + sentence)


def check(is_true, sentence):
    need(is_true, sentence)
    print("yes ", sentence)


def draw(key, d):
    """The values of a draw, from its label alone."""
    width, space = (2, 1 << 16) if (d["faces"] or d["count"]) <= 1 << 16 else (4, 1 << 32)
    label = "{purpose}|{game}|{turn}|{index}".format(**d)
    data = hashlib.shake_256(key + label.encode()).digest(width * (4 * d["count"] + 400))
    words = (int.from_bytes(data[at : at + width], "big") for at in range(0, len(data), width))

    def below(b):
        return next(word for word in words if word < space - space % b) % b

    if d["faces"]:
        return [below(d["faces"]) for _ in range(d["count"])]
    order = [*range(d["count"])]
    for i in reversed(range(1, d["count"])):
        j = below(i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def tree(key, cards):
    salts = hashlib.shake_256(key + b"salt").digest(32 * len(cards))
    level = [sha(struct.pack(">cI32sI", b"\0", at, salts[32 * at :][:32], card)) for at, card in enumerate(cards)]
    while len(level) > 1:
        odd = level[-1:] if len(level) % 2 else []
        level = [sha(b"\1", *level[at : at + 2]) for at in range(0, len(level) - 1, 2)] + odd
    return level[0] if level else sha()


def cheat(replay):
    """Follow every card of every game: dealt from the deck, played from a hand, shown and taken from the pile."""
    rules, seats = replay["terms"]["ruleset"], len(replay["terms"]["entrants"])
    decks, size = rules["decks"], rules["decks"] * (52 + rules["jokers_per_deck"])
    draws = {(d["purpose"], d["game"]): d["values"] for d in replay["draws"] if d["turn"] == d["index"] == 0}
    need(replay["deal"]["deck"] == {"game": 0, "purpose": "deck", "turn": 0, "index": 0, "count": size}, "the deck")
    hands, pile, last, game, placed = [], Counter(), None, 0, {}
    for _, name, e in replay["events"]:
        if name == "GameStarted":
            hands, pile, last, game, placed = [Counter()] * seats, Counter(), None, e["game"], {}
        elif name == "Dealt":
            cards = [min(card // decks, 52) for card in draws["deck", game]]
            hands = [Counter(cards[seat::seats]) for seat in range(seats)]
            is_dealt = e["hands"] == [[hand[code] for code in range(53)] for hand in hands] and len(cards) == size
            need(is_dealt and [e["first"]] == draws["first_mover", game], f"hands and first seat of game {game}")
        elif name == "Played":
            cards = Counter(e["cards"])
            is_held = cards <= hands[e["seat"]] and len(e["cards"]) == e["count"]
            need(is_held, f"seat {e['seat']} of game {game} holds what it plays")
            hands[e["seat"]], pile, last = hands[e["seat"]] - cards, pile + cards, e
        elif name == "Called":
            lie = any(code != 52 and code // 4 != last["rank"] for code in last["cards"])
            need((e["accused"], e["cards"]) == (last["seat"], last["cards"]), "a call shows the cards that were played")
            need(e["right"] == lie and e["taker"] == (e["accused"] if lie else e["caller"]), "a call is judged right")
            need(e["taken"] == [pile[code] for code in range(53)], "the loser of a call takes the pile")
            hands[e["taker"]], pile, last = hands[e["taker"]] + pile, Counter(), None
        elif name == "SeatLeft":
            need(e["cards"] == [hands[e["seat"]][code] for code in range(53)], "a seat leaves all its cards")
            pile, hands[e["seat"]], placed[e["seat"]] = pile + hands[e["seat"]], Counter(), e["place"]
            last = None if last and last["seat"] == e["seat"] else last
        elif name == "SeatPlaced":
            free = {*range(1, seats + 1)} - {*placed.values()}
            need(hands[e["seat"]] or e["place"] == min(free), "whoever is out of cards has the best free place")
            placed[e["seat"]] = e["place"]
        elif name == "GameEnded" and e["termination"] != "forfeit":
            need(e["places"] == [placed[seat] for seat in range(seats)], f"places of game {game}")
        need(sum(map(Counter.total, [*hands, pile])) in (0, size), "no card appears or vanishes")
    return "every hand, play, reveal, taken pile and place follows from the deck"


def verify(raw, receipts=None):
    replay = json.loads(raw)
    digest, deal = replay.pop("digest"), replay["deal"]
    is_as_exported = canonical(replay | {"digest": digest}) + b"\n" == raw
    check(is_as_exported and sha(canonical(replay)).hex() == digest, "the file is whole")
    terms, seed, deal_id = replay["terms"], bytes.fromhex(deal["seed"]), deal["deal_id"]
    need(deal_id in (replay["match_id"], "given"), "the deal is that of the match")
    rules = sha(canonical({name: terms[name] for name in ("game", "rules_version", "ruleset")}))
    commitment = sha(joined(b"deal-v1", deal_id.encode(), rules, seed))
    is_committed = (rules.hex(), commitment.hex()) == (deal["rules_hash"], deal["commitment"])
    check(is_committed, "the commitment fits seed, rules and deal")
    transcript = b""
    for c in deal["contributions"]:
        promise, entropy = bytes.fromhex(c["promise"]), bytes.fromhex(c["entropy"])
        need(sha(entropy) == promise if c["entropy"] else c["fault"], f"entrant {c['entrant']} added what it promised")
        transcript += joined(struct.pack(">I", c["entrant"]), promise, entropy)
    key = hmac.digest(seed, deal_id.encode() + (b"|" + transcript if transcript else b""), "sha256")
    link = sha(joined(b"chain-v1", bytes.fromhex(deal["chain"]["previous"]), commitment)).hex()
    check(link == deal["chain"]["link"], f"the commitment is link {deal['chain']['number']} of its chain")
    check(all(draw(key, d) == d["values"] for d in replay["draws"]), "all draws follow from seed and contributions")
    root = tree(key, draw(key, deal["deck"] | {"faces": 0}) if deal["deck"] else [])
    check(root.hex() == deal["root"], "the hash of the first deck is that of its cards")
    given, told = replay["receipts"], (b"receipt-v1", commitment, root, transcript)
    digests = [sha(joined(*told, bytes(given["positions"]), bytes.fromhex(g["salt"]))).hex() for g in given["seats"]]
    check(digests == [g["digest"] for g in given["seats"]], "all receipts are for this deal")
    if receipts is not None:
        kept = {json.loads(line)["digest"] for line in receipts.splitlines() if line.strip()}
        check(kept & {*digests}, "a receipt that was kept is among them: the cards came first")
    if (terms["game"], terms["rules_version"]) == ("cheat", "1"):
        check(True, cheat(replay))
    else:
        print("?    rules", terms["rules_version"], "of", terms["game"], "are unknown here: only luck was checked")
    ended = [e for _, name, e in replay["events"] if name == "GameEnded"]
    places = [[places for _, places in sorted(zip(e["entrants"], e["places"], strict=True))] for e in ended]
    check(places == [result["places"] for result in replay["results"]], "the results are those of the games")


if __name__ == "__main__":
    try:
        verify(*[open(name, "rb").read() for name in sys.argv[1:3]])
    except (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError, struct.error) as fault:
        sys.exit(f"NO   {fault}")
