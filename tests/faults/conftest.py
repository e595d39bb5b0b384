from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.faults import small
from tests.pipelines import kept_pipelines  # noqa: F401

_ASKED = os.environ.get("FAULTS", "3")
ALL = _ASKED == "all"
"""Whether all operations are tried with all errors, which takes some hours."""
POINTS = 10**6 if ALL else int(_ASKED)
"""How many operations of a command, or states of its folder, are tried."""


class Tally:
    """What was tried and what failed, by command."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, int, int, int]] = []

    def add(self, kind: str, name: str, operations: int, tried: int, failed: int) -> None:
        """A row of the table."""
        self.rows.append((kind, name, operations, tried, failed))


_TALLY = Tally()


@pytest.fixture
def tally() -> Tally:
    return _TALLY


@pytest.fixture(scope="session")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the inputs of all commands in `given`."""
    folder = tmp_path_factory.mktemp("faults")
    small.given(folder / "given")
    return folder


@pytest.fixture
def inputs(given: Path, request: pytest.FixtureRequest) -> Path:
    """The same, with a model where the command needs one."""
    name = request.node.callspec.params["name"]
    if "../given/model" in small.COMMANDS[name].words and not (given / "given/model").exists():
        pytest.importorskip("torch")
        small.given_model(given / "given")
    return given


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The table, where it was asked for."""
    if "FAULTS" in os.environ:
        write = terminalreporter.write_line
        write("| tried | command | operations | faults | survived |")
        write("|---|---|---|---|---|")
        for kind, name, operations, tried, failed in _TALLY.rows:
            write(f"| {kind} | {name} | {operations} | {tried} | {tried - failed} |")
