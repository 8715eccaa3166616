"""Stores invitations: an organizer makes a code, and an author redeems it for an owner, bots and tokens."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from sqlalchemy import Connection, func, insert, or_, select, update

from arena.errors import InvitationRefusedError, OptionError, OptionsError, UnknownNameError
from arena.server.store.account_values import InvitationRow, NewAccount, Scope
from arena.server.store.database import StorePart, read_value, read_values, reads, value_from_row, writes
from arena.server.store.owner_store import check_bot_limit, check_contact, insert_own_bot, insert_owner
from arena.server.store.secret_text import INVITATION_PREFIX, handle_of, hash_secret, is_secret_right, make_secret
from arena.server.store.tables import INVITATIONS, OWNERS, TOKENS
from arena.server.store.taken_names import is_owner, normalize_name, refuse_reserved_name, refuse_taken_name
from arena.server.store.token_rows import insert_token
from arena.typed_command import plain_command

MAX_TTL: Final = timedelta(days=365)


class InvitationStore(StorePart):
    @writes
    def create(self, connection: Connection, owner: str | None, bots: int, ttl: timedelta) -> str:
        """Make an invitation and return its code, which cannot be retrieved later.

        The invitation is for the owner named `owner`, who need not exist yet. If `owner` is None, it is for a new owner
        of any name. While the invitation is open, nobody else can take this owner's name or one that looks like it.
        Raises OptionError for an invalid name, number of bots or time to live (at most a year), and for a name that
        somebody else has.
        """
        plain = None if owner is None else normalize_name(owner, "owner")
        if plain is not None and not is_owner(connection, plain):
            refuse_reserved_name(connection, "owner", plain, plain, self._now())
            refuse_taken_name(connection, "owner", plain, None)
        return self._insert(connection, plain, bots, ttl)

    def _insert(self, connection: Connection, owner: str | None, bots: int, ttl: timedelta) -> str:
        if not timedelta(0) < ttl <= MAX_TTL:
            raise OptionError("ttl", str(ttl), f"expected more than 0 and at most {MAX_TTL.days} days")
        code, now = make_secret(INVITATION_PREFIX), self._now()
        row = {
            "handle": handle_of(code),
            "code_hash": hash_secret(code),
            "owner": owner,
            "bot_limit": check_bot_limit(bots),
            "created_at": now,
            "expires_at": now + ttl.total_seconds(),
        }
        connection.execute(insert(INVITATIONS), row)
        return code

    @writes
    def invite_all(
        self,
        connection: Connection,
        people: Mapping[str, Sequence[str]],
        bots: int,
        ttl: timedelta,
        faults: Sequence[OptionError] = (),
    ) -> Mapping[str, Sequence[str]]:
        """Add owners, and return codes for those of whom not everybody has joined, by owner: one for each who has not.

        `people` has the mails of each owner's people. They may create `bots` bots together, but each at least one.
        Codes that these owners had are revoked, so the call can be repeated when a code was lost, or for more people of
        an owner. Who has joined keeps everything. All or nothing: raises OptionsError with a fault for each owner whose
        name or contact is refused, or who is there with another contact, after the `faults` that were found before, and
        OptionError for a number of bots or time to live as `create` does.
        """
        found, codes = [*faults], dict[str, Sequence[str]]()
        check_bot_limit(bots)
        for name, mails in people.items():
            try:
                owner = _enrol(connection, name, mails, self._now())
            except OptionError as fault:
                why = fault.allowed if fault.field == "owner" else str(fault)
                found.append(OptionError("owner", name, why))
                continue
            if missing := range(_count_joined(connection, owner), len(mails)):
                open_ones = (INVITATIONS.c.owner == owner) & INVITATIONS.c.used_at.is_(None)
                revocation = update(INVITATIONS).where(open_ones, INVITATIONS.c.revoked_at.is_(None))
                connection.execute(revocation.values(revoked_at=self._now()))
                shares = [max(1, (bots + place) // len(mails)) for place in missing]
                codes[name] = [self._insert(connection, owner, share, ttl) for share in shares]
        if found:
            raise OptionsError(found)
        return codes

    @reads
    def list(self, connection: Connection, owner: str | None = None) -> Sequence[InvitationRow]:
        """Return all invitations, or those that an owner was given or has used, oldest first."""
        wanted = select(INVITATIONS).order_by(INVITATIONS.c.created_at, INVITATIONS.c.handle)
        if owner is not None:
            wanted = wanted.where(or_(INVITATIONS.c.owner == owner, INVITATIONS.c.used_by == owner))
        return read_values(connection, wanted, InvitationRow)

    @writes
    def revoke(self, connection: Connection, handle: str) -> bool:
        """Revoke an invitation; return whether it could still be redeemed. Raises UnknownNameError."""
        now = self._now()
        row = read_value(connection, select(INVITATIONS).where(INVITATIONS.c.handle == handle), InvitationRow)
        if row is None:
            raise UnknownNameError("invitation", handle)
        if not row.is_open(now):
            return False
        connection.execute(update(INVITATIONS).where(INVITATIONS.c.handle == handle).values(revoked_at=now))
        return True

    @writes
    def redeem(self, connection: Connection, code: str, owner: str, contact: str, bots: Sequence[str]) -> NewAccount:
        """Redeem an invitation: create the bots, a token for each bot, and a token for the owner.

        An owner who does not exist yet is created, too. An owner who was created after the invitation was made cannot
        redeem it, because this may not be the person who was invited.

        If `owner` is empty, the owner named in the invitation is used. If the call fails, nothing is changed and the
        code stays valid. Raises InvitationRefusedError, and OptionError for a bad owner, contact or bot.
        """
        now = self._now()
        invitation = _find_open(connection, code, now)
        name = _choose_owner(invitation, owner)
        if len(bots) > invitation.bot_limit:
            raise OptionError("bots", len(bots), f"this invitation allows {invitation.bot_limit}")
        if invitation.owner is not None and is_owner(connection, name):
            _refuse_newer_owner(connection, name, invitation)
            more = OWNERS.c.bot_limit + invitation.bot_limit
            connection.execute(update(OWNERS).where(OWNERS.c.name == name).values(bot_limit=more))
        else:
            insert_owner(connection, name, contact, invitation.bot_limit, now, invitation.owner)
        secret = insert_token(connection, name, [Scope.OWN], now, owner=name)
        made = [insert_own_bot(connection, name, bot, now) for bot in bots]
        used = {"used_at": now, "used_by": name}
        connection.execute(update(INVITATIONS).where(INVITATIONS.c.handle == invitation.handle).values(used))
        return NewAccount(name, secret, made)


def has_joined(connection: Connection, owner: str) -> bool:
    """Return whether an owner ever had a token."""
    return connection.scalar(select(TOKENS.c.handle).where(TOKENS.c.owner == owner).limit(1)) is not None


def _count_joined(connection: Connection, owner: str) -> int:
    """Return how many of an owner's people have joined: each has redeemed a code, or the only one has a token."""
    used = select(func.count()).select_from(INVITATIONS).where(INVITATIONS.c.used_by == owner)
    return max(connection.scalar(used) or 0, int(has_joined(connection, owner)))


def _enrol(connection: Connection, name: str, mails: Sequence[str], now: float) -> str:
    """Add an owner, who may create bots once an invitation is redeemed, and return the name.

    An owner who is there stays; people may be added.
    """
    plain, contact = normalize_name(name, "owner"), ", ".join(mails)
    known = connection.scalar(select(OWNERS.c.contact).where(OWNERS.c.name == plain))
    if known is None:
        insert_owner(connection, plain, contact, 1, now, plain)
        connection.execute(update(OWNERS).where(OWNERS.c.name == plain).values(bot_limit=0))
    elif not set(known.split(", ")) <= set(mails):
        raise OptionError(
            "owner",
            name,
            f"there is such an owner already, reached at {known or 'no address'}: choose another name, or change that"
            f" with `{plain_command('owner', 'contact')}`",
        )
    elif known != contact:
        connection.execute(update(OWNERS).where(OWNERS.c.name == plain).values(contact=check_contact(contact)))
    return plain


def _refuse_newer_owner(connection: Connection, name: str, invitation: InvitationRow) -> None:
    created_at = connection.scalar(select(OWNERS.c.created_at).where(OWNERS.c.name == name))
    if created_at is not None and created_at > invitation.created_at:
        raise OptionError("owner", name, "this owner was created after the invitation was made: ask for a new one")


def _find_open(connection: Connection, code: str, now: float) -> InvitationRow:
    """Return the invitation with this code. Raises InvitationRefusedError."""
    row = connection.execute(select(INVITATIONS).where(INVITATIONS.c.handle == handle_of(code))).one_or_none()
    is_right = is_secret_right(code, None if row is None else row.code_hash)
    found = None if row is None else value_from_row(row, InvitationRow)
    if found is None or not is_right or not found.is_open(now):
        raise InvitationRefusedError
    return found


def _choose_owner(invitation: InvitationRow, asked: str) -> str:
    """Return the name of the owner who redeems an invitation.

    Raises OptionError if the name is invalid, or if the invitation is for another owner.
    """
    if not asked and invitation.owner is not None:
        return invitation.owner
    name = normalize_name(asked, "owner")
    if invitation.owner is not None and name != invitation.owner:
        raise OptionError("owner", asked, f"this invitation is for {invitation.owner!r}")
    return name
