"""What spectators are sent is read as it was meant, or refused with one sentence. `replays/watch` reads whole ones."""

import pytest

from arena.errors import RequestError
from arena.games.catalogue import load_codecs, pack_of
from arena.match.referee.facts import GameEnded
from arena.match.referee.pace import Pace
from arena.match.referee.terms import Seating, Terms
from arena.server.wire.proto_codec import terms_message
from arena.server.wire.public_reader import PublicReader, read_terms
from cheatarena.v1 import cheat_pb2, event_pb2, play_pb2, ruleset_pb2


def terms_of(game: str, preset: str, *entrants: str, **changes: object) -> Terms:
    rules = pack_of(game).game
    options = changes.pop("options", {})
    assert isinstance(options, dict)
    return Terms(
        rules,
        preset,
        rules.build_ruleset(preset, options),
        Pace.live_defaults(),
        entrants or ("ann", "bob", "cid", "dot"),
        **changes,  # type: ignore[arg-type]  # fields of terms
    )


@pytest.mark.parametrize("preset", ["standard", "folk", "rank_lock", "ascending"])
def test_terms_of_cheat_are_read(preset):
    terms = terms_of("cheat", preset, game_count=7, seating=Seating.FIXED, rated=False)

    assert read_terms(terms_message(terms, load_codecs()["cheat"]), load_codecs()) == terms


def test_numbers_and_lists_of_options_are_read():
    options = {"decks": 3, "max_count": 5, "check": "public+", "rank_start": ["A", "K"], "count": ["more", "zero"]}
    terms = terms_of("cheat", "standard", options=options)

    assert read_terms(terms_message(terms, load_codecs()["cheat"]), load_codecs()) == terms


def test_terms_of_cheater_are_read():
    terms = terms_of("cheater", "cheater", options={"titles": False, "max_turns": 9})

    assert read_terms(terms_message(terms, load_codecs()["cheater"]), load_codecs()) == terms


def test_names_of_an_anonymous_match_are_empty():
    terms = terms_of("cheat", "standard", anonymous=True)

    found = read_terms(terms_message(terms, load_codecs()["cheat"]), load_codecs())

    assert (found.entrants, found.anonymous) == (("",) * 4, True)


@pytest.mark.parametrize(
    "ruleset",
    [
        pytest.param(ruleset_pb2.Ruleset(preset="standard"), id="unknown-game"),
        pytest.param(ruleset_pb2.Ruleset(preset="new", cheat=cheat_pb2.CheatRuleset()), id="unknown-preset"),
    ],
)
def test_terms_of_a_newer_server_are_refused(ruleset):
    message = ruleset_pb2.MatchTerms(ruleset=ruleset, entrants=["a", "b"])

    with pytest.raises(RequestError, match="this version of the arena does not know"):
        read_terms(message, load_codecs())


def read_after_start(*events: event_pb2.Event) -> tuple[object, ...]:
    """Return the facts of a message that follows the start of a match."""
    reader = PublicReader(load_codecs())
    terms = terms_message(terms_of("cheat", "standard"), load_codecs()["cheat"])
    started = event_pb2.Event(match_started=event_pb2.MatchStarted(terms=terms))
    reader.read(play_pb2.SeatMessage(sequence=1, events=[started]))
    return reader.read(play_pb2.SeatMessage(sequence=2, events=events)).facts


def test_facts_of_a_newer_server_are_left_out():
    assert read_after_start(event_pb2.Event.FromString(b"\xc2\x3e\x00"), event_pb2.Event()) == ()


def test_game_that_was_never_played_has_its_seats():
    """No `GameStarted` says who would have sat where; the seating follows from the terms."""
    (ended,) = read_after_start(
        event_pb2.Event(game_ended=event_pb2.GameEnded(game=1, places=b"\1\2\3\4", termination="forfeit"))
    )

    assert isinstance(ended, GameEnded)
    assert ended.entrants == (3, 0, 1, 2)
    assert ended.places_by_entrant == (2, 3, 4, 1)


def test_snapshot_without_terms_is_refused():
    message = play_pb2.SeatMessage(sequence=9)
    message.snapshot.SetInParent()

    with pytest.raises(RequestError, match="must have its terms"):
        PublicReader(load_codecs()).read(message)
