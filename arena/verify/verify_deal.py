"""Check a replay of an arena match without the arena: python3 verify_deal.py REPLAY [RECEIPTS].

REPLAY is a file that `arena replay export` wrote. RECEIPTS is a file with a bot's receipts, one on each line, as JSON.
The seed is revealed after the match. From it, this program recomputes the commitment, the key, every card and die, and
the receipts. Then verify_cheat.py or verify_cheater.py, in the same folder, replays all games with these draws. The
programs are short and need only Python's standard library. If the last line begins with ?, it says what is not proved.

`arena replay verify` checks two more things: signatures, which need another library, and who was asked what and when.
docs/rules/deal.md defines every hash. Exit code 0 if all checks succeed.
"""

import hashlib
import hmac
import json
import os
import runpy
import struct
import sys

FOLLOWERS = {("cheat", "1"): "verify_cheat.py", ("cheater", "1"): "verify_cheater.py"}
UNPROVED = "only a receipt that a bot kept proves that names, seats, rules, pace and rated mark were not changed since"
UNBOUND = "these old receipts do not bind match id, names, preset, pace, number of games, seating, rated, anonymous"


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def join(*fields):
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
    """Return the values of a draw, computed from the key and the label of the draw."""
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


def check_games(replay, key):
    """Replay all games, and compare their draws with the draws and the first deck in the file."""
    terms, drawn = replay["terms"], []

    def luck(game, purpose, turn, index, count, faces=0):
        d = {"game": game, "purpose": purpose, "turn": turn, "index": index, "count": count, "faces": faces}
        drawn.append(d | {"values": draw(key, d)})
        return drawn[-1]["values"]

    follower = FOLLOWERS.get((terms["game"], terms["rules_version"]))
    if follower is None:
        print(f"?    rules {terms['rules_version']!a} of {terms['game']!a}", "are unknown: only draws were checked")
        return
    follow = runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), follower))["follow"]
    check(True, follow(replay, luck))
    if replay["termination"] == "interrupted":  # the server may have ended before the last draw
        drawn = drawn[: len(replay["draws"])]
    check(drawn == replay["draws"], "the draws are those that the games need, in their order")
    need(all(replay["deal"]["deck"].items() <= d.items() for d in drawn[:1]), "the first deck is the first draw")


def check_results(replay):
    """Check that seats, places and results agree, and that the match ended as the file says."""
    terms, count, results, end = replay["terms"], len(replay["terms"]["entrants"]), [], "interrupted"
    for _, name, e in replay["events"]:
        if name in ("GameStarted", "GameEnded"):
            turned = e["game"] if terms["seating"] == "rotated" else 0
            need(e["entrants"] == [(seat - turned) % count for seat in range(count)], "entrants sit as the terms say")
        if name == "GameEnded":
            places = [e["places"][e["entrants"].index(entrant)] for entrant in range(count)]
            results.append({"game": e["game"], "places": places, "termination": e["termination"]})
        elif name == "MatchEnded":
            sums = [sum(places) for places in zip(*(result["places"] for result in results), strict=True)]
            need(e["place_sums"] == (sums or [0] * count), "the sums of places follow from the games")
            end = e["termination"]
    check(results == replay["results"] and end == replay["termination"], "the results follow from the games")


def check_receipts(replay, receipts, *fixed):
    """Check the receipts of all seats, and that the bot has one of them. Return a note on what is not proved."""
    given, bound = replay["receipts"], (*fixed, bytes(replay["receipts"]["positions"]))
    form, subject, note = b"receipt-v1", "this deal", UNBOUND
    if "terms_salt" in given:
        match = (bytes.fromhex(given["terms_salt"]), replay["match_id"].encode(), canonical(replay["terms"]))
        form, subject, note = b"receipt-v2", "this deal, match and terms", "" if receipts else UNPROVED
        bound += (sha(join(b"terms-v1", *match)),)
    digests = [sha(join(form, *bound, bytes.fromhex(each["salt"]))).hex() for each in given["seats"]]
    check(digests == [each["digest"] for each in given["seats"]], f"all receipts are for {subject}")
    if receipts is not None:
        own = {json.loads(line)["digest"] for line in receipts.splitlines() if line.strip()}
        check(own & {*digests}, f"one of the bot's receipts is among them: {subject} came first")
    return note


def verify(raw, receipts=None):
    replay = json.loads(raw)
    digest, deal = replay.pop("digest"), replay["deal"]
    is_as_exported = canonical(replay | {"digest": digest}) + b"\n" == raw
    check(is_as_exported and sha(canonical(replay)).hex() == digest, "the file is whole")
    terms, seed, deal_id, transcript = replay["terms"], bytes.fromhex(deal["seed"]), deal["deal_id"], b""
    is_shared = deal_id.startswith("block:")  # played at several tables of a league
    need(is_shared or deal_id in (replay["match_id"], "given"), "the deal belongs to the match")
    rules = sha(canonical({name: terms[name] for name in ("game", "rules_version", "ruleset")}))
    commitment = sha(join(b"deal-v1", deal_id.encode(), rules, seed))
    need(deal["rules_hash"] == rules.hex(), "the rules are those of the rules hash")
    check(deal["commitment"] == commitment.hex(), "the commitment fits seed, rules and deal")
    for c in deal["contributions"]:
        promise, entropy = bytes.fromhex(c["promise"]), bytes.fromhex(c["entropy"])
        need(sha(entropy) == promise if c["entropy"] else c["fault"], f"entrant {c['entrant']!a} kept its promise")
        transcript += join(struct.pack(">I", c["entrant"]), promise, entropy)
    key = hmac.digest(seed, deal_id.encode() + (b"|" + transcript if transcript else b""), "sha256")
    link = sha(join(b"chain-v1", bytes.fromhex(deal["chain"]["previous"]), commitment)).hex()
    check(link == deal["chain"]["link"], f"the commitment is link {deal['chain']['number']} of its chain")
    check(all(draw(key, d) == d["values"] for d in replay["draws"]), "all draws follow from seed and contributions")
    root = tree(key, draw(key, deal["deck"] | {"faces": 0}) if deal["deck"] else [])
    check(root.hex() == deal["root"], "the hash of the first deck follows from its cards")
    note = check_receipts(replay, receipts, commitment, root, transcript)
    check_games(replay, key)
    check_results(replay)
    if note:
        print("?   ", note)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1] in ("-h", "--help"):
        sys.exit("usage: python3 verify_deal.py REPLAY [RECEIPTS]")
    try:
        verify(*[open(name, "rb").read() for name in sys.argv[1:3]])
    except (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError, struct.error) as fault:
        sys.exit(f"NO   {fault}")
