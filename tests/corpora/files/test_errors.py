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

WHOLE = DataError("no record", path="a.jsonl", line=3, remedy="mend it")


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (DataError("no record"), "no record"),
        (DataError("no record", path=Path("a.jsonl")), "a.jsonl: no record"),
        (DataError("no record", path="a.jsonl", line=3), "a.jsonl:3: no record"),
        (WHOLE, "a.jsonl:3: no record (mend it)"),
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


def test_an_error_crosses_to_another_process_whole() -> None:
    for error in (WHOLE, UsageError(WHOLE.message, path="a.jsonl", line=3, remedy="mend it")):
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error)
        assert (vars(copy), str(copy)) == (vars(error), str(error))


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


PIP = str(Path(sys.executable).with_name("pip"))


@pytest.mark.parametrize("name", ["c.whl", "c 1.whl"])
def test_a_wheel_is_named_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    wheel = tmp_path / name
    wheel.touch()
    origin = {"url": wheel.as_uri(), "archive_info": {}}
    place = tmp_path / "site/corefmill/corpora/files/errors.py"
    monkeypatch.setattr("shutil.which", lambda name: PIP)
    monkeypatch.setattr(errors, "__file__", str(place))
    monkeypatch.setattr(errors, "distribution", lambda name: Installed(origin))
    assert errors.install_command("train") == f"pip install '{wheel}[train]'"


@pytest.mark.parametrize(
    ("found", "pip"),
    [
        (PIP, "pip"),
        (None, f"{sys.executable} -m pip"),
        ("/elsewhere/bin/pip", f"{sys.executable} -m pip"),
    ],
)
def test_a_checkout_is_named_and_no_pip_of_another_python(
    monkeypatch: pytest.MonkeyPatch, found: str | None, pip: str
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: found)
    assert errors.install_command("train") == f"{pip} install -e '{ROOT}[train]'"
