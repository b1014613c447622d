"""The main screen: query bar, what is found, and the file it is found in."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import msgspec
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer

from tui.app import status
from tui.app.actions import PREVIEW, RESULTS, SEARCH, bindings
from tui.app.asked import Asked
from tui.app.choice import Choice
from tui.app.document import Document, size
from tui.app.styles import style
from tui.app.widgets.content_list import ContentList
from tui.app.widgets.files_list import FilesList
from tui.app.widgets.preview import WHOLE_FILE
from tui.app.widgets.preview_pane import PreviewPane, Read
from tui.app.widgets.query_bar import Field, QueryBar
from tui.app.widgets.rows import Rows
from tui.app.widgets.two_ends import TwoEnds
from tui.config import History
from tui.text import number, visible
from tui.workspace import Workspace

if TYPE_CHECKING:
    from tui.app.screens.changing import Changing
    from tui.app.screens.choosing import Choosing
    from tui.app.screens.recalling import Recalling
    from tui.app.searching import Found, Searching
    from tui.edit.replace import Replacement
    from tui.search.files import Limits
    from tui.search.live.results import Results
    from tui.search.live.state import Snapshot
    from tui.search.matcher import Matcher

WIDE = 100
_CONTEXT = 3
_ON_REPLACEMENTS = ("switch_hit", "switch_file", "switch_all", "drop")
_ON_LINES = ("mark", "insert_lines", "change_lines", "delete_lines")
_BEAT = 0.1
WELCOME = """\
Type to find text in every file below this directory.

  tab      to Replace, Files and the results
  enter    to the first hit; n and N go through them
  ctrl+r   review a replacement before it is written
  F1       all keys"""


class MainScreen(Screen[None]):
    """Knows what is asked, what was found and what is looked at; the widgets draw it."""

    CSS_PATH = style("main")
    ACTIONS = (SEARCH, RESULTS, PREVIEW)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(*ACTIONS)]
    AUTO_FOCUS = "#find"

    class SomethingFound(Message):
        """A newer snapshot; older ones that still wait need not be shown."""

        def __init__(self, found: Found) -> None:
            super().__init__()
            self.found = found

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, MainScreen.SomethingFound)

    class EditorWanted(Message):
        """A file is to be opened in the person's own editor."""

        def __init__(self, path: str, line: int) -> None:
            super().__init__()
            self.path = path
            self.line = line

    def __init__(
        self,
        workspace: Workspace,
        asked: Asked,
        *,
        budget: int,
        history: History,
        files_as_tree: bool = True,
    ) -> None:
        super().__init__()
        self.workspace = workspace
        self.choice = Choice()
        self.query_bar = QueryBar(asked, id="query")
        self.content = ContentList(self.choice, id="content")
        self.files = FilesList(id="files-list", as_tree=files_as_tree)
        self._pane = PreviewPane(WELCOME, id="right")
        self.preview = self._pane.preview
        self._header = TwoEnds(f"redline  {_home(workspace.root)}", id="header")
        self._content_title = TwoEnds("Content", id="content-title", classes="pane-title")
        self._files_title = TwoEnds("Files", id="files-title", classes="pane-title")
        self._status = TwoEnds(id="status")
        self._asked = asked
        self._budget = budget
        self._history = history
        self._limits: Limits | None = None
        self._searching: Searching | None = None
        self._snapshot: Snapshot | None = None
        self._matcher: Matcher | None = None
        self._replacement: Replacement | None = None
        self._beat = 0
        self._review_wanted = False
        self._problem = ""
        self._waiting = 0

    # Layout

    def compose(self) -> ComposeResult:
        self.set_class(self.app.size.width < WIDE, "narrow")  # now, while no widget has to be styled anew
        yield self._header
        with Container(id="body"):
            with Vertical(id="left"):
                yield self.query_bar
                yield self._content_title
                yield self.content
                yield self._files_title
                yield self.files
            yield self._pane
        yield self._status
        yield Footer(compact=True, show_command_palette=False)

    @property
    def _list_in_use(self) -> ContentList | FilesList:
        return self.content if self.content.display else self.files

    def on_mount(self) -> None:
        self.content.display = self._content_title.display = False
        self.set_interval(_BEAT, self._on_beat)

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width < WIDE, "narrow")
        self._arrange()
        if self._searching is None:
            self.call_after_refresh(self.call_after_refresh, self._begin)

    def on_descendant_focus(self) -> None:
        self._arrange()
        self._look()

    def _arrange(self) -> None:
        """With nothing to find the files are the list; on a narrow screen there is one list at a time."""
        finding = bool(self.query_bar.asked.find)
        at_files = self.focused is not None and self.focused.id in ("files", "files-list")
        narrow = self.has_class("narrow")
        show_content = finding and not (narrow and at_files)
        show_files = not finding or not narrow or at_files
        self.content.display = self._content_title.display = show_content
        self.files.display = self._files_title.display = show_files

    # Asking

    def _begin(self) -> None:
        """The first frame is on the screen; now the walk and the load begin."""
        from tui.app.searching import Searching
        from tui.search.files import Limits

        self._limits = self._limits or Limits()
        self._searching = Searching(
            self.workspace,
            budget=self._budget,
            limits=self._limits,
            sight=self.content.sight,
            touched=lambda: self.choice.touched,
            tell=self._tell,
        )
        self._ask(self._asked)

    def _tell(self, found: Found) -> None:
        self.post_message(self.SomethingFound(found))

    @on(QueryBar.Changed)
    def _asked_anew(self, message: QueryBar.Changed) -> None:
        only_replacement = _without_replacement(message.asked) == _without_replacement(self._asked)
        self._asked = message.asked
        if only_replacement:
            self._read_replacement()
            self._look(again=True)
        else:
            self._ask(message.asked)

    def _ask(self, asked: Asked) -> None:
        self._asked = asked
        self._arrange()
        if self._searching is None:
            return
        from tui.search.matcher import BadPattern, compile_query

        matcher = compile_query(asked.query) if asked.query else None
        if isinstance(matcher, BadPattern):
            self._complain("find", str(matcher))
            self._searching.cancel()
            return
        self._matcher = matcher
        problem = self._searching.ask(asked)
        if problem is not None:
            self._complain("files", f"{problem.message}; {problem.hint}")
            return
        self._read_replacement()

    def _complain(self, field: str, problem: str) -> None:
        """At its field, where it may not fit, and in the status line, where it does."""
        self.query_bar.complain(field, problem)
        self._problem = problem
        self._show_status()

    def _read_replacement(self) -> None:
        """What matches become, where a replacement was typed."""
        self._complain("", "")
        replaced_before = self._replacement is not None
        self._replacement = None
        if self._asked.replace and (replacement := self._asked.replacement()) is not None:
            from tui.edit.replace import Replacement  # it is loaded by now

            if isinstance(replacement, Replacement):
                self._replacement = replacement
            else:
                self._complain("replace", str(replacement))
        self.content.replace_with(self._replacement)
        if replaced_before != (self._replacement is not None):
            self.refresh_bindings()
        self._show_status()

    # What is found

    @on(SomethingFound)
    def _something_found(self, message: SomethingFound) -> None:
        found = message.found
        snapshot = found.snapshot
        if self._searching is None or snapshot.generation != self._searching.generation:
            return
        waiting = snapshot.is_running and not snapshot.matches
        if not waiting:  # the last result stays until the new one has something to show
            self.content.show(found.places, self._replacement, found.rows, found.names)
        if self.files.paths is not found.paths:
            self.files.show(found.paths)
        before, self._snapshot = self._snapshot, snapshot
        streaming = snapshot.is_running and before is not None and snapshot.generation == before.generation
        self._show_status()
        self._look(again=not streaming)
        if self._review_wanted and self._is_complete:
            self._want_review()

    @property
    def _is_complete(self) -> bool:
        """Whether what is shown is all that is found of what is asked for."""
        snapshot, searching = self._snapshot, self._searching
        return (
            snapshot is not None
            and searching is not None
            and snapshot.generation == searching.generation
            and not snapshot.is_running
        )

    @property
    def is_settled(self) -> bool:
        """Whether nothing more is to come."""
        return self._snapshot is not None and self._is_complete and self._snapshot.loading.complete

    def _show_status(self) -> None:
        snapshot = self._snapshot
        if snapshot is None:
            return
        right = ""
        if self._replacement is not None and snapshot.matches:
            chosen = snapshot.matches - self.content.left_out()
            right = f"{number(chosen)} of {number(snapshot.matches)} chosen · ctrl+r review"
        gone = "the workspace is no longer there" if self.workspace.is_gone else ""
        left = gone or self._problem or status.outcome(snapshot, self._asked, self._beat)
        self._status.say(left, right)
        self._header.say(right=status.header(snapshot, self._waiting))
        self._content_title.say(f"Content {number(snapshot.matches)}")
        self._files_title.say(f"Files {number(len(self.files.paths))}")

    def show_waiting(self, proposals: int) -> None:
        """How many proposals wait for review."""
        self._waiting = proposals
        self._show_status()

    def _on_beat(self) -> None:
        if not self.is_settled:
            self._beat += 1
            self._show_status()

    # Looking

    def _current(self) -> tuple[str, int | None] | None:
        """What the cursor of the list in use is on: a path, and a line from 0 if it is a match."""
        if self.content.display and self.focused is not self.files:
            hit = self.content.current
            return None if hit is None else (self.content.path(hit.file), self.content.places.line(hit) - 1)
        node = self.files.current
        return None if node is None or node.directory else (node.path, None)

    def _look(self, *, again: bool = False) -> None:
        """Preview what the cursor is on; `again` reads it anew also where it is the same place."""
        current = self._current() if self._asked.find or not isinstance(self.focused, Field) else None
        pane = self._pane
        if current is None:
            nothing = self._asked.find and self._snapshot is not None and self._snapshot.is_complete
            pane.show_words(status.nothing_found(self._asked) if nothing else WELCOME)
        else:
            path, line = current
            pane.look_at(path, line or 0, self._reader(), again=again)

    def _reader(self) -> Read:
        """Reads a file with what is sought at this moment."""
        workspace, matcher, replacement, takes = (
            self.workspace,
            self._matcher,
            self._replacement,
            self.choice.takes,
        )

        def read(path: str) -> Document:
            from tui.app.reading import Sought, read_document

            return read_document(workspace, path, Sought(matcher, replacement, takes))

        return read

    @on(Rows.Moved, "#content")
    @on(Rows.Moved, "#files-list")
    def _cursor_moved(self) -> None:
        self._look()

    @on(Rows.Chosen, "#content")
    @on(Rows.Chosen, "#files-list")
    def _row_chosen(self, message: Rows.Chosen) -> None:
        node = self.files.current
        if message.rows is self.files and node is not None and node.directory:
            self.files.fold(folded=self.files.is_open(node))
        else:
            self._look()
            self.set_focus(self.preview)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enter leads on from a field, and lines are edited only where they are marked."""
        if action == "to_results":
            return isinstance(self.focused, Field)
        if action in _ON_REPLACEMENTS:
            return self._replacement is not None
        return action not in _ON_LINES or self.focused is self.preview

    def action_to_results(self) -> None:
        """Enter in a field goes to what was found; it never applies anything."""
        self.set_focus(self._list_in_use)
        if self.content.display and self.content.cursor == 0:
            self.content.move_to(1)
        self._recalling.remember(self._asked)

    # Searches of earlier days

    @cached_property
    def _recalling(self) -> Recalling:
        from tui.app.screens.recalling import Recalling

        return Recalling(self)

    @on(Field.Recalled)
    def _recall(self, message: Field.Recalled) -> None:
        if (asked := self._recalling.step(self._asked, message.step)) is not None:
            self.query_bar.ask(asked)

    def action_save_search(self) -> None:
        self._recalling.save(self._asked)

    def action_saved_searches(self) -> None:
        self._recalling.choose()

    # Actions of the search

    def action_focus_find(self) -> None:
        self.set_focus(self.query_bar.field("find"))

    def action_switch_option(self, name: str) -> None:
        self.query_bar.toggle(name)

    def action_back(self) -> None:
        """One step back: from marked lines, from the preview, from the lists to Find, from a search."""
        if self.preview.mark is not None:
            self.preview.mark = None
            self.preview.refresh()
        elif self.focused is self.preview:
            self.set_focus(self._list_in_use)
        elif not isinstance(self.focused, Field):
            self.action_focus_find()
        elif self._searching is not None and not self._is_complete:
            self._searching.cancel()
        elif self.focused.value:
            self.focused.value = ""

    def action_skipped(self) -> None:
        from tui.app.screens.skipped import SkippedScreen

        if self._snapshot is not None and self._limits is not None:
            screen = SkippedScreen(self._snapshot.left_out(), size(self._limits.file_size or 0))
            self.app.push_screen(screen, self._include)

    def _include(self, what: str | None) -> None:
        if what == "size" and self._limits is not None and self._limits.file_size is not None:
            self._limits = replace(self._limits, file_size=self._limits.file_size * 8)
            self._restart()
        elif what is not None and getattr(self._asked, what) != (what == "hidden"):
            self.query_bar.toggle(what)

    def _restart(self) -> None:
        if self._searching is not None:
            self._searching.close()
        self._begin()

    # Actions of the lists

    @property
    def _list(self) -> ContentList | FilesList:
        return self.files if self.focused is self.files else self._list_in_use

    def action_next_hit(self, step: int) -> None:
        self.content.next_hit(step)

    def action_next_file(self, step: int) -> None:
        self.content.next_file(step)

    def action_fold(self) -> None:
        self._list.fold(folded=True)

    def action_unfold(self) -> None:
        self._list.fold(folded=False)

    def action_fold_all(self) -> None:
        self.content.fold_all()

    def action_tree(self) -> None:
        self.files.turn(as_tree=not self.files.as_tree)

    # Choosing

    @cached_property
    def _choosing(self) -> Choosing:
        from tui.app.screens.choosing import Choosing

        return Choosing(self)

    def action_switch_hit(self) -> None:
        self._choosing.switch_hit()

    def action_switch_file(self) -> None:
        self._choosing.switch_file()

    def action_switch_all(self) -> None:
        self._choosing.switch_all()

    def action_drop(self) -> None:
        self._choosing.drop()

    def chosen_anew(self) -> None:
        """Other matches are left out now."""
        self.content.redraw()
        self._show_status()
        self._look(again=True)

    @on(ContentList.RowsWanted)
    def _rows_wanted(self, message: ContentList.RowsWanted) -> None:
        results = self.content.results
        work = lambda: self._read_rows(results, message.first, message.count)  # noqa: E731
        self.run_worker(work, group="rows", thread=True, exclusive=True, exit_on_error=False)

    def _read_rows(self, results: Results, first: int, count: int) -> None:
        from tui.app.searching import read_rows

        texts = read_rows(results, first, count)
        self.app.call_from_thread(self.content.add_texts, results, texts)

    # Changing

    @cached_property
    def _changing(self) -> Changing:
        from tui.app.screens.changing import Changing

        return Changing(self, self._history)

    def action_review(self) -> None:
        """What was typed before the key comes first, and then the search: a plan is of all it finds."""
        self._after_typing(self._want_review)

    def _after_typing(self, do: Callable[[], None]) -> None:
        """Keys wait in the fields, what they changed in the query bar, what is asked for here: each is
        gone through, twice, since a key may lead to a message."""
        through: list[Widget] = [*self.query_bar.fields, self.query_bar, self] * 2

        def step() -> None:
            if through:
                through.pop(0).call_later(step)
            else:
                do()

        step()

    def _want_review(self) -> None:
        self._review_wanted = not self._is_complete
        if self._review_wanted:
            self.notify("the review opens when the search is complete", title="Searching")
            return
        if self._snapshot is not None and self._snapshot.cut:
            self.notify(
                "there are more matches than were looked for", title="Not all is known", severity="warning"
            )
            return
        self._recalling.remember(self._asked)
        self._changing.replace(self._asked, self.content.results, self.choice)

    def action_undo(self) -> None:
        self._changing.undo()

    def changed(self) -> None:
        """Something was written; it is to be seen."""
        self.preview.mark = None
        self._look(again=True)

    def action_mark(self) -> None:
        self.preview.switch_mark()

    def action_context(self, step: int) -> None:
        context = self.preview.context
        self.preview.surround(_CONTEXT if context == WHOLE_FILE else max(0, context + step))

    def action_whole_file(self) -> None:
        self.preview.surround(_CONTEXT if self.preview.context == WHOLE_FILE else WHOLE_FILE)

    def action_insert_lines(self) -> None:
        self._changing.insert_lines(self.preview)

    def action_change_lines(self) -> None:
        self._changing.change_lines(self.preview)

    def action_delete_lines(self) -> None:
        self._changing.delete_lines(self.preview)

    # Taking along

    def action_editor(self) -> None:
        current = self._current()
        if current is not None:
            line = self.preview.line if self.focused is self.preview else (current[1] or 0)
            self.post_message(self.EditorWanted(os.path.join(self.workspace.root, current[0]), line + 1))

    def edited_outside(self) -> None:
        """The person's editor has ended; whatever it changed is to be seen."""
        if self._searching is not None:
            self._searching.refresh()
        self._look(again=True)

    def action_copy_path(self) -> None:
        if (current := self._current()) is not None:
            self._copy(current[0])

    def action_copy_line(self) -> None:
        lines = self.preview.document.lines
        if lines:
            self._copy(lines[self.preview.line])

    def _copy(self, text: str) -> None:
        self.app.copy_to_clipboard(visible(text))
        self.notify(visible(text), title="Copied", markup=False)

    def on_unmount(self) -> None:
        if self._searching is not None:
            self._searching.close()


def _home(path: str) -> str:
    home = os.path.expanduser("~")
    return f"~{path[len(home) :]}" if path == home or path.startswith(f"{home}/") else path


def _without_replacement(asked: Asked) -> Asked:
    return msgspec.structs.replace(asked, replace="")
