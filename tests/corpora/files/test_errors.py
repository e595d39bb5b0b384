"""Errors name file, line and remedy."""

from __future__ import annotations

import json
import pickle
import sys
from importlib.metadata import Distribution
from pathlib import Path

import pytest

from corefmill.corpora.files import errors
from corefmill.corpora.files.errors import CorefmillError, DataError, UsageError, did_you_mean
from tests.commands import ROOT


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (DataError("no record"), "no record"),
        (DataError("no record", path=Path("a.jsonl")), "a.jsonl: no record"),
        (DataError("no record", path="a.jsonl", line=3), "a.jsonl:3: no record"),
        (
            DataError("no record", path="a.jsonl", line=3, remedy="mend it"),
            "a.jsonl:3: no record (mend it)",
        ),
        (UsageError("a message\n  of\tlines"), "a message of lines"),
    ],
)
def test_is_one_line(error: CorefmillError, line: str) -> None:
    assert str(error) == line


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (Path("s3://bucket/a.jsonl"), "s3://bucket/a.jsonl"),
        ("https://host/a.jsonl", "https://host/a.jsonl"),
        (Path("/home/ann/gs://bucket/a"), "gs://bucket/a"),
        (Path("s3:"), "s3:"),
        (Path("out/s3:/a"), "out/s3:/a"),
        (Path("files:/a"), "files:/a"),
    ],
)
def test_a_url_is_shown_as_it_was_given(path: Path | str, shown: str) -> None:
    assert str(DataError("no record", path=path)) == f"{shown}: no record"


@pytest.mark.parametrize("kind", [DataError, UsageError])
def test_crosses_to_another_process_whole(kind: type[CorefmillError]) -> None:
    error = kind("no record", path="a.jsonl", line=3, remedy="mend it")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert vars(copy) == vars(error)
    assert str(copy) == str(error)


def test_the_nearest_name() -> None:
    assert did_you_mean("papper", ["cpu", "paper"]) == ", did you mean paper?"
    assert did_you_mean("nothing", ["cpu", "paper"]) == ""


class Installed(Distribution):
    """A distribution of which pip kept `origin`."""

    def __init__(self, origin: object) -> None:
        self.origin = origin

    def read_text(self, filename: str) -> str | None:
        assert filename == "direct_url.json"
        return None if self.origin is None else json.dumps(self.origin)

    def locate_file(self, path: object) -> Path:
        raise NotImplementedError


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> str:
    """The pip that a shell finds is this Python's."""
    found = str(Path(sys.executable).with_name("pip"))
    monkeypatch.setattr("shutil.which", lambda name: found)
    return found


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The module lies among installed packages."""
    place = tmp_path / "site/corefmill/corpora/files/errors.py"
    monkeypatch.setattr(errors, "__file__", str(place))
    return tmp_path


def command(monkeypatch: pytest.MonkeyPatch, origin: object) -> str:
    monkeypatch.setattr(errors, "distribution", lambda name: Installed(origin))
    return errors.install_command("train")


def test_a_checkout_is_named(pip: str) -> None:
    assert errors.install_command("train") == f"pip install -e '{ROOT}[train]'"


@pytest.mark.parametrize("name", ["c.whl", "c 1.whl"])
def test_a_wheel_is_named_by_its_path(
    pip: str, site: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    wheel = site / name
    wheel.touch()
    said = command(monkeypatch, {"url": wheel.as_uri(), "archive_info": {}})
    assert said == f"pip install '{wheel}[train]'"


@pytest.mark.parametrize("found", [None, "/elsewhere/bin/pip"])
def test_pip_of_another_python_is_not_named(
    monkeypatch: pytest.MonkeyPatch, found: str | None
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: found)
    assert errors.install_command("train").startswith(f"{sys.executable} -m pip install -e ")
