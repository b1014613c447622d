"""Globs in both readings, lists, types, and the patterns that are refused."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcmatch import glob as wcglob

from tui.errors import InvalidGlobError, InvalidRegexError
from tui.search.globs import Reading, compile_globs, compile_name_regex, split_patterns, type_patterns

ANCHORED, ANYWHERE = Reading.ANCHORED, Reading.ANYWHERE


def accepts(path: str, *patterns: str, reading: Reading = ANCHORED) -> bool:
    return compile_globs(patterns, reading).accepts(path)


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.cs", ["a.cs", ".cs", "é b.cs"], ["src/a.cs", "a.css", "a.cs/b"]),
        ("**/*.cs", ["a.cs", "src/a.cs", "src/x/.a.cs"], ["a.c"]),
        ("src/**/*.ts", ["src/a.ts", "src/x/y/a.ts"], ["a.ts", "lib/src/a.ts"]),
        ("**/test*.js", ["test.js", "x/test1.js"], ["x/atest.js", "test/a.js"]),
        ("**/*.{js,ts}", ["a.js", "x/b.ts"], ["a.jts", "a.tsx"]),
        ("src/**/index.*", ["src/index.js", "src/a/index.html"], ["index.js"]),
        ("[Tt]est*.cs", ["Test.cs", "tests.cs"], ["best.cs", "src/Test.cs"]),
        ("**/*Controller.cs", ["a/HomeController.cs", "Controller.cs"], ["a/Controller.css"]),
        ("a?c", ["abc", "a.c"], ["ac", "a/c", "abbc"]),
        ("[!a]b", ["bb", "éb"], ["ab", "b"]),
        ("**", ["a", "a/b/c", ".x/y"], []),
        ("src/**", ["src/a", "src/a/b"], ["src", "srcx/a"]),
        ("src/*", ["src/a"], ["src/a/b"]),
        (r"a\*b", ["a*b"], ["axb"]),
    ],
)
def test_anchored(pattern: str, yes: list[str], no: list[str]) -> None:
    assert [path for path in yes if not accepts(path, pattern)] == []
    assert [path for path in no if accepts(path, pattern)] == []


@pytest.mark.parametrize(
    ("patterns", "yes", "no"),
    [
        (["*.py"], ["a.py", "x/y/a.py"], ["a.pyc"]),
        (["Makefile"], ["Makefile", "x/Makefile"], ["Makefile.in"]),
        (["src/*.py"], ["src/a.py"], ["x/src/a.py", "src/x/a.py"]),
        (["/setup.py"], ["setup.py"], ["x/setup.py"]),
        (["src/"], ["src/a", "src/x/b"], ["src2/a"]),
        (["*.c", "*.h"], ["a.c", "x/a.h"], ["a.o"]),
        (["!tests"], ["a.py", "x/test.py"], ["tests/a.py", "x/tests/b.py", "tests"]),
        (["*.c", "!drivers/**"], ["kernel/a.c", "x/drivers/a.c"], ["drivers/a.c", "drivers/x/a.c", "a.h"]),
        (["!*.min.js"], ["a.js"], ["x/a.min.js"]),
        (["!**/tests/**"], ["a.py"], ["tests/a.py", "x/tests/y/b.py"]),
    ],
)
def test_anywhere(patterns: list[str], yes: list[str], no: list[str]) -> None:
    assert [path for path in yes if not accepts(path, *patterns, reading=ANYWHERE)] == []
    assert [path for path in no if accepts(path, *patterns, reading=ANYWHERE)] == []


def test_directories_that_are_left_out_whole_need_not_be_entered() -> None:
    files = compile_globs(["*.c", "!drivers/**"], ANYWHERE, ["deep", "**/gen/**", "*.tmp"])
    assert [d for d in ("drivers", "deep", "x/deep", "x/gen", "y.tmp") if not files.prunes(d)] == []
    assert [d for d in ("x", "driver", "x/drivers", "deeper") if files.prunes(d)] == []


def test_anchored_patterns_are_anchored_at_the_start_and_excludes_are_not() -> None:
    files = compile_globs(["*.py"], ANCHORED, ["skip"], start="src")
    assert files.accepts("src/a.py")
    assert not files.accepts("a.py")
    assert not files.accepts("src/x/a.py")
    assert not files.accepts("src/skip")


@pytest.mark.parametrize(
    ("text", "patterns"),
    [
        ("**/*.{c,h}, !drivers/**", ["**/*.{c,h}", "!drivers/**"]),
        ("*.py,*.pyi *.toml", ["*.py", "*.pyi", "*.toml"]),
        (r"my\ file.txt", [r"my\ file.txt"]),
        ("[a, b]x", ["[a, b]x"]),
        ("{a,{b,c}}", ["{a,{b,c}}"]),
        (" , ", []),
        ("", []),
    ],
)
def test_lists(text: str, patterns: list[str]) -> None:
    assert split_patterns(text) == patterns


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("[abc", "not closed"),
        ("{a,b", "not closed"),
        ("a}", "closes no"),
        ("", "empty"),
        ("a\\", "backslash"),
        ("../x", "leave the workspace"),
        ("a/../b", "leave the workspace"),
        ("a\0", "NUL"),
        ("/", "names no file"),
        ("./", "names no file"),
        ("{**/a/,x}" * 8 + "b", "more than 4"),
        ("x" * 1001, "1,001 characters"),
        ("**/a/" * 5 + "b", "more than 4"),
        ("{a,b}" * 12, "expand to more than 1,000"),
        ("{1..100000}", "expand to more than 1,000"),
        ("{{a,b},{c,d}}" * 8, "expand to more than 1,000"),
    ],
    ids=lambda value: value[:20],
)
def test_what_cannot_be_or_would_explode_is_refused_at_once_with_a_valid_form(
    pattern: str, problem: str
) -> None:
    began = time.perf_counter()
    for reading in Reading:
        for patterns, excludes in (([pattern], []), ([], [pattern])):
            with pytest.raises(InvalidGlobError, match=problem) as caught:
                compile_globs(patterns, reading, excludes)
            assert "**/*.{js,ts}" in caught.value.hint
    assert time.perf_counter() - began < 5


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 30 + "b", "b" + "a" * 249),
        ("*a*b" * 12 + "c", "ab" * 110 + "cd"),
        ("*[ab]" * 25 + "c*d", "ab" * 100 + "dc" * 20),
        ("*a*a*b", "a" * 255),
        ("**/*a/**/*a/**/*a/**/b", "/".join(["aa"] * 60)),
        ("**/a/**/a/**/a/**/b", "/".join(["a"] * 500)),
    ],
    ids=lambda value: value[:16],
)
def test_a_pattern_made_to_backtrack_is_quick_or_given_up(pattern: str, path: str) -> None:
    began = time.perf_counter()
    try:
        assert not accepts(path, pattern)
    except InvalidGlobError as error:
        assert "too long to match" in error.message
    assert time.perf_counter() - began < 5


names = st.sampled_from(["a", "b.py", "x.c", ".h", "a b"])
paths = st.lists(names, min_size=1, max_size=4).map("/".join)
pieces = st.sampled_from(["*", "**", "a", "*.py", "?", "[ab]", "x.*", "{a,b.py}", ".h"])
globs = st.lists(pieces, min_size=1, max_size=4).map("/".join)


@given(globs, paths)
def test_the_compiled_form_agrees_with_wcmatch_itself(pattern: str, path: str) -> None:
    flags = wcglob.GLOBSTAR | wcglob.BRACE | wcglob.DOTGLOB
    assert accepts(path, pattern) == wcglob.globmatch(path, pattern, flags=flags)


@given(st.sampled_from(["py", "c", "tar.gz", "h"]), paths)
def test_the_short_cut_for_extensions_agrees_with_wcmatch(extension: str, path: str) -> None:
    flags = wcglob.GLOBSTAR | wcglob.BRACE | wcglob.DOTGLOB
    expected = wcglob.globmatch(path, f"**/*.{extension}", flags=flags)
    assert accepts(path, f"**/*.{extension}") == expected
    assert accepts(path, f"*.{extension}", reading=ANYWHERE) == expected


def test_a_slash_at_the_end_means_directories_only() -> None:
    for files in (compile_globs(["!build2/"], ANYWHERE), compile_globs([], ANYWHERE, ["build2/"])):
        assert files.accepts("build2")
        assert not files.accepts("x/build2/y")
        assert files.prunes("build2")


def test_a_newline_at_the_end_of_a_name_counts() -> None:
    assert not accepts("a.py\n", "a.py")
    assert not accepts("a.py\n", "*.py", reading=ANYWHERE)


def test_types_are_known_names_or_extensions() -> None:
    assert type_patterns("py") == ("*.py", "*.pyi")
    assert type_patterns("zig") == type_patterns(".zig") == ("*.zig",)
    with pytest.raises(InvalidGlobError, match="file type"):
        type_patterns("*")


def test_name_patterns_look_at_the_name_unless_they_have_a_slash() -> None:
    assert compile_name_regex("(?i)^readme")("docs/README.md")
    assert not compile_name_regex("^docs")("docs/README.md")
    assert compile_name_regex("^docs/")("docs/README.md")
    with pytest.raises(InvalidRegexError, match="position"):
        compile_name_regex("a(")
