"""Pipelines: which one is taken, what of it runs, and offsets into the untouched text."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

import models
from builders.nlp import Analysis, Entity, Pipeline, choose
from corpora.errors import UsageError

PATTERNS = {"Anna": "PER", "Bob": "PRS", "Zoë": "persName", "Paris": "GPE", "Odd": "ODDITY"}


@Language.component("corefmill_tests_tagger")
def tag(doc: Doc) -> Doc:
    """Calls every word a noun, and so shows whether it ran."""
    for token in doc:
        token.pos_ = "NOUN"
    return doc


Save = Callable[..., Path]


@pytest.fixture(scope="module")
def save(tmp_path_factory: pytest.TempPathFactory) -> Save:
    """Makes a pipeline of rules alone and returns its folder."""

    def make(*parts: str, lang: str = "en") -> Path:
        nlp = spacy.blank(lang)
        for part in parts:
            if part == "tagger":
                nlp.add_pipe("corefmill_tests_tagger", name="tagger")
                continue
            made = nlp.add_pipe(part)
            if part == "entity_ruler":
                patterns = [{"label": label, "pattern": form} for form, label in PATTERNS.items()]
                made.add_patterns(patterns)  # type: ignore[attr-defined]
        folder = tmp_path_factory.mktemp("pipeline") / "tiny"
        nlp.to_disk(folder)
        return folder

    return make


@pytest.fixture(scope="module")
def folder(save: Save) -> Path:
    return save("sentencizer", "tagger", "entity_ruler")


@pytest.fixture(scope="module")
def pipeline(folder: Path) -> Pipeline:
    return Pipeline(str(folder), "en")


def analysed(pipeline: Pipeline, text: str) -> Analysis:
    (analysis,) = pipeline.names([text])
    return analysis


def shown(analysis: Analysis) -> list[tuple[str, str]]:
    return [(analysis.text[e.start : e.end], e.label) for e in analysis.entities]


def test_labels_are_the_projects_own_whatever_the_pipeline_calls_them(pipeline: Pipeline) -> None:
    assert shown(analysed(pipeline, "Anna, Bob and Zoë in Paris. Odd.")) == [
        ("Anna", "PERSON"),
        ("Bob", "PERSON"),
        ("Zoë", "PERSON"),
        ("Paris", "LOC"),
        ("Odd", "ODDITY"),
    ]


def test_offsets_are_those_of_the_untouched_text(pipeline: Pipeline) -> None:
    text = "𝒜 \n\n Anna  left.\tShe ran."
    analysis = analysed(pipeline, text)
    assert analysis.text == text
    assert [text[s:e] for s, e in analysis.tokens] == ["𝒜", "Anna", "left", ".", "She", "ran", "."]
    assert analysis.entities == (Entity(5, 9, "PERSON"),)
    assert [text[s:e] for s, e in analysis.sentences] == ["𝒜 \n\n Anna  left.", "She ran."]


@pytest.mark.parametrize("text", ["", " ", " \n\t "])
def test_white_space_alone_has_no_token_and_no_sentence(pipeline: Pipeline, text: str) -> None:
    assert analysed(pipeline, text) == Analysis(text, (), (), ())


def test_white_space_behind_the_last_sentence_is_no_sentence_that_ends_before_it_begins(
    pipeline: Pipeline,
) -> None:
    assert analysed(pipeline, "Anna left.\n\n  ").sentences == ((0, 10),)


def test_names_leaves_the_tagger_out_and_full_runs_it(pipeline: Pipeline) -> None:
    text = "Anna left.\n\nShe ran."
    (names,), (full,) = pipeline.names([text]), pipeline.full([text])
    assert names.upos == ()
    assert full.upos == ("NOUN",) * 6
    assert (full.deprel, full.head) == ((), ())
    assert (full.tokens, full.sentences, full.entities) == (
        names.tokens,
        names.sentences,
        names.entities,
    )


def test_texts_come_back_in_their_order(pipeline: Pipeline) -> None:
    texts = [f"Anna saw {number} birds." for number in range(150)]  # more than a batch
    assert [analysis.text for analysis in pipeline.names(texts)] == texts


def test_a_pipeline_without_sentences_gets_them(save: Save) -> None:
    bare = Pipeline(str(save("entity_ruler")), "en")
    assert analysed(bare, "Anna left. Bob ran.").sentences == ((0, 10), (11, 19))


def test_a_pipeline_without_names_is_refused(save: Save) -> None:
    with pytest.raises(UsageError, match=r"recognises no names .*name one with NER by --nlp"):
        Pipeline(str(save("sentencizer")), "en")


def test_a_pipeline_of_another_language_is_refused(save: Save) -> None:
    with pytest.raises(UsageError, match="is for language 'it', not 'en'"):
        Pipeline(str(save("entity_ruler", lang="it")), "en")


def test_a_pipeline_of_many_languages_serves_any(save: Save) -> None:
    many = Pipeline(str(save("entity_ruler", lang="xx")), "it")
    assert shown(analysed(many, "Anna rise.")) == [("Anna", "PERSON")]


def test_a_pipeline_that_is_not_there_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match=r"'no_such_pipeline' does not load: .*--nlp takes"):
        Pipeline("no_such_pipeline", "en")


def test_a_folder_that_holds_none_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"does not load: .*meta\.json"):
        Pipeline(str(tmp_path), "en")


def copied(folder: Path, to: Path) -> Path:
    return Path(shutil.copytree(folder, to / "copy"))


@pytest.mark.parametrize("content", [b"", b"\xff\xfe{[", b'{"a": '])
@pytest.mark.parametrize(
    "file", ["meta.json", "config.cfg", "tokenizer", "vocab/vectors", "entity_ruler/cfg"]
)
def test_a_broken_pipeline_is_a_usage_error_with_a_reason(
    folder: Path, tmp_path: Path, file: str, content: bytes
) -> None:
    """An empty file of vectors was an EOFError, and a broken config gave an empty reason."""
    broken = copied(folder, tmp_path)
    (broken / file).write_bytes(content)
    with pytest.raises(UsageError, match=r"does not load: [^( ]"):
        Pipeline(str(broken), "en")


def test_identity_changes_with_the_weights_and_the_version_does_not(
    folder: Path, tmp_path: Path, pipeline: Pipeline
) -> None:
    other = copied(folder, tmp_path)
    assert Pipeline(str(other), "en").identity == pipeline.identity
    patterns = other / "entity_ruler" / "patterns.jsonl"
    patterns.write_text(patterns.read_text("utf-8").replace("Anna", "Anja"), "utf-8")
    changed = Pipeline(str(other), "en")
    assert changed.identity != pipeline.identity
    assert changed.version == pipeline.version == "en_pipeline 0.0.0"


def test_identity_does_not_change_with_the_card(folder: Path, tmp_path: Path) -> None:
    other = copied(folder, tmp_path)
    before = Pipeline(str(other), "en").identity
    (other / "README.md").write_text("A card.")
    assert Pipeline(str(other), "en").identity == before


def test_the_shipped_pipeline_finds_persons_and_parses() -> None:
    english = Pipeline("en_mini", "en")
    text = "Denise wrote to Mr. Darcy. He was in London, and he did not answer her."
    (names,), (full,) = english.names([text]), english.full([text])
    assert ("Denise", "PERSON") in shown(names)
    assert len(names.sentences) == 2
    assert (names.upos, names.head) == ((), ())
    assert names.entities == full.entities
    assert len(full.upos) == len(full.deprel) == len(full.head) == len(full.tokens)
    assert "PROPN" in full.upos
    assert english.version.startswith("en_mini ")


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names that spaCy says are installed, for the test to fill."""
    found: list[str] = []
    monkeypatch.setattr(spacy.util, "get_installed_models", lambda: found)
    return found


def test_the_largest_installed_pipeline_is_chosen(installed: list[str]) -> None:
    installed += ["en_core_web_sm", "en_core_web_lg", "it_core_news_lg", "en_core_web_md"]
    assert choose("en") == "en_core_web_lg"
    installed.append("en_core_web_trf")
    assert choose("en") == "en_core_web_trf"


def test_with_none_installed_the_one_that_ships_is_chosen(installed: list[str]) -> None:
    assert installed == []
    assert choose("en") == "en_mini"
    assert "en_mini" in models.names()


def test_an_installed_pipeline_of_another_language_does_not_serve(installed: list[str]) -> None:
    installed.append("enm_core_news_lg")
    assert choose("en") == "en_mini"


def test_a_language_without_any_says_what_to_install(installed: list[str]) -> None:
    assert installed == []
    with pytest.raises(UsageError, match="no pipeline for language 'xx-no-such'") as caught:
        choose("xx-no-such")
    assert "spacy download xx-no-such_core_news_sm" in str(caught.value)
    assert "--nlp NAME|DIR" in str(caught.value)
