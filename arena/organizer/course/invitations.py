"""Invites the people of a roster, and names every refused line, by the fault of its text or of its name."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from operator import attrgetter

from arena.errors import OptionsError
from arena.organizer.course.roster import Roster, RosterError
from arena.server.store.invitation_store import InvitationStore


async def invite(
    invitations: InvitationStore, roster: Roster, bots: int, ttl: timedelta
) -> Mapping[str, Sequence[str]]:
    """As `InvitationStore.invite_all`. Raises OptionsError with a `RosterError` for each refused line."""
    owners = {each.owner: each for each in roster.owners}
    people = {name: each.mails for name, each in owners.items()}
    try:
        return await invitations.invite_all(people, bots, ttl, roster.faults)
    except OptionsError as refused:
        faults = [
            each if isinstance(each, RosterError) else owners[str(each.value)].refuse(each.allowed)
            for each in refused.faults
        ]
        raise OptionsError(sorted(faults, key=attrgetter("line"))) from refused
