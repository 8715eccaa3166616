"""Checks a league's seal without the arena.

    python3 verify_league.py [--line LINE] [--entropy TEXT] LEAGUE [REPLAY ...]

LEAGUE is the file league.json of a published site, LINE what was posted before the first game, TEXT the public entropy
as it was drawn, if the seal promises some, REPLAYs are files of its games. It works out again: the line, from the
values that were sealed; the secret's hash; the seed of every deal, from the secret, the public entropy, the number of
the block and how often that had been void; and it counts how often each block was played. This file is short and needs
nothing but Python's own library: read it.

    line     "cheatarena league NAME: " SHA-256(canonical JSON of the sealed values)
    sealed   SHA-256("league-v1" secret)
    mixed    HMAC-SHA-256(key=secret, "entropy|" public entropy)
    seed     HMAC-SHA-256(key=mixed, "deal|" block "|" attempt)

A line begins with yes, NO, or ? for what cannot be told. A league tells its secret when it is closed, which is when
nothing is left to play. What cards a seed makes verify_deal.py checks, a game at a time. Exit code 0: all holds; 1:
something does not; 3: nothing fails, and something cannot be told.
"""

import argparse
import hashlib
import hmac
import json
import sys

DEALING = {"entropy", "add", "void"}
"""What cannot be decided any more when the secret has been told."""


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def none_of(faults, sentence):
    """Give whether there are no faults, and the sentence with the first of them."""
    faults = list(faults)
    return not faults, sentence + (": not so with " + ", ".join(faults[:3]) if faults else "")


def kinds(league, kind):
    return [act["values"] for act in league["acts"] if act["kind"] == kind]


def check_line(league, posted):
    sealed = league["sealed"]
    line = f"cheatarena league {sealed['name']}: {hashlib.sha256(canonical(sealed)).hexdigest()}"
    yield league["line"] == line, f"the line is the hash of the sealed values: {line}"
    if posted is None:
        yield None, 'is it the line that was posted before the first game? Compare, or give that one: --line "..."'
    else:
        yield posted.strip() == line, "it is the line that was posted"


def check_acts(league):
    acts, closed = league["acts"], [act["number"] for act in league["acts"] if act["kind"] == "closed"]
    yield [act["number"] for act in acts] == [*range(1, len(acts) + 1)], "the ledger has no gap"
    late = (f"act {act['number']}" for act in acts if closed and act["number"] > closed[0] and act["kind"] in DEALING)
    yield none_of(late, "nothing that deals cards was decided after the league was closed")
    mixed = [values["text"] for values in kinds(league, "entropy")]
    yield mixed == [league["entropy"]] * bool(league["entropy"]), "public entropy was mixed in at most once"


def check_entropy(league, drawn):
    """Whether it came from where the seal says; what was drawn there only a reader can know."""
    promised, text = league["sealed"]["public_entropy"], league["entropy"]
    if not promised:
        yield not text, "no public entropy was promised, and none was mixed in"
    elif not text:
        yield False if league["attempts"] else None, f"public entropy is not mixed in yet, promised was: {promised}"
    elif drawn is None:
        yield None, f'is it what was promised, {promised}? Mixed in was: {text}. Or say what it was: --entropy "..."'
    else:
        yield text == drawn, f"the public entropy that was mixed in, {text}, is the one that was drawn: {promised}"


def check_blocks(league):
    """Every block: the attempts 0, 1 ... that were void, each by an act, and the one that counts behind them."""
    played, void = {}, {}
    for each in league["attempts"]:
        played.setdefault(each["block"], []).append((each["attempt"], each["is_done"], len(each["games"])))
    for values in kinds(league, "void"):
        void.setdefault(values["block"], []).append(values["attempt"])
    is_closed, wrong, missing = bool(kinds(league, "closed")), [], []
    for block in sorted(played.keys() | void.keys()):
        tries, voids = played.get(block, []), void.get(block, [])
        every = [*range(len(voids))]
        if voids != every or [each[0] for each in tries] not in (every, [*every, len(voids)]):
            wrong.append(f"block {block}, played {len(tries)} times, void {len(voids)} times")
        elif is_closed and tries[-1][:2] != (len(voids), True):
            missing.append(f"block {block}")
    yield none_of(wrong, "every block that counts was played as often as there are acts that made it void, and once")
    if is_closed:
        missing += [f"block {block}" for block in range(1, max(played, default=0)) if block not in played]
        games = sum(tries[-1][2] for tries in played.values())
        yield none_of(
            missing, f"no block is missing, each was played to its end: {len(played)}, and {games} games count"
        )


def check_secret(league):
    """Give how seeds follow from the secret with the checks; nothing, where it is not told yet."""
    if not league["secret"]:
        is_open = not kinds(league, "closed")
        yield None if is_open else False, "the secret is told when the league is closed: seeds can be checked then"
        return
    secret = bytes.fromhex(league["secret"])
    told = hashlib.sha256(b"league-v1" + secret).hexdigest()
    yield told == league["sealed"]["secret_hash"], "the secret is the one whose hash was sealed"
    mixed = hmac.digest(secret, f"entropy|{league['entropy']}".encode(), "sha256")
    wrong, unopened = [], []
    for each in league["attempts"]:
        seed = hmac.digest(mixed, f"deal|{each['block']}|{each['attempt']}".encode(), "sha256").hex()
        for game in each["games"]:
            if "seed" in game and game["seed"] != seed:
                wrong.append(f"game {game['match_id']} of block {each['block']}")
            if each["is_done"] and "seed" not in game:
                unopened.append(f"game {game['match_id']} of block {each['block']}")
    yield none_of(wrong, "every deal's seed follows from secret, public entropy, block and attempt")
    yield none_of(unopened, "the deal of every game that was played to its end was opened")


def check_deals(league):
    """What can be told of deals without the secret: whose they are, and that the tables of a block had the same one."""
    wrong, ids = [], []
    for each in league["attempts"]:
        deal_id = f"block:{league['sealed']['league_id']}.{each['block']}.{each['attempt']}"
        opened = [game for game in each["games"] if "seed" in game]
        if any((game["deal_id"], game["seed"]) != (deal_id, opened[0]["seed"]) for game in opened):
            wrong.append(f"block {each['block']}, attempt {each['attempt']}")
        ids += [game["match_id"] for game in each["games"]]
    yield none_of(wrong, "all tables of a block played one deal, that of the block")
    yield len(ids) == len(set(ids)), "no game is there twice"


def check_replays(league, replays):
    games = {game["match_id"]: game for each in league["attempts"] for game in each["games"]}
    for replay in replays:
        match_id, deal = replay["match_id"], replay["deal"]
        told = {"match_id": match_id, "deal_id": deal["deal_id"], "seed": deal["seed"]}
        terms = {key: value for key, value in replay["terms"].items() if key != "entrants"}
        yield games.get(match_id) == told, f"replay {match_id} is a game of this league, with the deal that is listed"
        yield terms == league["sealed"]["terms"], f"replay {match_id} was played by the rules and pace that were sealed"


def checks(league, posted=None, replays=(), drawn=None):
    """Give a truth and a sentence for each check; None: it cannot be told."""
    yield from check_line(league, posted)
    yield from check_acts(league)
    yield from check_entropy(league, drawn)
    yield from check_blocks(league)
    yield from check_deals(league)
    yield from check_secret(league)
    yield from check_replays(league, replays)


def verify(league, posted=None, replays=(), drawn=None):
    """Print a line for each check, and give the exit code."""
    answers = []
    for holds, sentence in checks(league, posted, replays, drawn):
        print({True: "yes ", False: "NO  ", None: "?   "}[holds], sentence)
        answers.append(holds)
    return 1 if False in answers else 3 if None in answers else 0


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("league", metavar="LEAGUE")
    parser.add_argument("replays", metavar="REPLAY", nargs="*")
    parser.add_argument("--line", metavar="LINE")
    parser.add_argument("--entropy", metavar="TEXT")
    given = parser.parse_intermixed_args()
    try:
        sys.exit(verify(read(given.league), given.line, map(read, given.replays), given.entropy))
    except (AttributeError, LookupError, OSError, TypeError, ValueError) as fault:
        sys.exit(f"NO   this cannot be read: {fault!r}")
