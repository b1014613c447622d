"""The kinds of values that several tools take, with their limits: a call may not be of any size."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from tui.search.globs import MAX_LENGTH as LONGEST_GLOB
from tui.search.matcher import MAX_PATTERN_LENGTH as LONGEST_PATTERN

LONGEST_PATH = 4096
LONGEST_CONTENT = 2_000_000
LONGEST_REPLACEMENT = 200_000
MOST_GLOBS = 50

PathText = Annotated[str, Meta(max_length=LONGEST_PATH)]
FilePath = Annotated[str, Meta(min_length=1, max_length=LONGEST_PATH)]
Pattern = Annotated[str, Meta(min_length=1, max_length=LONGEST_PATTERN)]
SearchText = Annotated[str, Meta(pattern=r"\S", max_length=LONGEST_PATTERN)]
GlobText = Annotated[str, Meta(pattern=r"\S", max_length=LONGEST_GLOB)]
Glob = Annotated[str, Meta(min_length=1, max_length=LONGEST_GLOB)]
Exclusion = Annotated[str, Meta(pattern=r"^[^!]", max_length=LONGEST_GLOB)]
Globs = Annotated[tuple[Glob, ...], Meta(max_length=MOST_GLOBS)]
Exclusions = Annotated[tuple[Exclusion, ...], Meta(max_length=MOST_GLOBS)]
FileType = Annotated[str, Meta(max_length=100)]
Content = Annotated[str, Meta(max_length=LONGEST_CONTENT)]
Replacement = Annotated[str, Meta(max_length=LONGEST_REPLACEMENT)]
Count = Annotated[int, Meta(ge=0)]
