"""One name for one thing, over the options of all commands, and what a shell completes of them."""

from __future__ import annotations

import os
from collections import defaultdict
from typing import Any

import pytest

from tests.commands import command
from tests.corefmill.test_json import COMMANDS

SAME = {"--json", "--quiet", "--markdown", "--verbose", "--bootstrap", "--data-dir"}
"""Options that say and take the same wherever they are, but for where they look."""


def options() -> list[tuple[str, str, Any]]:
    """The command, the longest flag and the option, of every option of every command."""
    return [
        (" ".join(words), max(one.opts, key=len), one)
        for words, made in COMMANDS.items()
        for one in made.params
        if one.param_type_name == "option"
    ]


def test_what_is_said_in_the_same_words_has_the_same_name() -> None:
    names = defaultdict(set)
    for _, flag, one in options():
        names[one.help].add(flag)
    assert [flags for flags in names.values() if len(flags) > 1] == []


def test_no_option_has_an_opposite_of_its_own() -> None:
    assert [(name, one.secondary_opts) for name, _, one in options() if one.secondary_opts] == []


@pytest.mark.parametrize("flag", sorted(SAME - {"--data-dir", "--json"}))
def test_one_name_means_one_thing(flag: str) -> None:
    found = {(one.help, one.metavar) for name, own, one in options() if own == flag}
    assert len(found) == 1 + (flag == "--bootstrap")  # of score it has intervals only where given


def test_a_seed_is_0_unless_it_is_given() -> None:
    seeds = {name: one.default for name, flag, one in options() if flag == "--seed"}
    assert set(seeds.values()) <= {0, None} and seeds["score"] == 0


def test_every_command_can_be_verbose() -> None:
    verbose = {name for name, flag, _ in options() if flag == "--verbose"}
    assert verbose == set(map(" ".join, COMMANDS))


def test_few_options() -> None:
    """At most 30 of a builder and 110 in all, --help and --version among them."""
    flags: dict[str, set[str]] = defaultdict(set)
    for name, flag, _ in options():
        flags[name].add(flag)
    assert {name: len(own) for name, own in flags.items() if len(own) >= 30} == {}
    assert len(set().union(*flags.values(), {"--help", "--version"})) <= 110


@pytest.mark.parametrize(
    ("line", "values"), [("corefmill buil", "build"), ("build wi", "wikicrem wikirand")]
)
def test_a_shell_completes_commands(
    line: str, values: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = line.split()[0]
    monkeypatch.setitem(os.environ, f"_{script.upper()}_COMPLETE", "bash_complete")
    monkeypatch.setitem(os.environ, "COMP_WORDS", line)
    monkeypatch.setitem(os.environ, "COMP_CWORD", str(line.count(" ")))
    done = command(script)
    assert {one.partition(",")[2] for one in done.stdout.split()} == set(values.split())
