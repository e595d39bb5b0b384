"""Stanza pipelines: which models are asked for, what is run, and what is said of missing ones.

Stanza itself is stood in for: neither it nor its models are needed here.
"""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from corefmill.builders.nlp import SentenceWords, WordsBackend
from corefmill.builders.nlp.stanza_backend import (
    StanzaPipeline,
    choose_processors,
    download_models,
)
from corefmill.corpora.files.errors import UsageError

TREES = dict.fromkeys(("tokenize", "mwt", "pos", "lemma", "depparse"), "a")
LISTING = {
    "it": {"packages": {"default": {**TREES, "ner": "fbk", "optional": {}}, "isdt": TREES}},
    "ta": {"packages": {"default": {"tokenize": "ttb", "pos": "ttb"}}},
    "italian": {"alias": "it"},
    "url": "https://example.org",
}


class Document:
    """Stands for Stanza's: each blank-free stretch of the text is a token."""

    def __init__(self, sentences: list[list[dict[str, Any]]], text: str) -> None:
        self.text = text
        self.sentences: list[Any] = []
        if sentences:
            self.cut([(row["text"], row["start_char"]) for row in sentences[0]])

    def cut(self, forms: list[tuple[str, int]]) -> None:
        none = dict.fromkeys(("upos", "xpos", "feats", "lemma", "deprel", "head"))
        tokens = [
            SimpleNamespace(
                text=form,
                start_char=start,
                end_char=start + len(form),
                words=[SimpleNamespace(text=form, **none)],
            )
            for form, start in forms
        ]
        words = [token.words[0] for token in tokens]
        self.sentences = [SimpleNamespace(tokens=tokens, words=words, ents=[])]


class Stub:
    """Stands for `stanza.Pipeline`; remembers what it was made and called with."""

    made: dict[str, Any]
    called: list[tuple[int, list[str]]]

    def __init__(self, lang: str, *, dir: str, processors: dict[str, str], **more: Any) -> None:
        Stub.made = {"lang": lang, "dir": dir, "processors": processors, **more}
        Stub.called = []
        if Path(dir, "broken").exists():
            raise FileNotFoundError("Could not find\nmodel file a.pt")
        self.processors = processors
        self.config = {"ner_dependencies": [{"charlm": f"{dir}/b.pt"}], "model_path": f"{dir}/a.pt"}

    def bulk_process(self, documents: list[Document], processors: list[str]) -> list[Document]:
        Stub.called.append((len(documents), processors))
        for document in documents:
            assert document.text.strip()
            if "tokenize" in processors:
                document.cut([(form, document.text.index(form)) for form in document.text.split()])
        return documents


def stand_in(monkeypatch: pytest.MonkeyPatch, name: str, **content: Any) -> None:
    """Put a module with this content in the place of one that is not needed here."""
    module = ModuleType(name)
    module.__dict__.update(content)
    monkeypatch.setitem(sys.modules, name, module)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of models, in Stanza's own place."""
    (tmp_path / "resources.json").write_text(json.dumps(LISTING))
    (tmp_path / "a.pt").write_bytes(b"a")
    (tmp_path / "b.pt").write_bytes(b"b")
    monkeypatch.setenv("STANZA_RESOURCES_DIR", str(tmp_path))
    stand_in(monkeypatch, "torch", set_num_threads=lambda number: None)
    stand_in(monkeypatch, "stanza", Pipeline=Stub, __version__="1.10.1")
    for name in ("stanza.models", "stanza.models.common"):
        stand_in(monkeypatch, name)
    stand_in(monkeypatch, "stanza.models.common.doc", Document=Document)
    return tmp_path


def test_nothing_is_downloaded_and_only_what_is_needed_loaded(folder: Path) -> None:
    pipeline = StanzaPipeline("it")
    assert pipeline.name == "stanza"
    assert pipeline.version == "stanza 1.10.1 it default"
    assert Stub.made["download_method"] is None
    assert Stub.made["dir"] == str(folder)
    assert list(Stub.made["processors"]) == [*TREES, "ner"]
    assert isinstance(pipeline, WordsBackend)


def test_each_method_runs_its_processors(folder: Path) -> None:
    pipeline = StanzaPipeline("it")
    for method in (pipeline.sentences, pipeline.names, pipeline.full):
        assert [analysis.text for analysis in method(["Anna ride"])] == ["Anna ride"]
    (given,) = pipeline.on_words([SentenceWords(["Anna", "ride"], [True, False])])
    assert given.tokens == ((0, 4), (5, 9))
    assert [steps for _, steps in Stub.called] == [
        ["tokenize", "mwt"],
        ["tokenize", "mwt", "ner"],
        [*TREES, "ner"],
        ["pos", "lemma", "depparse", "ner"],
    ]


def test_identity_changes_with_the_weights(folder: Path) -> None:
    before = StanzaPipeline("it").identity
    assert StanzaPipeline("it").identity == before
    (folder / "b.pt").write_bytes(b"c")
    assert StanzaPipeline("it").identity != before


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("none", "no Stanza models for 'it' in .*none"),
        ("broken", "do not load: Could not find model file a.pt"),
    ],
)
def test_models_that_are_missing_or_do_not_load_say_what_downloads_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    (folder / "broken").touch()
    if name == "none":
        monkeypatch.setenv("STANZA_RESOURCES_DIR", str(folder / name))
    with pytest.raises(UsageError, match=rf"{said} \(corefmill models download stanza --lang it\)"):
        StanzaPipeline("it")


def test_a_language_without_names_is_refused_unless_none_are_needed(folder: Path) -> None:
    with pytest.raises(UsageError, match="no recogniser of names for language 'ta'"):
        StanzaPipeline("ta")
    StanzaPipeline("ta", names=False)
    assert Stub.made["processors"] == {"tokenize": "default", "pos": "default"}


def test_it_is_loaded_guarded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Asks(Stub):
        def __init__(self, *args: Any, **more: Any) -> None:
            assert os.environ["TORCH_FORCE_WEIGHTS_ONLY_LOAD"] == "1"
            super().__init__(*args, **more)
            input("Do you wish to run the custom code? [y/N] ")

    monkeypatch.setattr(sys.modules["stanza"], "Pipeline", Asks)
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    with pytest.raises(UsageError, match="do not load: EOF when reading a line"):
        StanzaPipeline("it")


def test_stanza_that_is_not_installed_says_how(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stanza", None)
    with pytest.raises(UsageError, match=r"pip install .*\[stanza\]'"):
        StanzaPipeline("it")


def test_a_package_of_trees_gets_the_default_names(folder: Path) -> None:
    trees = dict.fromkeys(TREES, "isdt")
    assert choose_processors(folder, "it", "isdt", "") == {**trees, "ner": "default"}
    assert choose_processors(folder, "italian", "default", "")["ner"] == "default"
    with pytest.raises(UsageError, match=r"no package 'vit' for 'it' \(there are default, isdt\)"):
        choose_processors(folder, "it", "vit", "")


DEFAULT = {"tokenize": "a", "ner": "fbk"}
DOWNLOADS = {"it": {"packages": {"default": DEFAULT, "isdt": {"tokenize": "isdt"}}}}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the downloader, which is stood in for, was called with."""
    calls: list[dict[str, Any]] = []

    def fetch(lang: str, **more: Any) -> None:
        calls.append({"lang": lang, **more})
        if "fails" in more["model_dir"]:
            raise ValueError("md5 for default.zip is\n0, expected 1")

    def write_listing(folder: str) -> None:
        if "offline" in folder:
            raise ConnectionError("no way")
        Path(folder).mkdir(exist_ok=True)
        (Path(folder) / "resources.json").write_text(json.dumps(DOWNLOADS))

    stand_in(monkeypatch, "stanza", download=fetch)
    stand_in(monkeypatch, "stanza.resources")
    stand_in(monkeypatch, "stanza.resources.common", download_resources_json=write_listing)
    return calls


def test_a_package_of_trees_is_fetched_with_the_default_names(
    tmp_path: Path, asked: list[dict[str, Any]]
) -> None:
    download_models("it", "isdt", tmp_path)
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
        download_models(lang, package, tmp_path / where)
    assert "\n" not in str(caught.value)
