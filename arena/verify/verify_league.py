"""Check a league's seal without the arena.

    python3 verify_league.py [--line LINE] [--entropy TEXT] LEAGUE [REPLAY ...]

LEAGUE is the file league.json of a published site, LINE what was posted before the first game, TEXT the public entropy
as it was drawn, if the seal promises some, and each REPLAY a file of one of its games. This program recomputes the line
from the sealed values, the hash of the secret, and the seed of every deal from secret, public entropy, the block's
number and how often it was void before; it counts how often each block was played, and checks that as many games count
as the sealed format has. This file is short and needs only Python's standard library: read it.

    line     "cheatarena league NAME: " SHA-256(canonical JSON of the sealed values)
    sealed   SHA-256("league-v1" secret)
    mixed    HMAC-SHA-256(key=secret, "entropy|" public entropy)
    seed     HMAC-SHA-256(key=mixed, "deal|" block "|" attempt)

A line begins with yes, NO, or ? for what cannot be told. A league reveals its secret when it is closed, that is when
nothing is left to play. verify_deal.py checks the cards of a seed, one game at a time. The last lines sum up and repeat
each NO. Exit code 0: everything holds; 1: something does not; 3: nothing fails, but something cannot be told.
"""

import argparse
import hashlib
import hmac
import json
import math
import sys

DEALING = {"entropy", "add", "void"}
"""Organizer's decisions that are no longer possible once the secret is revealed."""
COMING, GOING = {"add"}, {"withdraw", "disqualify"}
FIXED = {"season", "gauntlet", "round-robin"}
"""Formats whose schedule does not change when an entrant leaves."""
SIGNS = {True: "yes ", False: "NO  ", None: "?   "}


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def none_of(faults, sentence):
    """Return whether there are no faults, and the sentence with the first of them."""
    faults = list(faults)
    return not faults, sentence + (": not so with " + ", ".join(faults[:3]) if faults else "")


def kinds(league, kind):
    return [act["values"] for act in league["acts"] if act["kind"] == kind]


def is_number(value, least):
    """Return whether a value is written as a whole number: 1.0 and true equal 1, but name other deals."""
    return type(value) is int and value >= least


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
    """Check that the entropy is the one that the seal promises; only a reader can know what was drawn there."""
    promised, text = league["sealed"]["public_entropy"], league["entropy"]
    if not promised:
        yield not text, "no public entropy was promised, and none was mixed in"
        if drawn is not None:
            yield False, f"what was drawn, {drawn}, was mixed in: the seal promises no public entropy"
    elif not text:
        yield False if league["attempts"] else None, f"public entropy is not mixed in yet, promised was: {promised}"
    elif drawn is None:
        yield None, f'is it what was promised, {promised}? Mixed in was: {text}. Or say what it was: --entropy "..."'
    else:
        yield text == drawn, f"the public entropy that was mixed in, {text}, is the one that was drawn: {promised}"


def check_blocks(league):
    """Check each block: attempts 0, 1 ... are void, each by a ledger entry, and the last one counts."""
    played, void, sealed = {}, {}, league["sealed"]
    tables = (len(sealed["entrants"]) + len(kinds(league, "add"))) // sealed["seats"]  # nobody meets a deal twice
    odd = [
        f"block {each['block']!r}, attempt {each['attempt']!r}, {len(each['games'])} games"
        for each in league["attempts"]
        if not (is_number(each["block"], 1) and is_number(each["attempt"], 0) and 1 <= len(each["games"]) <= tables)
    ]
    yield none_of(odd, "blocks are numbered from 1 and attempts from 0, with no more tables than people can fill")
    if odd:
        return
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
    yield none_of(
        wrong,
        "each block is listed once, and once more for each act that made it void; the ledger tells of no other play",
    )
    if is_closed:
        missing += [f"block {block}" for block in range(1, max(played, default=0)) if block not in played]
        games = count_games(league)
        yield none_of(
            missing, f"no block is missing, each was played to its end: {len(played)}, and {games} games count"
        )


def count_games(league):
    """Count the games of finished attempts that no ledger entry made void."""
    void = [(values["block"], values["attempt"]) for values in kinds(league, "void")]
    done = (each for each in league["attempts"] if each["is_done"])
    return sum(len(each["games"]) for each in done if (each["block"], each["attempt"]) not in void)


def knockout_tables(people, seats):
    """Return the number of tables of each round: the first rounds leave seats * 2^k, then each leaves half."""
    while people >= seats > 1:
        target = seats
        while 2 * target < people:
            target *= 2
        is_regular, out = people in (seats, 2 * target), seats - seats // 2
        tables = people // seats if is_regular else min(people // seats, -(-(people - target) // out))
        yield tables
        people = 0 if people == seats else max(target, people - tables * out)


def length(sealed):
    """Return the number of games of the sealed format if nobody comes or goes; None if it has no fixed number."""
    form, seats, people = sealed["format"], sealed["seats"], len(sealed["entrants"])
    full, is_shared, at_a_table = people // seats, form.get("tables", 1) > 1, form.get("games", seats)
    match form["name"]:
        case "gauntlet":
            return form["games"]
        case "season":  # a last table that would be alone in its block is not played
            return form["games"] - (is_shared and full > 1 and form["games"] % full == 1)
        case "round-robin":
            games = math.comb(people, seats) * seats * form["passes"]
            return games * (2 if games % 2 and is_shared and 2 * seats <= people < 3 * seats else 1)
        case "swiss":
            return form["rounds"] * full * at_a_table
        case "knockout":
            return sum(knockout_tables(people, seats)) * at_a_table
        case "ladder" if "rounds" in form:
            return form["rounds"] * max(-(-full // 2), min(2, full)) * at_a_table
    return None


def lengths(league):
    """Return how many games may count at the end, without and with a play-off; empty if that cannot be told."""
    sealed, form, games = league["sealed"], league["sealed"]["format"], length(league["sealed"])
    closing = next((act["number"] for act in league["acts"] if act["kind"] == "closed"), math.inf)
    moved = {act["kind"] for act in league["acts"] if act["number"] < closing} & (COMING | GOING)
    if games is None or "budget_s" in form or (moved and sealed["format"]["name"] not in FIXED):
        return [], []
    plain = {games}
    if moved & COMING and form.get("tables", 1) > 1:  # whether the last table is alone depends on who is there
        plain = {form["games"], form["games"] - 1}
    extra = {form["play_off"], form["play_off"] - (form.get("tables", 4) > 1)} - {0} if "play_off" in form else ()
    return sorted(plain), sorted({each + more for each in plain for more in extra})


def check_length(league):
    """Check that as many games count as were sealed: otherwise a ledger without its last blocks looks complete."""
    form, games = league["sealed"]["format"], count_games(league)
    told = ", ".join(f"{key} {value}" for key, value in form.items() if key != "name")
    told = f"{games} games count, of what was sealed: {form['name']}{told and f' ({told})'}"
    plain, extra = lengths(league)
    if not kinds(league, "closed"):
        yield None, f"the league is not closed yet: {told}"
    elif not plain:
        most = length(league["sealed"])
        planned = "that has no number of games" if most is None else f"{most} games if nobody came or went, in its time"
        yield None, f"{told}; {planned}: are they all?"
    elif extra and games in plain and games not in extra:
        yield None, f"{told}; as many as it has without a play-off: did the table tell who is best?"
    else:
        allowed = " or ".join(map(str, sorted({*plain, *extra})))
        yield games in (*plain, *extra), f"as many games count as the sealed format has, {allowed}: {told}"


def check_secret(league):
    """Return the checks of the secret and how seeds follow from it; empty before it is revealed."""
    if not league["secret"]:
        is_open = not kinds(league, "closed")
        yield None if is_open else False, "the secret is told when the league is closed: seeds can be checked then"
        return
    yield bool(kinds(league, "closed")), "the league was closed when its secret was told"
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
    """Check deals without the secret: whose they are, and that the tables of a block share one."""
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
    """Yield the outcome and sentence of each check; None if it cannot be told."""
    yield from check_line(league, posted)
    yield from check_acts(league)
    yield from check_entropy(league, drawn)
    yield from check_blocks(league)
    yield from check_length(league)
    yield from check_deals(league)
    yield from check_secret(league)
    yield from check_replays(league, replays)


def show(sign, sentence):
    """Print a line without anything from the file that a terminal would obey."""
    print(sign, "".join(letter if letter.isprintable() else "?" for letter in sentence))


def verify(league, posted=None, replays=(), drawn=None):
    """Print a line for each check and a summary; return the exit code."""
    answers, failing = [], []
    for holds, sentence in checks(league, posted, replays, drawn):
        show(SIGNS[holds], sentence)
        answers.append(holds)
        failing += [sentence] * (holds is False)
    yes, no, untold = (answers.count(each) for each in SIGNS)
    show("    ", f"{yes} checks hold, {no} do not, {untold} cannot be told")
    for sentence in failing:
        show("    ", SIGNS[False] + " " + sentence)
    return 1 if no else 3 if untold else 0


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
    sys.stdout.reconfigure(errors="replace")
    try:
        sys.exit(verify(read(given.league), given.line, map(read, given.replays), given.entropy))
    except (ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError) as fault:
        sys.exit(f"NO   this cannot be read: {fault!r}")
