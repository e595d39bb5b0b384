"""Which pipeline is chosen, what is here and can be had, and what a meta.json says of scores."""

from __future__ import annotations

import json
import re
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import spacy

from corefmill.builders.nlp import catalogue, choose_pipeline, load_pipeline
from corefmill.builders.nlp.catalogue import find_scores, format_scores, list_offers
from corefmill.builders.nlp.stanza_backend import RESOURCES
from corefmill.corpora.files.errors import UsageError


@pytest.fixture(autouse=True)
def nothing_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: ())
    monkeypatch.setenv("STANZA_RESOURCES_DIR", str(tmp_path))
    return tmp_path


def test_the_shipped_pipeline_comes_first() -> None:
    first = list_offers("en")[0]
    assert (first.name, first.state, first.kind) == ("en_mini", "ships", "spaCy")
    assert {"sentences", "tags", "trees", "names"} <= set(first.does)
    assert first.licence == "CC BY-NC-SA 4.0"


def test_what_can_be_had_says_how() -> None:
    how = {offer.name: offer.how for offer in list_offers("it") if offer.state == "available"}
    assert how["it_core_news_lg"] == "python -m spacy download it_core_news_lg"
    assert how["stanza"].endswith("corefmill models download stanza --lang it")
    assert "xx_ent_wiki_sm" in how
    assert "en_core_web_sm" not in how


def test_stanza_models_that_were_downloaded_are_here(nothing_here: Path) -> None:
    (nothing_here / "resources.json").write_text(json.dumps({"it": {}, "de": {}}))
    for part in ("tokenize", "ner"):
        (nothing_here / "it" / part).mkdir(parents=True)
        (nothing_here / "it" / part / "a.pt").touch()
    (found,) = [offer for offer in list_offers("it") if offer.kind == "Stanza"]
    assert (found.state, found.does) == ("installed", ("sentences", "names"))
    assert [offer.state for offer in list_offers("de") if offer.kind == "Stanza"] == ["available"]


def test_an_installed_pipeline_is_not_offered_again(
    nothing_here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = nothing_here / "en_core_web_sm-3.8.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: en_core_web_sm\nVersion: 3.8.0\n")
    (told / "entry_points.txt").write_text("[spacy_models]\nen_core_web_sm = en_core_web_sm\n")
    monkeypatch.syspath_prepend(nothing_here)
    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
    assert [o.state for o in list_offers("en") if o.name == "en_core_web_sm"] == ["installed"]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names that spaCy says are installed, for the test to fill."""
    found: list[str] = []
    monkeypatch.setattr(spacy.util, "get_installed_models", lambda: found)
    return found


def test_ours_is_chosen_else_the_largest_installed_one(
    installed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "shipped_names", lambda: ["en_mini"])
    installed += ["de_core_news_sm", "en_core_web_trf", "de_core_news_lg", "de_core_news_md"]
    assert (choose_pipeline("en"), choose_pipeline("de")) == ("en_mini", "de_core_news_lg")
    installed.append("de_core_news_trf")
    assert choose_pipeline("de") == "de_core_news_trf"


def test_a_language_without_any_says_what_to_install(installed: list[str]) -> None:
    assert installed == []
    with pytest.raises(UsageError, match="no pipeline for language 'xx-no-such'") as caught:
        choose_pipeline("xx-no-such")
    assert "--nlp NAME|DIR" in str(caught.value)


@pytest.fixture
def stanza(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """What a Stanza pipeline was asked for with."""
    asked: list[tuple[object, ...]] = []

    def pipeline(
        lang: str, package: str = "default", folder: Path | None = None, *, names: bool
    ) -> None:
        asked.append((lang, package, folder, names))

    monkeypatch.setattr("corefmill.builders.nlp.catalogue.StanzaPipeline", pipeline)
    return asked


def test_stanza_is_named_with_or_without_a_package_or_by_a_folder(
    tmp_path: Path, stanza: list[tuple[object, ...]]
) -> None:
    (tmp_path / RESOURCES).write_text("{}")
    load_pipeline("stanza", "it")
    load_pipeline("stanza:isdt", "it", names=False)
    load_pipeline(str(tmp_path), "it")
    assert stanza == [
        ("it", "default", None, True),
        ("it", "isdt", None, False),
        ("it", "default", tmp_path, True),
    ]


def test_ours_are_told_with_sentences_and_intervals() -> None:
    f1, of = r"[0-9.]+ \[[0-9.]+, [0-9.]+\]", "of [0-9,]+ sentences"
    told = rf"PER {f1} {of}; UPOS {f1}, LAS {f1} {of} \(held out; names of WikiNEuRal, trees .*\)"
    assert all(re.fullmatch(told, find_scores(name)) for name in ("en_mini", "it_mini"))
    assert format_scores({"performance": {"dep_las": 0.8048}}) == "LAS 80.5 (by its makers)"
