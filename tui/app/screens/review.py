"""The review: a plan as a diff, file by file and hunk by hunk, before anything is written.

The plan may still be in the making when the screen opens: files come in as they are planned, and
diffs are made when they are looked at. Nothing is written but by `w` and a counted question
answered with y.
"""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Footer
from textual.worker import get_current_worker

from tui.app.actions import REVIEW, bindings
from tui.app.cases import Case, ConflictError, Written
from tui.app.screens.confirm import ConfirmScreen
from tui.app.styles import style
from tui.app.widgets.diff_view import DiffView, HunkColours, colours_of
from tui.app.widgets.file_rows import FileRows
from tui.app.widgets.two_ends import TwoEnds
from tui.app.widgets.words import Words
from tui.edit.apply import Progress
from tui.edit.diff import FileDiff
from tui.edit.plan import StaleError
from tui.edit.replace_all import PlannedFile
from tui.edit.staging import RefusedError
from tui.errors import RedlineError
from tui.review.decisions import Decision, Verdict
from tui.review.review import Review
from tui.search.skipped import Skipped
from tui.text import counted, number
from tui.workspace import explain

if TYPE_CHECKING:
    from tui.app.screens.deciding import Deciding

_BATCH_SECONDS = 0.05
_DECIDING = (
    "switch_hunk",
    "decide_hunk",
    "switch_file",
    "decide_all",
    "lines",
    "reword",
    "reason",
    "alike",
    "rebase",
)
_FOR_PROPOSALS = ("reason", "alike", "rebase")


class ReviewScreen(ModalScreen[Written | None]):
    """Dismissed with what was written, or with nothing."""

    CSS_PATH = style("review")
    ACTIONS = (REVIEW,)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(*ACTIONS)]

    class FilesPlanned(Message):
        """Some files more, or why they are not in the plan; `complete` with the last."""

        def __init__(
            self,
            files: list[PlannedFile],
            skipped: list[Skipped],
            *,
            complete: bool,
            problem: RedlineError | None = None,
        ) -> None:
            super().__init__()
            self.files = files
            self.skipped = skipped
            self.complete = complete
            self.problem = problem

    class DiffMade(Message):
        """The diff of the file at that place, or why there is none; the cursor goes to the hunk."""

        def __init__(
            self, place: int, made: tuple[FileDiff, HunkColours] | RedlineError, hunk: int = 0
        ) -> None:
            super().__init__()
            self.place = place
            self.made = made
            self.hunk = hunk

    class Progressed(Message, namespace="review"):
        """How far the writing has come."""

        def __init__(self, progress: Progress) -> None:
            super().__init__()
            self.progress = progress

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, ReviewScreen.Progressed)

    class Finished(Message):
        """The writing has ended, well or not."""

        def __init__(self, result: Written | RedlineError) -> None:
            super().__init__()
            self.result = result

    def __init__(self, case: Case) -> None:
        super().__init__()
        self.case = case
        self.is_planning = True
        self.diff_view = DiffView(id="diff")
        self._files = FileRows(case.review, id="files")
        self._heading = TwoEnds(case.review.title, id="heading")
        self._about = Words(case.about, id="about")
        self._said = Words(id="said")
        self._looked = False
        self._writing = False
        self._skipped: list[Skipped] = []

    def compose(self) -> ComposeResult:
        with Vertical(id="review"):
            yield self._heading
            yield self._about
            with Horizontal(id="panes"):
                yield self._files
                yield self.diff_view
            yield self._said
            yield Footer(compact=True, show_command_palette=False)

    @property
    def _review(self) -> Review:
        return self.case.review

    # The plan comes in

    def on_mount(self) -> None:
        self.set_focus(self.diff_view)
        self._begin()

    def show(self, case: Case, said: str) -> None:
        """Another case in place of this one, such as the proposal rebased."""
        self.case = case
        self._looked = False
        self._files.show(case.review)
        self._begin(said)

    def _begin(self, said: str = "planning …") -> None:
        self.is_planning = True
        self._files.at_fault = ()
        self._heading.say(self._review.title)
        self._about.say(self.case.about)
        self._about.display = bool(self.case.about)
        self.say(said)
        self._show_totals()
        self.run_worker(self._plan, group="plan", thread=True, exit_on_error=False)

    def _plan(self) -> None:
        worker = get_current_worker()
        files: list[PlannedFile] = []
        skipped: list[Skipped] = []
        told = time.monotonic()
        for planned in self.case.source:
            if worker.is_cancelled:
                return
            if isinstance(planned, Skipped):
                skipped.append(planned)
            else:
                files.append(planned)
            if time.monotonic() - told > _BATCH_SECONDS:
                self.post_message(self.FilesPlanned(files, skipped, complete=False))
                files, skipped, told = [], [], time.monotonic()
        self.post_message(self.FilesPlanned(files, skipped, complete=True, problem=self._problem()))

    def _problem(self) -> RedlineError | None:
        """Why it could not be written as things are."""
        try:
            self.case.check()
        except RedlineError as error:
            return error
        except OSError as error:
            return explain(error, "")
        return None

    @on(FilesPlanned)
    def _files_planned(self, message: FilesPlanned) -> None:
        for planned in message.files:
            self._review.add(planned.edit, planned.replacements)
        self._skipped += message.skipped
        self.is_planning = not message.complete
        self._files.renew()
        self._show_totals()
        if message.complete:
            self.say(self._left_out())
        if self._review.files and not self._looked:
            self._looked = True
            self.look_at(0)
        elif message.complete and not self._review.files:
            self.say("nothing would change")
        if message.problem is not None:
            self.complain(message.problem)

    def _left_out(self) -> str:
        if not self._skipped:
            return ""
        first = self._skipped[0]
        why = f"{first.reason} ({first.detail})" if first.detail else str(first.reason)
        return f"{counted(len(self._skipped), 'file')} left out: {first.path}: {why}" + (
            " …" if len(self._skipped) > 1 else ""
        )

    # Looking

    def look_at(self, place: int, hunk: int = 0) -> None:
        if self._review.files:
            self._files.move_to(place, tell=False)
            place = self._files.cursor
            work = lambda: self._make_diff(place, hunk)  # noqa: E731
            self.run_worker(work, group="diff", thread=True, exclusive=True, exit_on_error=False)

    def look_again(self) -> None:
        """At the same hunk, which became another."""
        self.look_at(self._files.cursor, self.diff_view.hunk)

    def _make_diff(self, place: int, hunk: int) -> None:
        path = self._review.files[place].edit.path
        try:
            diff = self._review.diff(place)
            self.post_message(self.DiffMade(place, (diff, colours_of(diff)), hunk))
        except RedlineError as error:
            self.post_message(self.DiffMade(place, error))
        except OSError as error:
            self.post_message(self.DiffMade(place, explain(error, path)))

    @on(DiffMade)
    def _diff_made(self, message: DiffMade) -> None:
        if message.place != self._files.cursor:
            return
        if isinstance(message.made, RedlineError):
            self.diff_view.show(None, self._decision, {})
            self.complain(message.made)
            return
        diff, colours = message.made
        warning = self._review.files[message.place].delicate
        self.diff_view.show(diff, self._decision, colours, warning, message.hunk)
        self._see()

    def _decision(self, hunk: str) -> Decision:
        return self._review.decision(self._files.cursor, hunk)

    def _see(self) -> None:
        """The hunk under the cursor is under someone's eyes."""
        if (hunk := self.diff_view.current) is not None:
            self._review.look(self._files.cursor, hunk)

    @on(FileRows.Moved)
    def _another_file(self, message: FileRows.Moved) -> None:
        self.look_at(message.row)

    @on(DiffView.HunkClicked)
    def _hunk_clicked(self, message: DiffView.HunkClicked) -> None:
        self.diff_view.move_to(message.hunk)
        self._see()

    def action_next_hunk(self, step: int) -> None:
        """Past the last hunk of a file comes the next file."""
        diff = self.diff_view
        if diff.line is not None:
            diff.move_line(step)
            return
        before = diff.hunk
        diff.move_to(before + step)
        self._see()
        if diff.hunk == before and self._files.cursor + step in range(len(self._review.files)):
            self.look_at(self._files.cursor + step)

    def action_next_file(self, step: int) -> None:
        self.look_at(self._files.cursor + step)

    def action_turn(self) -> None:
        self.diff_view.turn(side_by_side=not self.diff_view.side_by_side)

    # Deciding

    @cached_property
    def _deciding(self) -> Deciding:
        from tui.app.screens.deciding import Deciding

        return Deciding(self)

    @property
    def place(self) -> int:
        """The file that is looked at."""
        return self._files.cursor

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in _FOR_PROPOSALS and not self.case.proposed:
            return False
        return not (action in _DECIDING and self.case.whole)

    def action_switch_hunk(self) -> None:
        self._deciding.switch()

    def action_decide_hunk(self, verdict: str) -> None:
        self._deciding.decide(Verdict(verdict))

    def action_switch_file(self) -> None:
        self._deciding.switch_file()

    def action_decide_all(self, verdict: str) -> None:
        self._deciding.decide_all(Verdict(verdict))

    def action_lines(self) -> None:
        self._deciding.switch_lines()

    def action_reword(self) -> None:
        self._deciding.reword()

    def action_reason(self, about: str) -> None:
        self._deciding.ask_reason(for_all=about == "all")

    def action_alike(self) -> None:
        self._deciding.decide_alike()

    def action_rebase(self) -> None:
        self._deciding.rebase()

    def decided(self) -> None:
        """Something was decided: it is to be seen, and to be kept."""
        self._files.renew()
        self.diff_view.renew()
        self._show_totals()
        self.run_worker(self._keep, group="keep", thread=True, exit_on_error=False)

    def _keep(self) -> None:
        try:
            self.case.keep()
        except RedlineError as error:
            self.post_message(self.Finished(error))

    def _show_totals(self) -> None:
        totals = self._review.totals()
        unit = "hunk" if self.case.proposed else "edit"
        edits = f"{number(totals.edits)} of {counted(totals.all_edits, unit)}"
        files = f"{number(totals.files)} of {counted(totals.all_files, 'file')}"
        left = f" · {number(totals.undecided)} undecided" if totals.undecided else ""
        self._heading.say(right=f"{edits} · {files}{left}")

    # Writing

    def action_write(self) -> None:
        if self._writing:
            return
        question = self.case.question(self._review.totals())
        if self.is_planning:
            self.say("the plan is still being made; wait for it to be complete")
        elif isinstance(question, str):
            self.say(question)
        else:
            self.app.push_screen(ConfirmScreen(question.words, question.detail), self._confirmed)

    def _confirmed(self, yes: bool | None) -> None:
        if yes:
            self.write_accepted()

    def write_accepted(self) -> None:
        """What the confirmed question leads to."""
        if not self._writing:
            self._writing = True
            self.say("checking …")
            self.run_worker(self._write, group="write", thread=True, exit_on_error=False)

    def _write(self) -> None:
        worker = get_current_worker()
        told = 0.0

        def progress(step: Progress) -> None:
            nonlocal told
            if time.monotonic() - told > _BATCH_SECONDS:
                told = time.monotonic()
                self.post_message(self.Progressed(step))

        try:
            written = self.case.write(progress, lambda: worker.is_cancelled)
            self.post_message(self.Finished(written))
        except RedlineError as error:
            self.post_message(self.Finished(error))
        except OSError as error:
            self.post_message(self.Finished(explain(error, "")))

    @on(Progressed)
    def _progressed(self, message: Progressed) -> None:
        if self._writing:
            step, done, total = message.progress
            told = f"{step} {number(done)} of {counted(total, 'file')} · esc stops it"
            self.say(told, same_size=True)

    @on(Finished)
    def _finished(self, message: Finished) -> None:
        self._writing = False
        if isinstance(message.result, RedlineError):
            self.complain(message.result)
        else:
            self.dismiss(message.result)

    def complain(self, error: RedlineError) -> None:
        said = f"{error.message}; {error.hint}" if error.hint else error.message
        if isinstance(error, StaleError | RefusedError | ConflictError):
            self._files.at_fault = {path for path, _ in error.paths}
            rebase = (
                "b rebases the proposal; " if self.case.proposed and isinstance(error, StaleError) else ""
            )
            said = f"{error.message}\n{rebase}D drops these files; esc leaves without writing"
        self._files.renew()
        self.say(said, error=True)

    def action_drop_stale(self) -> None:
        if self._files.at_fault:
            self._review.drop(self._files.at_fault)
            self._files.at_fault = ()
            self.decided()
            self.say("")
            self.diff_view.show(None, self._decision, {})
            self.look_at(self._files.cursor)

    def action_leave(self) -> None:
        if self._writing:
            self.workers.cancel_group(self, "write")
        elif self.diff_view.line is not None:
            self._deciding.switch_lines()
        else:
            self.workers.cancel_node(self)
            self.dismiss(None)

    def say(self, text: str, *, error: bool = False, same_size: bool = False) -> None:
        self._said.set_class(error, "error")
        self._said.display = bool(text)
        self._said.say(text, same_size=same_size)
