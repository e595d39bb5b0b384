"""The command that installs an extra works for how corefmill itself was installed."""

from __future__ import annotations

import json
import sys
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path

import pytest

from corefmill.corpora import installation
from tests.commands import ROOT


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
    place = tmp_path / "site/corefmill/corpora/installation.py"
    monkeypatch.setattr(installation, "__file__", str(place))
    return tmp_path


def command(monkeypatch: pytest.MonkeyPatch, origin: object) -> str:
    monkeypatch.setattr(installation, "distribution", lambda name: Installed(origin))
    return installation.install_command("train")


def test_a_checkout_is_named(pip: str) -> None:
    assert installation.install_command("train") == f"pip install -e '{ROOT}[train]'"


@pytest.mark.parametrize("name", ["c.whl", "c 1.whl"])
def test_a_wheel_is_named_by_its_path(
    pip: str, site: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    wheel = site / name
    wheel.touch()
    said = command(monkeypatch, {"url": wheel.as_uri(), "archive_info": {}})
    assert said == f"pip install '{wheel}[train]'"


def test_a_wheel_that_is_gone_is_named_without_its_folder(
    pip: str, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = command(monkeypatch, {"url": (site / "c.whl").as_uri(), "archive_info": {}})
    assert said == "pip install 'c.whl[train]'"


def test_a_repository_and_an_index_are_what_pip_knows(
    pip: str, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin = {"url": "https://example.org/c.git", "vcs_info": {"vcs": "git"}}
    named = "pip install 'corefmill[train] @ git+https://example.org/c.git'"
    assert command(monkeypatch, origin) == named
    assert command(monkeypatch, None) == "pip install 'corefmill[train]'"


def test_a_copy_that_pip_does_not_know(
    pip: str, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(name: str) -> Distribution:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(installation, "distribution", unknown)
    assert installation.install_command("train") == "pip install 'corefmill[train]'"


@pytest.mark.parametrize("found", [None, "/elsewhere/bin/pip"])
def test_pip_of_another_python_is_not_named(
    monkeypatch: pytest.MonkeyPatch, found: str | None
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: found)
    assert installation.install_command("train").startswith(f"{sys.executable} -m pip install -e ")
