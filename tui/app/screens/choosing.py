"""Which matches a replacement takes: switched one by one, file by file, or all at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tui.app.places import Hit, Places
from tui.app.searching import names_in

if TYPE_CHECKING:
    from tui.app.screens.main import MainScreen

_SMALL = 500_000


class Choosing:
    """Speaks for the main screen. A match is left out by its name, and to name those of a file it is
    read: a large one in a thread."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen
        self._content = screen.content
        self._choice = screen.choice

    def switch_hit(self) -> None:
        if (hit := self._content.current) is not None:
            self._named(hit, lambda: self._switch(hit))

    def switch_file(self) -> None:
        if (hit := self._content.current) is not None:
            self._choice.switch_file(self._content.path(hit.file))
            self._screen.chosen_anew()

    def switch_all(self) -> None:
        if self._choice:
            self._choice.take_all()
        else:
            self._choice.leave_files(self._content.results.paths())
        self._screen.chosen_anew()

    def drop(self) -> None:
        """Leave out what the cursor is on, and go on."""
        if (hit := self._content.current) is not None:
            self._named(hit, lambda: self._switch(hit) if self._content.takes(hit) else None)
        self._content.next_hit(1)

    def _switch(self, hit: Hit) -> None:
        self._content.switch_hit(hit)
        self._screen.chosen_anew()

    def _named(self, hit: Hit, then: Callable[[], None]) -> None:
        places = self._content.places
        if hit.number is None or self._content.knows(hit.file):
            then()
        elif places.results.size(hit.file) < _SMALL:
            self._name(places, hit.file)
            then()
        else:
            self._screen.run_worker(
                lambda: self._name_behind(places, hit.file, then), group="names", thread=True
            )

    def _name(self, places: Places, file: int) -> None:
        self._content.add_names(places.results, places.path(file), names_in(places, file))

    def _name_behind(self, places: Places, file: int, then: Callable[[], None]) -> None:
        names = names_in(places, file)

        def known() -> None:
            if places.results is self._content.results:
                self._content.add_names(places.results, places.path(file), names)
                then()

        self._screen.app.call_from_thread(known)
