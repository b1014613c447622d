"""Which paths a person means: globs in two readings, file types and name patterns.

*Anchored*: `*.cs` is this directory only, `**/*.cs` any depth. *Anywhere*: a pattern without a
slash matches the name at any depth, as in .gitignore. wcmatch turns globs into regular
expressions; patterns that would explode are refused before it sees them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum

import regex
from wcmatch import _wcparse as wcparse
from wcmatch import glob

from tui.errors import InvalidGlobError, InvalidRegexError
from tui.search.matcher import BadPattern, compile_query
from tui.search.query import Query
from tui.text import visible

MAX_LENGTH = 1000
MAX_GLOBSTARS = 4
MAX_BRACES = 1000
# More in one pattern may take exponential time, and are run with a time limit.
MAX_SAFE_STARS = 3
MAX_SAFE_GLOBSTARS = 2
MATCH_SECONDS = 0.5

PathTest = Callable[[str], bool]

_VALID_FORM = "a valid glob looks like *.py, src/**/*.ts or **/*.{js,ts}"
_SUFFIX_ONLY = re.compile(r"(?:\*\*/)?\*(\.[\w.+-]+)")


class Reading(Enum):
    ANCHORED = "anchored"
    ANYWHERE = "anywhere"


def split_patterns(text: str) -> list[str]:
    """A list as typed: patterns between commas or spaces, but not those inside braces or sets."""
    patterns = [""]
    closing: list[str] = []
    escaped = False
    for character in text:
        if escaped or character == "\\":
            escaped = not escaped
        elif closing and character == closing[-1]:
            closing.pop()
        elif character in "{[" and closing[-1:] != ["]"]:
            closing.append("}" if character == "{" else "]")
        elif character in ", \t" and not closing:
            patterns.append("")
            continue
        patterns[-1] += character
    return [pattern for pattern in patterns if pattern]


@dataclass(frozen=True, slots=True)
class PathFilter:
    """Which files are meant, and which directories need not be entered to find them."""

    wanted: PathTest | None = None
    refused: PathTest | None = None
    pruned: PathTest | None = None

    def accepts(self, path: str) -> bool:
        return self._wants(path) and (self.refused is None or not self.refused(path))

    def and_also(self, other: PathFilter) -> PathFilter:
        """Only what the other one wants as well."""
        return replace(self, wanted=lambda path: self._wants(path) and other._wants(path))

    def while_true(self, going: Callable[[], bool]) -> PathFilter:
        """The same as long as that is true; then nothing is wanted, and every directory pruned."""
        return PathFilter(
            lambda path: going() and self._wants(path),
            self.refused,
            lambda directory: not going() or self.prunes(directory),
        )

    def _wants(self, path: str) -> bool:
        return self.wanted is None or self.wanted(path)

    def prunes(self, directory: str) -> bool:
        return self.pruned is not None and self.pruned(directory)


def compile_globs(
    patterns: Iterable[str], reading: Reading, excludes: Iterable[str] = (), start: str = ""
) -> PathFilter:
    """Some positive pattern matches (or there is none), and neither a `!` one nor an exclude does.

    Anchored patterns are anchored at the directory `start`. What is left out is always read
    anywhere: a bare name leaves out that file or directory at any depth.
    """
    patterns, excludes = list(patterns), list(excludes)
    _check_together([*patterns, *excludes])
    wanted = []
    unwanted = list(excludes)
    for pattern in patterns:
        if pattern.startswith("!"):
            unwanted.append(pattern[1:])
        else:
            wanted.append(_including(pattern, reading))
    accept = _any_of(wanted)
    if accept is not None and reading is Reading.ANCHORED and start:
        accept = _below(start, accept)
    return PathFilter(
        accept,
        _any_of([test for pattern in unwanted for test in _excluding(pattern)]),
        _any_of([_pruning(pattern) for pattern in unwanted]),
    )


def compile_name_regex(pattern: str) -> PathTest:
    """A regex for the file's name, or for its whole path if the pattern has a slash in it."""
    matcher = compile_query(Query(pattern))
    if isinstance(matcher, BadPattern):
        raise InvalidRegexError(str(matcher))
    search = matcher.pattern.search
    whole_path = "/" in pattern

    def matches(path: str) -> bool:
        subject = path if whole_path else path[path.rfind("/") + 1 :]
        try:
            return search(subject, timeout=MATCH_SECONDS) is not None
        except TimeoutError:
            raise InvalidRegexError(
                f"the pattern takes too long on '{visible(path)}'", "simplify it, as in ^test_.*[.]py$"
            ) from None

    return matches


def _any_of(tests: list[PathTest]) -> PathTest | None:
    if len(tests) < 2:
        return tests[0] if tests else None
    return lambda path: any(test(path) for test in tests)


def _below(start: str, test: PathTest) -> PathTest:
    prefix = f"{start}/"
    return lambda path: path.startswith(prefix) and test(path[len(prefix) :])


def _including(pattern: str, reading: Reading) -> PathTest:
    if suffix := _plain_suffix(pattern, reading):
        return lambda path: path.endswith(suffix)
    checked = _checked(pattern)
    if reading is Reading.ANYWHERE and "/" not in checked:
        checked = f"**/{checked}"
    return _translated(f"{checked}**" if checked.endswith("/") else checked, pattern)


def _excluding(pattern: str) -> list[PathTest]:
    """What the pattern matches and, where that is a directory, all that lies in it. With a slash at
    its end it is about directories only."""
    itself = _anywhere(pattern)
    below = _translated(itself if itself.endswith("/**") else f"{itself}/**", pattern)
    return [below] if pattern.endswith("/") else [_translated(itself, pattern), below]


def _pruning(pattern: str) -> PathTest:
    """The directories that the pattern leaves out with all that lies in them."""
    return _translated(_anywhere(pattern).removesuffix("/**"), pattern)


def _anywhere(pattern: str) -> str:
    checked = _checked(pattern)
    bare = checked.rstrip("/")
    return bare if "/" in bare else f"**/{bare}"


def _plain_suffix(pattern: str, reading: Reading) -> str | None:
    """The `.ext` of `*.ext` at any depth, which needs no regular expression."""
    found = _SUFFIX_ONLY.fullmatch(pattern)
    if found is None or (reading is Reading.ANCHORED and not pattern.startswith("**/")):
        return None
    return found[1]


def _translated(checked: str, pattern: str) -> PathTest:
    """The glob as a compiled regular expression; `pattern` is what the person wrote."""
    source = "|".join(_to_regexes(checked.lstrip("/"), pattern))
    stars = max(part.replace("**", "").count("*") for part in checked.split("/"))
    if stars <= MAX_SAFE_STARS and checked.count("**") <= MAX_SAFE_GLOBSTARS:
        quick = re.compile(source).fullmatch
        return lambda path: quick(path) is not None
    limited = regex.compile(source).fullmatch

    def matches(path: str) -> bool:
        try:
            return limited(path, timeout=MATCH_SECONDS) is not None
        except TimeoutError:
            raise _invalid(pattern, f"it takes too long to match '{visible(path)}'") from None

    return matches


def _check_together(patterns: list[str]) -> None:
    """Each may expand to many; together they may not expand to any number."""
    many = [pattern for pattern in patterns if "{" in pattern]
    if len(many) > 1:
        expanded = sum(len(_to_regexes(pattern.lstrip("!/"), pattern)) for pattern in many)
        if expanded > MAX_BRACES:
            problem = f"the braces of all patterns expand to more than {MAX_BRACES:,}"
            raise _invalid(visible(many[0]), problem)


def _to_regexes(checked: str, pattern: str) -> list[str]:
    flags = glob.GLOBSTAR | glob.BRACE | glob.DOTGLOB | glob.FORCEUNIX
    try:
        includes, _ = glob.translate(checked, flags=flags, limit=MAX_BRACES)
    except wcparse.PatternLimitException as error:
        raise _invalid(pattern, f"its braces expand to more than {MAX_BRACES:,} patterns") from error
    return includes


def _checked(pattern: str) -> str:
    if not pattern:
        raise _invalid(pattern, "it is empty")
    if len(pattern) > MAX_LENGTH:
        raise _invalid(pattern[:40] + "...", f"it has {len(pattern):,} characters, of at most {MAX_LENGTH:,}")
    if "\0" in pattern:
        raise _invalid(pattern, "no path has a NUL character in it")
    pattern = pattern.removeprefix("./")
    if not pattern.strip("/"):
        raise _invalid(pattern, "it names no file")
    if ".." in pattern.split("/"):
        raise _invalid(pattern, "`..` would leave the workspace")
    if pattern.count("**") > MAX_GLOBSTARS:
        raise _invalid(pattern, f"more than {MAX_GLOBSTARS} `**` in one pattern")
    if problem := _unbalanced(pattern):
        raise _invalid(pattern, problem)
    return pattern


def _unbalanced(pattern: str) -> str:
    """wcmatch takes an unclosed bracket for a plain character; to a person it is a slip."""
    braces, at = 0, 0
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            at += 1
            if at == len(pattern):
                return "nothing follows the backslash at its end"
        elif character == "[":
            end = pattern.find("]", at + 3 if pattern[at + 1 : at + 2] in ("!", "^") else at + 2)
            if end < 0:
                return "a [ is not closed by a ]"
            at = end
        elif character == "{":
            braces += 1
        elif character == "}":
            braces -= 1
            if braces < 0:
                return "a } closes no {"
        at += 1
    return "a { is not closed by a }" if braces else ""


def _invalid(pattern: str, problem: str) -> InvalidGlobError:
    return InvalidGlobError(f"invalid glob '{visible(pattern)}': {problem}", _VALID_FORM)


# The types people ask for most, by the names ripgrep gives them; any other name is an extension.
TYPES: dict[str, tuple[str, ...]] = {
    "asm": ("*.asm", "*.s", "*.S"),
    "c": ("*.[chH]", "*.[chH].in", "*.cats"),
    "cpp": (
        "*.[ChH]",
        "*.cc",
        "*.[ch]pp",
        "*.[ch]xx",
        "*.hh",
        "*.inl",
        "*.[ChH].in",
        "*.cc.in",
        "*.[ch]pp.in",
        "*.[ch]xx.in",
        "*.hh.in",
    ),
    "cs": ("*.cs",),
    "css": ("*.css", "*.scss"),
    "docker": ("*Dockerfile*",),
    "go": ("*.go",),
    "h": ("*.h", "*.hpp"),
    "html": ("*.htm", "*.html", "*.ejs"),
    "java": ("*.java", "*.jsp", "*.jspx", "*.properties"),
    "js": ("*.js", "*.jsx", "*.vue", "*.cjs", "*.mjs"),
    "json": ("*.json", "composer.lock"),
    "kotlin": ("*.kt", "*.kts"),
    "lua": ("*.lua",),
    "make": (
        "[Gg][Nn][Uu]makefile",
        "[Mm]akefile",
        "[Gg][Nn][Uu]makefile.am",
        "[Mm]akefile.am",
        "[Gg][Nn][Uu]makefile.in",
        "[Mm]akefile.in",
        "*.mk",
        "*.mak",
    ),
    "markdown": ("*.markdown", "*.md", "*.mdown", "*.mkdn", "*.mkd", "*.mkdown", "*.mdwn", "*.mdx"),
    "md": ("*.markdown", "*.md", "*.mdown", "*.mkdn", "*.mkd", "*.mkdown", "*.mdwn", "*.mdx"),
    "php": ("*.php", "*.php3", "*.php4", "*.php5", "*.phtml"),
    "py": ("*.py", "*.pyi"),
    "python": ("*.py", "*.pyi"),
    "rb": ("*.rb", "*.gemspec", ".irbrc", "Gemfile", "Rakefile", "config.ru"),
    "ruby": ("*.rb", "*.gemspec", ".irbrc", "Gemfile", "Rakefile", "config.ru"),
    "rs": ("*.rs",),
    "rust": ("*.rs",),
    "sh": ("*.bash", "*.sh", "*.zsh", "*.ksh", ".bashrc", ".profile", ".zshrc"),
    "sql": ("*.sql", "*.psql"),
    "swift": ("*.swift",),
    "toml": ("*.toml", "Cargo.lock"),
    "ts": ("*.ts", "*.tsx", "*.cts", "*.mts"),
    "typescript": ("*.ts", "*.tsx", "*.cts", "*.mts"),
    "txt": ("*.txt",),
    "xml": ("*.xml", "*.xml.dist", "*.dtd", "*.xsl", "*.xslt", "*.xsd", "*.xjb", "*.rng", "*.sch", "*.xhtml"),
    "yaml": ("*.yaml", "*.yml"),
}

_TYPE_NAME = regex.compile(r"\.?([\w+#-]+)")


def type_patterns(name: str) -> tuple[str, ...]:
    """The globs of a file type: a known name, or any extension with or without its dot."""
    found = _TYPE_NAME.fullmatch(name)
    if found is None:
        raise InvalidGlobError(f"invalid file type '{visible(name)}'", "a file type looks like py, rs or ts")
    return TYPES.get(found[1], (f"*.{found[1]}",))


def extension_patterns(name: str) -> tuple[str, ...]:
    """As `type_patterns`, but an extension means just that one: `ts` is not also `*.tsx`."""
    patterns = type_patterns(name)
    extension = f"*.{name.removeprefix('.')}"
    return (extension,) if name in ("c", "cpp") or extension in patterns else patterns
