"""Downloading: what Stanza's downloader is asked for, and what is said when it fails."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from corefmill.builders.nlp.stanza_backend import download
from corefmill.corpora.errors import UsageError

DEFAULT = {"tokenize": "a", "ner": "fbk"}
LISTING = {"it": {"packages": {"default": DEFAULT, "isdt": {"tokenize": "isdt"}}}}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the downloader, which is stood in for, was called with."""
    calls: list[dict[str, Any]] = []

    def fetch(lang: str, **more: Any) -> None:
        calls.append({"lang": lang, **more})
        if "fails" in more["model_dir"]:
            raise ValueError("md5 for default.zip is\n0, expected 1")

    def listing(folder: str) -> None:
        if "offline" in folder:
            raise ConnectionError("no way")
        Path(folder).mkdir(exist_ok=True)
        (Path(folder) / "resources.json").write_text(json.dumps(LISTING))

    for name, content in {
        "stanza": {"download": fetch},
        "stanza.resources": {},
        "stanza.resources.common": {"download_resources_json": listing},
    }.items():
        module = ModuleType(name)
        module.__dict__.update(content)
        monkeypatch.setitem(sys.modules, name, module)
    return calls


def test_the_default_package_is_fetched_whole(tmp_path: Path, asked: list[dict[str, Any]]) -> None:
    assert download("it", folder=tmp_path) == tmp_path
    assert asked[0]["package"] == "default"
    assert asked[0]["processors"] == {}
    assert asked[0]["model_dir"] == str(tmp_path)


def test_a_package_of_trees_is_fetched_with_the_default_names(
    tmp_path: Path, asked: list[dict[str, Any]]
) -> None:
    download("it", "isdt", tmp_path)
    assert asked[0]["package"] is None
    assert asked[0]["processors"] == {"tokenize": "isdt", "ner": "default"}


@pytest.mark.parametrize(
    ("lang", "package", "where", "said"),
    [
        ("it", "default", "offline", "were not downloaded: no way"),
        ("it", "default", "fails", "were not downloaded: md5 for default.zip is 0, expected 1"),
        ("it", "nope", "x", r"no package 'nope' for 'it' \(there are default, isdt\)"),
        ("qq", "default", "x", r"no Stanza models for 'qq' .*`corefmill models` lists"),
    ],
)
@pytest.mark.usefixtures("asked")
def test_what_fails_is_one_line(
    tmp_path: Path, lang: str, package: str, where: str, said: str
) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        download(lang, package, tmp_path / where)
    assert "\n" not in str(caught.value)
