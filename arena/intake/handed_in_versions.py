"""What a server has to know of the versions that were handed in, so that nobody else plays as one of them."""

from arena.store.submission_reader import SubmissionReader
from arena.store.token_store import TokenStore


class HandedInVersions:
    """Implements `arena.rpc.submission_ports.VersionsPort`."""

    def __init__(self, reader: SubmissionReader, tokens: TokenStore) -> None:
        self._reader = reader
        self._tokens = tokens

    async def has_version(self, bot: str, version: str) -> bool:
        """Return whether a version of a bot was handed in, and may play or has played."""
        return await self._reader.has_version(bot, version)

    async def end_token(self, handle: str) -> None:
        """Revoke the token of a version that has no game left. Raises UnknownNameError."""
        await self._tokens.revoke(handle)
