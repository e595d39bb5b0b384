"""Errors, helps, cards and pages send a user to commands, options and extras that there are."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from corefmill.cli.command import Group
from corefmill.cli.main import COREFMILL
from tests.commands import ROOT

ROOMS = ("corefmill/cli", "corefmill/annotate", "corefmill/show")
ROOMS += ("builders", "corpora", "coref_model", "rules")
SOURCES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

TOP = COREFMILL.load_all()
GROUPS = {"corefmill": COREFMILL, "build": TOP["build"], "train": TOP["train"]}

OTHERS = {"--no-python", "--nproc-per-node", "--local-dir", "--help", "--index-url", "--strict"}
OTHERS |= {"--me", "--include_path", "--log_samples", "--model_args", "--output_path", "--tasks"}
"""Options of others' commands, and one that every command has."""


def read_texts() -> Iterator[tuple[str, str]]:
    """Yield the pages, and texts of the source: no docstrings, but the examples of commands."""
    for path in PAGES:
        yield path.name, path.read_text("utf-8").replace("\\\n", " ")
    for path in SOURCES:
        tree = ast.parse(path.read_text("utf-8"))
        passed: set[int] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                passed |= set(map(id, node.values))
            elif isinstance(node, ast.Expr):
                passed.add(id(node.value))
                examples = (read_text(node.value) or "").partition("Examples:\n")[2]
                if examples and "cli" in path.parts:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", examples
        for node in ast.walk(tree):
            if id(node) not in passed and (text := read_text(node)):
                yield f"{path.relative_to(ROOT)}:{node.lineno}", text  # type: ignore[attr-defined]


def read_text(node: ast.AST) -> str | None:
    """The text that an expression is, or None."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(read_text(value) or "PLACEHOLDER" for value in node.values)
    return None


@pytest.fixture(scope="module")
def texts() -> list[tuple[str, str]]:
    return list(read_texts())


def find_commands(text: str) -> Iterator[list[str]]:
    """The words of each command in a text: what is quoted, or begins with its name."""
    for quoted in re.findall(r"`((?:corefmill|build|train)(?: [^`\n]*)?)`", text):
        yield quoted.split()
    plain = re.sub("`[^`\n]*`", "", text)
    for group, below in GROUPS.items():
        known = "|".join(map(re.escape, below.entries))
        for found in re.findall(rf"\b{group} (?:{known})(?: (?:--?[a-z]|[A-Z]{{2}})\S*)*", plain):
            yield found.split()


def find_faults(words: list[str]) -> list[str]:
    """What of a command there is not: a word that names none, an option."""
    command: Any = GROUPS[words[0]]
    rest = words[1:]
    while rest and isinstance(command, Group) and rest[0] in command.entries:
        command, rest = command.load(rest[0]), rest[1:]
    if isinstance(command, Group) and command.alone and rest and rest[0].startswith("-"):
        command = command.load(command.alone)
    known = {flag for one in command.params for flag in one.opts} | {"--help"}
    unknown = [word for word in rest if word.startswith("-") and word not in known]
    if isinstance(command, Group) and rest and rest[0].islower() and rest[0].isalpha():
        unknown.append(rest[0])
    return unknown


def test_every_command_named_is_one(texts: list[tuple[str, str]]) -> None:
    found = [(where, words) for where, text in texts for words in find_commands(text)]
    assert len(found) > 150
    assert [one for one in found if find_faults(one[1])] == []


def test_every_option_named_is_one(texts: list[tuple[str, str]]) -> None:
    def flags(command: Any) -> set[str]:
        own = {flag for one in command.params for flag in one.opts}
        below = command.load_all().values() if isinstance(command, Group) else ()
        return own.union(*map(flags, below))

    known = flags(COREFMILL) | OTHERS
    found = {
        (where, flag)
        for where, text in texts
        if " " in text
        for flag in re.findall(r"(?<![\w-])--[a-z][a-z_-]*[a-z]", text)
    }
    assert len(found) > 100
    assert sorted(one for one in found if one[1] not in known) == []


def test_every_extra_named_is_one(texts: list[tuple[str, str]]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pattern = r"install_command\([\"'](\w+)"
    found = {one for path in SOURCES for one in re.findall(pattern, path.read_text("utf-8"))}
    assert found and found <= set(project["optional-dependencies"])
    assert [one for one, text in texts if "install 'corefmill" in text and ".py" in one] == []
