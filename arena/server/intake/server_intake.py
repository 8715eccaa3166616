"""Opens the intake of a server: in the server itself, or in another process, which then takes in packages for it."""

from arena.bots.submissions.submission_settings import IntakeOffer
from arena.plain_data import from_plain
from arena.server.intake.intake import Intake
from arena.server.intake.own_submissions import OwnSubmissions
from arena.server.intake.package_files import open_packages
from arena.server.store.data_folder import submissions_of_holder
from arena.server.store.open_store import Store


def open_intake(store: Store, offer: IntakeOffer) -> Intake:
    return Intake(
        open_packages(store.folder),
        store.submissions_folder / "uploads",
        offer.settings,
        store.submissions,
        store.uploads,
        offer.pools,
    )


def open_own_submissions(store: Store) -> OwnSubmissions:
    return OwnSubmissions(store.submissions, store.owners, open_packages(store.folder))


class ServerIntake:
    """The intake of the server that uses a data folder, whichever it is now, in another process than that server."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._told: object = None
        self._intake: Intake | None = None

    def find(self) -> Intake | None:
        """Return the intake by the server's present rules; None if there is no server, or if it takes no submissions.

        As long as the rules stay the same, it is the same object, because it knows which uploads are under way.
        """
        told = submissions_of_holder(self._store.folder)
        if told != self._told:
            self._told, self._intake = told, self._open(told)
        return self._intake

    def _open(self, told: object) -> Intake | None:
        try:
            return open_intake(self._store, from_plain(told, IntakeOffer))
        except ValueError:  # there is no offer, or another version of the arena has written it
            return None
