"""The review: a plan as a diff, file by file and hunk by hunk, before anything is written.

The plan may still be in the making when the screen opens: files come in as they are planned, and
diffs are made when they are looked at. Nothing is written but by `w` and a counted question
answered with y.
"""

from __future__ import annotations

import time
from typing import ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Footer
from textual.worker import get_current_worker

from tui.app.actions import REVIEW, bindings
from tui.app.changes import Source
from tui.app.screens.confirm import ConfirmScreen
from tui.app.styles import style
from tui.app.widgets.diff_view import Colours, DiffView, colours_of
from tui.app.widgets.file_rows import FileRows
from tui.app.widgets.words import Words
from tui.config import History
from tui.edit.apply import Outcome, Progress, apply
from tui.edit.diff import FileDiff
from tui.edit.journal import Retention
from tui.edit.plan import StaleError
from tui.edit.replace_all import PlannedFile
from tui.edit.staging import RefusedError
from tui.errors import RedlineError
from tui.review.decisions import Verdict
from tui.review.review import Review, Totals
from tui.search.skipped import Skipped
from tui.text import counted, number
from tui.workspace import Workspace, explain

_BATCH_SECONDS = 0.05


class Written(NamedTuple):
    """What a review ended with: the batch, and what is in it."""

    outcome: Outcome
    totals: Totals
    undo: bool = False


class ReviewScreen(ModalScreen[Written | None]):
    """Dismissed with what was written, or with nothing."""

    CSS_PATH = style("review")
    ACTIONS = (REVIEW,)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(*ACTIONS)]

    class FilesPlanned(Message):
        """Some files more, or why they are not in the plan; `complete` with the last."""

        def __init__(self, files: list[PlannedFile], skipped: list[Skipped], *, complete: bool) -> None:
            super().__init__()
            self.files = files
            self.skipped = skipped
            self.complete = complete

    class DiffMade(Message):
        """The diff of the file at that place, or why there is none."""

        def __init__(self, place: int, made: tuple[FileDiff, Colours] | RedlineError) -> None:
            super().__init__()
            self.place = place
            self.made = made

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

    def __init__(
        self,
        workspace: Workspace,
        review: Review,
        source: Source = (),
        *,
        who: str = "person",
        history: History | None = None,
        undoes: int | None = None,
        whole: bool = False,
    ) -> None:
        """`whole`: it is taken or left as a whole, as an undo is."""
        super().__init__()
        self._workspace = workspace
        self._review = review
        self._source = source
        self._who = who
        self._history = history or History()
        self._undoes = undoes
        self._whole = whole
        self.is_planning = True
        self._writing = False
        self._skipped: list[Skipped] = []

    def compose(self) -> ComposeResult:
        with Vertical(id="review"):
            with Horizontal(id="heading"):
                yield Words(self._review.title, id="title")
                yield Words("", id="totals")
            with Horizontal(id="panes"):
                yield FileRows(self._review, id="files")
                yield DiffView(id="diff")
            yield Words("", id="said")
            yield Footer(compact=True, show_command_palette=False)

    @property
    def _files(self) -> FileRows:
        return self.query_one(FileRows)

    @property
    def _diff(self) -> DiffView:
        return self.query_one(DiffView)

    # The plan comes in

    def on_mount(self) -> None:
        self._diff.focus()
        self._say("planning …")
        self._show_totals()
        self.run_worker(self._plan, group="plan", thread=True, exit_on_error=False)

    def _plan(self) -> None:
        worker = get_current_worker()
        files: list[PlannedFile] = []
        skipped: list[Skipped] = []
        told = time.monotonic()
        for planned in self._source:
            if worker.is_cancelled:
                return
            if isinstance(planned, Skipped):
                skipped.append(planned)
            else:
                files.append(planned)
            if time.monotonic() - told > _BATCH_SECONDS:
                self.post_message(self.FilesPlanned(files, skipped, complete=False))
                files, skipped, told = [], [], time.monotonic()
        self.post_message(self.FilesPlanned(files, skipped, complete=True))

    @on(FilesPlanned)
    def _files_planned(self, message: FilesPlanned) -> None:
        first = not self._review.files
        for planned in message.files:
            self._review.add(planned.edit, planned.replacements)
        self._skipped += message.skipped
        self.is_planning = not message.complete
        self._files.renew()
        self._show_totals()
        if message.complete:
            self._say(self._left_out())
        if first and self._review.files:
            self._look_at(0)
        elif message.complete and not self._review.files:
            self._say("nothing would change")

    def _left_out(self) -> str:
        if not self._skipped:
            return ""
        first = self._skipped[0]
        why = f"{first.reason} ({first.detail})" if first.detail else str(first.reason)
        return f"{counted(len(self._skipped), 'file')} left out: {first.path}: {why}" + (
            " …" if len(self._skipped) > 1 else ""
        )

    # Looking

    def _look_at(self, place: int) -> None:
        if self._review.files:
            self._files.move_to(place, tell=False)
            place = self._files.cursor
            work = lambda: self._make_diff(place)  # noqa: E731
            self.run_worker(work, group="diff", thread=True, exclusive=True, exit_on_error=False)

    def _make_diff(self, place: int) -> None:
        path = self._review.files[place].edit.path
        try:
            diff = self._review.diff(place)
            self.post_message(self.DiffMade(place, (diff, colours_of(diff))))
        except RedlineError as error:
            self.post_message(self.DiffMade(place, error))
        except OSError as error:
            self.post_message(self.DiffMade(place, explain(error, path)))

    @on(DiffMade)
    def _diff_made(self, message: DiffMade) -> None:
        if message.place != self._files.cursor:
            return
        if isinstance(message.made, RedlineError):
            self._diff.show(None, self._verdict, {})
            self._complain(message.made)
        else:
            self._diff.show(message.made[0], self._verdict, message.made[1])

    def _verdict(self, hunk: str) -> Verdict:
        return self._review.verdict(self._files.cursor, hunk)

    @on(FileRows.Moved)
    def _another_file(self, message: FileRows.Moved) -> None:
        self._look_at(message.row)

    @on(DiffView.HunkClicked)
    def _hunk_clicked(self, message: DiffView.HunkClicked) -> None:
        self._diff.move_to(message.hunk)

    def action_next_hunk(self, step: int) -> None:
        """Past the last hunk of a file comes the next file."""
        diff = self._diff
        before = diff.hunk
        diff.move_to(before + step)
        if diff.hunk == before and self._files.cursor + step in range(len(self._review.files)):
            self._look_at(self._files.cursor + step)

    def action_next_file(self, step: int) -> None:
        self._look_at(self._files.cursor + step)

    def action_turn(self) -> None:
        self._diff.turn(side_by_side=not self._diff.side_by_side)

    # Deciding

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        deciding = action in ("switch_hunk", "decide_hunk", "switch_file", "decide_all")
        return not (deciding and self._whole)

    def action_switch_hunk(self) -> None:
        hunk = self._diff.current
        if hunk is not None:
            accepted = self._verdict(hunk) is Verdict.ACCEPTED
            self._decide(hunk, Verdict.REJECTED if accepted else Verdict.ACCEPTED)

    def action_decide_hunk(self, verdict: str) -> None:
        if (hunk := self._diff.current) is not None:
            self._decide(hunk, Verdict(verdict))
            self.action_next_hunk(1)

    def _decide(self, hunk: str, verdict: Verdict) -> None:
        try:
            self._review.decide_hunk(self._files.cursor, hunk, verdict)
        except (RedlineError, OSError) as error:
            self._complain(error if isinstance(error, RedlineError) else explain(error, ""))
        self._decided()

    def action_switch_file(self) -> None:
        if self._review.files:
            place = self._files.cursor
            accepted = self._review.files[place].verdict is Verdict.ACCEPTED
            self._review.decide_file(place, Verdict.REJECTED if accepted else Verdict.ACCEPTED)
            self._decided()

    def action_decide_all(self, verdict: str) -> None:
        self._review.decide_all(Verdict(verdict))
        self._decided()

    def _decided(self) -> None:
        self._files.renew()
        self._diff.renew()
        self._show_totals()

    def _show_totals(self) -> None:
        totals = self._review.totals()
        edits = f"{number(totals.edits)} of {counted(totals.all_edits, 'edit')}"
        files = f"{number(totals.files)} of {counted(totals.all_files, 'file')}"
        left = f" · {number(totals.undecided)} undecided" if totals.undecided else ""
        self.query_one("#totals", Words).say(f"{edits} · {files}{left}")

    # Writing

    def action_write(self) -> None:
        totals = self._review.totals()
        if self._writing:
            return
        if self.is_planning:
            self._say("the plan is still being made; wait for it to be complete")
        elif not totals.edits:
            self._say("nothing is accepted, so there is nothing to write")
        else:
            what = f"{counted(totals.edits, 'edit')} in {counted(totals.files, 'file')}"
            question = f"{'Apply' if self._undoes is None else 'Undo'} {what}?"
            left = counted(totals.undecided, "hunk") + " undecided: not written" if totals.undecided else ""
            self.app.push_screen(ConfirmScreen(question, left), self._confirmed)

    def _confirmed(self, yes: bool | None) -> None:
        if yes:
            self.write_accepted()

    def write_accepted(self) -> None:
        """What the confirmed question leads to."""
        if not self._writing:
            self._writing = True
            self._say("checking …")
            self.run_worker(self._write, group="write", thread=True, exit_on_error=False)

    def _write(self) -> None:
        worker = get_current_worker()
        totals = self._review.totals()
        told = 0.0

        def progress(step: Progress) -> None:
            nonlocal told
            if time.monotonic() - told > _BATCH_SECONDS:
                told = time.monotonic()
                self.post_message(self.Progressed(step))

        try:
            outcome = apply(
                self._workspace,
                self._review.accepted(),
                who=self._who,
                progress=progress,
                cancelled=lambda: worker.is_cancelled,
                retention=Retention(self._history.batches, self._history.megabytes << 20),
                undoes=self._undoes,
            )
            self.post_message(self.Finished(Written(outcome, totals, self._undoes is not None)))
        except RedlineError as error:
            self.post_message(self.Finished(error))
        except OSError as error:
            self.post_message(self.Finished(explain(error, "")))

    @on(Progressed)
    def _progressed(self, message: Progressed) -> None:
        if self._writing:
            step, done, total = message.progress
            self._say(f"{step} {number(done)} of {counted(total, 'file')} · esc stops it")

    @on(Finished)
    def _finished(self, message: Finished) -> None:
        self._writing = False
        if isinstance(message.result, RedlineError):
            self._complain(message.result)
        else:
            self.dismiss(message.result)

    def _complain(self, error: RedlineError) -> None:
        said = f"{error.message}; {error.hint}" if error.hint else error.message
        if isinstance(error, StaleError | RefusedError):
            self._files.at_fault = {path for path, _ in error.paths}
            said = f"{error.message}\nD drops these files; esc leaves without writing"
        self._files.renew()
        self._say(said, error=True)

    def action_drop_stale(self) -> None:
        if self._files.at_fault:
            self._review.drop(self._files.at_fault)
            self._files.at_fault = ()
            self._decided()
            self._say("")
            self._diff.show(None, self._verdict, {})
            self._look_at(self._files.cursor)

    def action_leave(self) -> None:
        if self._writing:
            self.workers.cancel_group(self, "write")
        else:
            self.workers.cancel_node(self)
            self.dismiss(None)

    def _say(self, text: str, *, error: bool = False) -> None:
        said = self.query_one("#said", Words)
        said.set_class(error, "error")
        said.display = bool(text)
        said.say(text)
