"""Files whose change can do more than it shows: what runs by itself, or tells others what to run.

A hunk in one of them is marked in the review, and "accept all" does not cover it until it was looked at.
"""

from __future__ import annotations

import re
from fnmatch import translate
from functools import cached_property

from tui.edit.plan import FileEdit


class _Kind:
    """Why files like these are delicate. A pattern that ends with a slash is held against the
    directories of a path, others against its name; all in lower case."""

    def __init__(self, why: str, patterns: tuple[str, ...]) -> None:
        self.why = why
        self.directories = {pattern[:-1] for pattern in patterns if pattern.endswith("/")}
        self._names = [pattern for pattern in patterns if not pattern.endswith("/")]

    @cached_property
    def names(self) -> re.Pattern[str]:
        return re.compile("|".join(map(translate, self._names)))


_KINDS = (
    _Kind("git's own files", (".git/", ".gitattributes", ".gitmodules", ".gitconfig", ".gitignore")),
    _Kind(
        "continuous integration",
        (
            ".github/",
            ".gitlab/",
            ".circleci/",
            ".buildkite/",
            ".ci/",
            ".travis.yml",
            ".gitlab-ci.yml",
            "azure-pipelines*.yml",
            "bitbucket-pipelines.yml",
            "jenkinsfile*",
            "appveyor.yml",
            ".drone.yml",
        ),
    ),
    _Kind("hooks", (".husky/", ".githooks/", "hooks/", ".pre-commit-config.yaml", "lefthook.y*ml")),
    _Kind(
        "instructions to agents",
        (
            ".claude/",
            ".codex/",
            ".cursor/",
            ".gemini/",
            ".aider*",
            ".mcp.json",
            "mcp.json",
            ".cursorrules",
            ".windsurfrules",
            "agents.md",
            "claude.md",
            "gemini.md",
            "copilot-instructions.md",
            "skill.md",
        ),
    ),
    _Kind(
        "dependencies",
        (
            "pyproject.toml",
            "setup.py",
            "setup.cfg",
            "requirements*.txt",
            "constraints*.txt",
            "pipfile*",
            "*.lock",
            "package.json",
            "package-lock.json",
            "npm-shrinkwrap.json",
            "pnpm-lock.yaml",
            "pnpm-workspace.yaml",
            "cargo.toml",
            "build.rs",
            "go.mod",
            "go.sum",
            "gemfile",
            "*.gemspec",
            "composer.json",
            "pom.xml",
            "build.gradle*",
            "settings.gradle*",
            "*.csproj",
            "nuget.config",
            "packages.config",
            "mix.exs",
            "pubspec.yaml",
            "conanfile*",
            "vcpkg.json",
            "*.podspec",
            "podfile",
        ),
    ),
    _Kind("run by tools", ("makefile", "gnumakefile", "*.mk", "justfile", "conftest.py", "dockerfile*")),
)


def delicate(edit: FileEdit) -> str:
    """Why the change deserves a look of its own; empty where it does not."""
    modes = [state.mode for state in (edit.before, edit.after) if state is not None]
    if any(mode & 0o111 for mode in modes):
        executable = bool(modes[-1] & 0o111)
        changed = len({bool(mode & 0o111) for mode in modes}) > 1
        if changed:
            return "becomes executable" if executable else "is no longer executable"
        return "executable" if edit.before is not None or edit.after is None else "a new executable"
    for path in filter(None, (edit.new_path, edit.path)):
        if why := _by_path(path.lower()):
            return why
    return ""


def _by_path(path: str) -> str:
    *directories, name = path.split("/")
    for kind in _KINDS:
        if not kind.directories.isdisjoint(directories) or kind.names.match(name):
            return kind.why
    return "a hidden directory" if any(part.startswith(".") for part in directories) else ""
