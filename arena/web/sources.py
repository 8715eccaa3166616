"""Where the pages get what they show. Everything here is passed in, so that a test can pass something else."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.games.pack import FigureColumn
from arena.match.game import Game
from arena.replays.library.library import Library
from arena.replays.library.match_places import MatchPlaces
from arena.replays.narration.phrasing import Phrasing
from arena.replays.watch.game_drawing import WatchedGameFinder
from arena.server.intake.intake import Intake
from arena.server.intake.own_submissions import OwnSubmissions
from arena.server.node.rate_limits import TokenBuckets
from arena.server.store.open_store import Store
from arena.web.limits import UploadSlots, WebLimits
from arena.web.live.live_tables import LiveTables
from arena.web.notable import NotableGames
from arena.web.pool_standings import PoolStandings
from arena.web.site import Site
from arena.web.workshop import Workshop


@dataclass(frozen=True, slots=True)
class Sources:
    """What the pages read. Another source is another field, which `arena web` fills in."""

    store: Store
    games: Mapping[str, Game]
    phrasing_of: Callable[[Game], Phrasing]
    watched_game_of: WatchedGameFinder
    columns_of: Callable[[str], Sequence[FigureColumn]]
    """Returns the figures that only one game has. Raises UnknownNameError for an unknown game."""
    is_running: Callable[[], bool]
    """Returns whether a server uses the data folder."""
    idle_house_bots: Callable[[], Sequence[str]]
    """Returns the house bots that the server cannot keep running."""
    replays: Workshop
    """Makes replays, each in a moment."""
    reports: Workshop
    """Makes reports of leagues, which may take long."""
    tables: LiveTables
    """Follows the matches that somebody looks at while they run."""
    places: MatchPlaces
    """Where the records of matches are; used by the thread of `replays` only."""
    site: Site
    """What the site says about itself."""
    notable: NotableGames
    """Finds games worth showing."""
    standings: PoolStandings
    """Keeps the standings of pools."""
    clock: Callable[[], float]
    """Returns seconds since 1970."""
    monotonic: Callable[[], float]
    """Returns seconds since any fixed instant, never fewer than before."""
    limits: WebLimits
    login_attempts: TokenBuckets
    """Counts the attempts to log in, by address."""
    own_submissions: OwnSubmissions
    find_intake: Callable[[], Intake | None]
    """Returns what takes in packages for the server that uses the data folder; None if no server takes any."""
    uploads: UploadSlots
    """Counts the archives that arrive now."""
    public_url: str
    """The address of the site as readers have it, without a slash at its end; empty if only this machine reads it."""

    @property
    def folder(self) -> Path:
        return self.store.folder

    @property
    def library(self) -> Library:
        """The recorded matches. Their records are read in the thread of `replays` only."""
        return Library(self.folder, self.store, self.games, self.places)
