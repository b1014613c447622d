"""What is said about hunks in a review: yes and no, line by line, another text, a reason.

Imported with the first decision.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tui.app.cases import Proposed
from tui.app.screens.ask_name import AskNameScreen
from tui.app.screens.line_editor import RewordScreen
from tui.edit.choose import hunk_text
from tui.edit.difflines import LineKind
from tui.errors import RedlineError
from tui.review.decisions import Verdict
from tui.review.review import Review
from tui.text import counted, visible
from tui.workspace import explain

if TYPE_CHECKING:
    from tui.app.screens.review import ReviewScreen

Place = tuple[int, str | None]
"""A file of the review, and a hunk of it."""


class Deciding:
    """Speaks for the review screen, about the hunk under its cursor."""

    def __init__(self, screen: ReviewScreen) -> None:
        self._screen = screen
        self._just_decided: Place | None = None
        self._gone_on_to: Place | None = None

    @property
    def _review(self) -> Review:
        return self._screen.case.review

    @property
    def _hunk(self) -> str | None:
        return self._screen.diff_view.current

    # Yes and no

    def switch(self) -> None:
        """The hunk, or in it the line under the cursor."""
        if self._screen.diff_view.line is not None:
            self._switch_line(self._screen.diff_view.line)
        elif (hunk := self._hunk) is not None:
            accepted = self._review.verdict(self._screen.place, hunk) is Verdict.ACCEPTED
            self._decide(hunk, Verdict.REJECTED if accepted else Verdict.ACCEPTED)

    def decide(self, verdict: Verdict) -> None:
        """And on to the next; a reason that is given right then is still for this one."""
        if (hunk := self._hunk) is not None:
            self._just_decided = self._screen.place, hunk
            self._screen.diff_view.leave_lines()
            self._decide(hunk, verdict)
            self._screen.action_next_hunk(1)
            self._gone_on_to = self._screen.place, self._hunk

    def _decide(self, hunk: str, verdict: Verdict) -> None:
        place = self._screen.place
        try:
            self._review.decide_hunk(place, hunk, verdict)
        except (RedlineError, OSError) as error:
            self._screen.complain(error if isinstance(error, RedlineError) else explain(error, ""))
        self._screen.decided()

    def switch_file(self) -> None:
        if self._review.files:
            place = self._screen.place
            accepted = self._review.files[place].verdict is Verdict.ACCEPTED
            self._review.decide_file(place, Verdict.REJECTED if accepted else Verdict.ACCEPTED)
            self._screen.decided()

    def decide_all(self, verdict: Verdict) -> None:
        left = self._review.decide_all(verdict)
        self._screen.decided()
        if left:
            files = counted(left, "file")
            self._screen.say(f"{files} marked ! had no look yet and stay undecided: go there, then decide")

    def decide_alike(self) -> None:
        """What was said about this hunk, about all that do the same."""
        hunk, place = self._hunk, self._screen.place
        if hunk is None:
            return
        verdict = self._review.verdict(place, hunk)
        if verdict is Verdict.UNDECIDED:
            self._screen.say("decide this hunk first; i then says the same of all that are alike")
            return

        def told(alike: int) -> None:
            self._screen.decided()
            self._screen.say(f"{counted(alike, 'more hunk')} alike {verdict}")

        def work() -> None:
            alike = self._review.alike(place, hunk)
            for other, name in alike:
                self._review.decide_hunk(other, name, verdict)
            self._screen.app.call_from_thread(told, len(alike))

        self._behind(work)

    # Line by line

    def switch_lines(self) -> None:
        """Into the hunk, where space takes single lines; and out again."""
        view = self._screen.diff_view
        if view.line is not None:
            view.leave_lines()
            self._screen.say("")
        elif view.enter_lines():
            self._screen.say("space takes a line or leaves it · j and k move · x is done")

    def _switch_line(self, line: int) -> None:
        view = self._screen.diff_view
        hunk = view.current_hunk
        if hunk is None:
            return
        said = self._review.decision(self._screen.place, hunk.id)
        changed = {place for place, each in enumerate(hunk.lines) if each.kind is not LineKind.CONTEXT}
        before = changed if said.lines is None else set(said.lines)
        taken = (before if said.verdict is Verdict.ACCEPTED else set()) ^ {line}
        if taken == changed:
            self._decide(hunk.id, Verdict.ACCEPTED)
        else:
            self._review.decide_lines(self._screen.place, hunk.id, taken)
            self._screen.decided()
        view.move_line(1)

    # In other words, and why

    def reword(self) -> None:
        """The text of the hunk as one would rather have it; it is accepted with that."""
        hunk, place = self._screen.diff_view.current_hunk, self._screen.place
        if hunk is None:
            return
        text = hunk_text(hunk)
        if not RewordScreen.can_edit(text):
            self._screen.say("control characters in these lines: they cannot be edited here")
            return

        def reworded(new: str | None) -> None:
            if new is not None:
                self._review.reword(place, hunk.id, new)
                self._screen.decided()
                self._screen.look_again()

        path = self._review.files[place].edit.path
        title = f"{visible(path)} {hunk.header}: what it becomes"
        self._screen.app.push_screen(RewordScreen(title, text.removesuffix("\n")), reworded)

    def ask_reason(self, *, for_all: bool) -> None:
        if for_all:
            ask = AskNameScreen("A reason for the whole proposal, told to the agent", self._review.reason)
            self._screen.app.push_screen(ask, self._reason_for_all)
            return
        place, hunk = self._to_be_explained()
        if hunk is None:
            return

        def given(reason: str | None) -> None:
            if reason is not None:
                self._review.give_reason(place, hunk, reason)
                self._screen.decided()

        said = self._review.decision(place, hunk)
        path = visible(self._review.files[place].edit.path)
        question = f"Why is this hunk of {path} {said.word}? The agent is told."
        self._screen.app.push_screen(AskNameScreen(question, said.reason), given)

    def _to_be_explained(self) -> Place:
        here = self._screen.place, self._hunk
        if self._just_decided is not None and here == self._gone_on_to:
            return self._just_decided
        return here

    def _reason_for_all(self, reason: str | None) -> None:
        if reason is not None:
            self._review.give_reason_for_all(reason)
            self._screen.decided()
            self._screen.say(f"for all of it: {visible(reason)}")

    # On to the files as they are now

    def rebase(self) -> None:
        case = self._screen.case
        if not isinstance(case, Proposed):
            return

        def told(rebased: Proposed | None) -> None:
            if rebased is None:
                self._screen.notify("all of it is there already: the proposal is settled", title="Rebased")
                self._screen.dismiss(None)
            else:
                self._screen.show(rebased, "")
                self._screen.notify("look at it again: nothing is decided", title="Rebased")

        def work() -> None:
            self._screen.app.call_from_thread(told, case.rebased())

        self._behind(work)

    def _behind(self, work: Callable[[], None]) -> None:
        """In a thread: it may take a while with many files."""

        def do() -> None:
            try:
                work()
            except (RedlineError, OSError) as error:
                told = error if isinstance(error, RedlineError) else explain(error, "")
                self._screen.app.call_from_thread(self._screen.complain, told)

        self._screen.run_worker(do, group="deciding", thread=True, exclusive=True, exit_on_error=False)
