"""Check a league's seal without the arena.

    python3 verify_league.py [--line LINE] [--entropy TEXT] LEAGUE [REPLAY ...]

LEAGUE is the file league.json of a published site. LINE is the line that was posted before the first game. If the seal
promises public entropy, TEXT is the entropy that was drawn. Each REPLAY is a replay of one of the league's games.

This program recomputes three things: the line, the hash of the secret, and the seed of every deal. A seed follows from
the secret, the public entropy, the block's number and the number of times that the block was void before. The program
also checks how often each block was played, and whether the number of games that count agrees with the sealed format.
It needs only Python's standard library, and is short enough to read.

    line     "cheatarena league NAME: " SHA-256(canonical JSON of the sealed values)
    sealed   SHA-256("league-v1" secret)
    mixed    HMAC-SHA-256(key=secret, "entropy|" public entropy)
    seed     HMAC-SHA-256(key=mixed, "deal|" block "|" attempt)

Each line of output begins with yes, NO or ?. The sign ? means that the program cannot decide. The last lines are a
summary and repeat each NO. A league reveals its secret when it is closed, after its last game. verify_deal.py checks
the cards that follow from a seed, one game at a time.

Exit code 0: all checks succeed; 1: a check fails; 3: none fails, but some cannot be decided.
"""

import argparse
import hashlib
import hmac
import json
import math
import sys

DEALING = {"entropy", "add", "void"}
"""Decisions that the organizer may no longer make after the secret is revealed."""
COMING, GOING = {"add"}, {"withdraw", "disqualify"}
FIXED = {"season", "gauntlet", "round-robin"}
"""Formats whose schedule does not change when an entrant leaves."""
SIGNS = {True: "yes ", False: "NO  ", None: "?   "}


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def none_of(faults, sentence):
    """Return whether there are no faults, and the sentence, which ends with the first three faults if there are any."""
    faults = list(faults)
    return not faults, sentence + (": not so with " + ", ".join(faults[:3]) if faults else "")


def kinds(league, kind):
    return [act["values"] for act in league["acts"] if act["kind"] == kind]


def is_number(value, least):
    """Return whether a value is an integer of at least `least`. Refuse 1.0 and True, which equal 1 in Python."""
    return type(value) is int and value >= least


def check_line(league, posted):
    sealed = league["sealed"]
    line = f"cheatarena league {sealed['name']}: {hashlib.sha256(canonical(sealed)).hexdigest()}"
    yield league["line"] == line, f"the line is the hash of the sealed values: {line}"
    if posted is None:
        yield None, 'is it the line that was posted before the first game? Compare them, or use --line "..."'
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
    """Check that the promised entropy was mixed in. Only the reader can know which text was drawn."""
    promised, text = league["sealed"]["public_entropy"], league["entropy"]
    if not promised:
        yield not text, "no public entropy was promised, and none was mixed in"
        if drawn is not None:
            yield False, f"the public entropy that was drawn, {drawn}, was mixed in: the seal promises none"
    elif not text:
        yield (
            False if league["attempts"] else None,
            f"public entropy is not mixed in yet; promised: {promised}",
        )
    elif drawn is None:
        yield None, f'{text} was mixed in; does it come from {promised}? Compare them, or use --entropy "..."'
    else:
        yield text == drawn, f"the public entropy that was mixed in, {text}, is the one that was drawn: {promised}"


def check_blocks(league):
    """Check that the ledger made every attempt of a block void except the last, and that no attempt is missing."""
    played, void, sealed = {}, {}, league["sealed"]
    tables = (len(sealed["entrants"]) + len(kinds(league, "add"))) // sealed["seats"]  # nobody plays a deal twice
    odd = [
        f"block {each['block']!r}, attempt {each['attempt']!r}, {len(each['games'])} games"
        for each in league["attempts"]
        if not (is_number(each["block"], 1) and is_number(each["attempt"], 0) and 1 <= len(each["games"]) <= tables)
    ]
    yield none_of(odd, "blocks count from 1, attempts from 0, and no block has more tables than the entrants can fill")
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
        "each block is listed once, and once more for each act that made it void; the ledger has no other attempts",
    )
    if is_closed:
        missing += [f"block {block}" for block in range(1, max(played, default=0)) if block not in played]
        games = count_games(league)
        yield none_of(
            missing, f"no block is missing, and all {len(played)} were played to their end: {games} games count"
        )


def count_games(league):
    """Count the games of finished attempts that no ledger entry made void."""
    void = [(values["block"], values["attempt"]) for values in kinds(league, "void")]
    done = (each for each in league["attempts"] if each["is_done"])
    return sum(len(each["games"]) for each in done if (each["block"], each["attempt"]) not in void)


def knockout_tables(people, seats):
    """Yield how many tables each round has. The first rounds leave seats * 2^k people; each later round leaves half."""
    while people >= seats > 1:
        target = seats
        while 2 * target < people:
            target *= 2
        is_regular, out = people in (seats, 2 * target), seats - seats // 2
        tables = people // seats if is_regular else min(people // seats, -(-(people - target) // out))
        yield tables
        people = 0 if people == seats else max(target, people - tables * out)


def length(sealed):
    """Return the number of games of the sealed format if nobody joins or leaves; None if the format sets no number."""
    form, seats, people = sealed["format"], sealed["seats"], len(sealed["entrants"])
    full, is_shared, at_a_table = people // seats, form.get("tables", 1) > 1, form.get("games", seats)
    match form["name"]:
        case "gauntlet":
            return form["games"]
        case "season":  # a last game without a second table in its block is not played
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
    """Return the possible numbers of games without a play-off, and with a play-off. Both lists are empty if unknown."""
    sealed, form, games = league["sealed"], league["sealed"]["format"], length(league["sealed"])
    closing = next((act["number"] for act in league["acts"] if act["kind"] == "closed"), math.inf)
    moved = {act["kind"] for act in league["acts"] if act["number"] < closing} & (COMING | GOING)
    if games is None or "budget_s" in form or (moved and sealed["format"]["name"] not in FIXED):
        return [], []
    plain, owners = {games}, [each.get("owner") for each in sealed["entrants"] if each.get("owner")]
    has_turns = form["name"] == "season" and "schedule" in sealed and len(set(owners)) < len(owners)
    # whether the last game has a second table depends on who plays, and on whose bots have to be kept apart
    if (moved & COMING or has_turns) and form.get("tables", 1) > 1:
        plain = {form["games"], form["games"] - 1}
    extra = {more for each in play_off_lengths(form) for more in each}
    return sorted(plain), sorted({each + more for each in plain for more in extra})


def play_off_lengths(form):
    """Return the possible numbers of games of a play-off after each of its rounds.

    A round is one game shorter if its last table would be alone in a block. An old play-off has one round.
    """
    most, rounds, may_lack = form.get("play_off", 0), form.get("play_off_rounds", 1), form.get("tables", 4) > 1
    ends = ((number, most * number // rounds) for number in range(1, rounds + 1))
    return [{end - lack for lack in range(number * may_lack + 1)} - {0} for number, end in ends] if most else []


def check_length(league):
    """Check that the right number of games count. Without this check, a ledger could drop its last blocks."""
    form, games = league["sealed"]["format"], count_games(league)
    settings = ", ".join(f"{key} {value}" for key, value in form.items() if key != "name")
    summary = f"{games} games count; sealed was {form['name']}{settings and f' ({settings})'}"
    plain, extra = lengths(league)
    if not kinds(league, "closed"):
        yield None, f"the league is not closed yet: {summary}"
    elif not plain:
        most = length(league["sealed"])
        planned = "no fixed number" if most is None else f"{most} games if nobody joins or leaves and there is time"
        yield None, f"{summary}; that format has {planned}: are these all?"
    elif extra and games in plain and games not in extra:
        yield None, f"{summary}; as many as without a play-off: did the standings show who is best?"
    elif games in extra and games not in {each + more for each in plain for more in play_off_lengths(form)[-1]}:
        yield None, f"{summary}; the play-off ended before its last round: did one lead clearly?"
    else:
        allowed = " or ".join(map(str, sorted({*plain, *extra})))
        yield games in (*plain, *extra), f"as many games count as the sealed format has, {allowed}: {summary}"


def check_secret(league):
    """Check the secret, and the seeds that follow from it. Before the league is closed, neither check is possible."""
    if not league["secret"]:
        is_open = not kinds(league, "closed")
        yield None if is_open else False, "the secret is revealed when the league is closed: seeds can be checked then"
        return
    yield bool(kinds(league, "closed")), "the league was closed when its secret was revealed"
    secret = bytes.fromhex(league["secret"])
    secret_hash = hashlib.sha256(b"league-v1" + secret).hexdigest()
    yield secret_hash == league["sealed"]["secret_hash"], "the secret is the one whose hash was sealed"
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
    """Check without the secret that each deal belongs to its block, and that all tables of a block share one deal."""
    wrong, ids = [], []
    for each in league["attempts"]:
        deal_id = f"block:{league['sealed']['league_id']}.{each['block']}.{each['attempt']}"
        opened = [game for game in each["games"] if "seed" in game]
        if any((game["deal_id"], game["seed"]) != (deal_id, opened[0]["seed"]) for game in opened):
            wrong.append(f"block {each['block']}, attempt {each['attempt']}")
        ids += [game["match_id"] for game in each["games"]]
    yield none_of(wrong, "all tables of a block played the block's deal")
    yield len(ids) == len(set(ids)), "no game is listed twice"


def check_replays(league, replays):
    games = {game["match_id"]: game for each in league["attempts"] for game in each["games"]}
    for replay in replays:
        match_id, deal = replay["match_id"], replay["deal"]
        expected = {"match_id": match_id, "deal_id": deal["deal_id"], "seed": deal["seed"]}
        terms = {key: value for key, value in replay["terms"].items() if key != "entrants"}
        yield games.get(match_id) == expected, f"replay {match_id} is a game of this league, with the listed deal"
        yield terms == league["sealed"]["terms"], f"replay {match_id} was played by the rules and pace that were sealed"


def checks(league, posted=None, replays=(), drawn=None):
    """Yield the result and the sentence of each check. A result is True, False, or None if it cannot be decided."""
    yield from check_line(league, posted)
    yield from check_acts(league)
    yield from check_entropy(league, drawn)
    yield from check_blocks(league)
    yield from check_length(league)
    yield from check_deals(league)
    yield from check_secret(league)
    yield from check_replays(league, replays)


def show(sign, sentence):
    """Print a line, with ? in place of characters that could control a terminal."""
    print(sign, "".join(letter if letter.isprintable() else "?" for letter in sentence))


def verify(league, posted=None, replays=(), drawn=None):
    """Print a line for each check and a summary; return the exit code."""
    answers, failing = [], []
    for holds, sentence in checks(league, posted, replays, drawn):
        show(SIGNS[holds], sentence)
        answers.append(holds)
        failing += [sentence] * (holds is False)
    yes, no, undecided = (answers.count(each) for each in SIGNS)
    show("    ", f"{yes} checks hold, {no} do not, {undecided} cannot be decided")
    for sentence in failing:
        show("    ", SIGNS[False] + " " + sentence)
    return 1 if no else 3 if undecided else 0


def read(path):
    with open(path, encoding="utf-8-sig") as file:
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
