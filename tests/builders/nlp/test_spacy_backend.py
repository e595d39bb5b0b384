"""spaCy pipelines: what of one runs, and offsets into the untouched text."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from corefmill.builders.nlp import Analysis, Entity, SentenceWords
from corefmill.builders.nlp.spacy_backend import SpacyPipeline, make_analysis
from corefmill.corpora.files.errors import UsageError
from tests.commands import ROOT

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
def pipeline(folder: Path) -> SpacyPipeline:
    return SpacyPipeline(str(folder), "en")


def analysed(pipeline: SpacyPipeline, text: str) -> Analysis:
    (analysis,) = pipeline.names([text])
    return analysis


def shown(analysis: Analysis) -> list[tuple[str, str]]:
    return [(analysis.text[e.start : e.end], e.label) for e in analysis.entities]


def test_labels_are_the_projects_own(pipeline: SpacyPipeline) -> None:
    found = shown(analysed(pipeline, "Anna, Bob and Zoë in Paris. Odd."))
    persons = [(name, "PERSON") for name in ("Anna", "Bob", "Zoë")]
    assert found == [*persons, ("Paris", "LOC"), ("Odd", "ODDITY")]


def test_offsets_are_those_of_the_untouched_text(pipeline: SpacyPipeline) -> None:
    text = "𝒜 \n\n Anna  left.\tShe ran."
    analysis = analysed(pipeline, text)
    assert analysis.text == text
    assert [text[s:e] for s, e in analysis.tokens] == ["𝒜", "Anna", "left", ".", "She", "ran", "."]
    assert analysis.entities == (Entity(5, 9, "PERSON"),)
    assert [text[s:e] for s, e in analysis.sentences] == ["𝒜 \n\n Anna  left.", "She ran."]
    # White space behind the last sentence was a sentence that ended before it began.
    assert analysed(pipeline, "Anna left.\n\n  ").sentences == ((0, 10),)


def test_names_leaves_the_tagger_out_and_full_runs_it(pipeline: SpacyPipeline) -> None:
    text = "Anna left.\n\nShe ran."
    (names,), (full,) = pipeline.names([text]), pipeline.full([text])
    assert names.upos == ()
    assert full.upos == ("NOUN",) * 6
    assert (full.deprel, full.head) == ((), ())
    for column in ("tokens", "sentences", "entities"):
        assert getattr(full, column) == getattr(names, column)


@pytest.mark.parametrize(
    ("part", "lang", "message"),
    [
        ("sentencizer", "en", r"recognises no names .*name a pipeline with NER by --nlp"),
        ("entity_ruler", "it", "is for language 'it', not 'en'"),
        ("", "", r"'no_such_pipeline' does not load: .*--nlp takes"),
    ],
)
def test_what_cannot_serve_is_refused(save: Save, part: str, lang: str, message: str) -> None:
    name = str(save(part, lang=lang)) if part else "no_such_pipeline"
    with pytest.raises(UsageError, match=message):
        SpacyPipeline(name, "en")


def copied(folder: Path, to: Path) -> Path:
    return Path(shutil.copytree(folder, to / "copy"))


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("meta.json", b'{"a": '),
        ("config.cfg", b""),
        ("tokenizer", b"\xff\xfe{["),
        ("vocab/vectors", b""),
    ],
)
def test_a_broken_pipeline_is_a_usage_error_with_a_reason(
    folder: Path, tmp_path: Path, file: str, content: bytes
) -> None:
    """An empty file of vectors was an EOFError, and a broken config gave an empty reason."""
    broken = copied(folder, tmp_path)
    (broken / file).write_bytes(content)
    with pytest.raises(UsageError, match=r"does not load: [^( ]"):
        SpacyPipeline(str(broken), "en")


def test_identity_changes_with_the_weights_and_the_version_does_not(
    folder: Path, tmp_path: Path, pipeline: SpacyPipeline
) -> None:
    other = copied(folder, tmp_path)
    (other / "README.md").write_text("A card, which does not count.")
    assert SpacyPipeline(str(other), "en").identity == pipeline.identity
    patterns = other / "entity_ruler" / "patterns.jsonl"
    patterns.write_text(patterns.read_text("utf-8").replace("Anna", "Anja"), "utf-8")
    changed = SpacyPipeline(str(other), "en")
    assert changed.identity != pipeline.identity
    assert changed.version == pipeline.version == "en_pipeline 0.0.0"


def test_given_words_come_back_one_for_one() -> None:
    english = SpacyPipeline("en_mini", None)
    forms = ["Denise", "met", "well-known", "Mr", ".", "X", "."]
    words = SentenceWords(forms, [True] * 6 + [False])
    (analysis,) = english.on_words([words])
    assert analysis.text == words.text == "Denise met well-known Mr . X ."
    assert analysis.forms == tuple(words.forms)
    assert len(analysis.head) == 7
    assert ("Denise", "PERSON") in shown(analysis)


def italian(text: str) -> Doc:
    """A Doc whose tokens are the pieces of multiword tokens, as it_mini cuts them."""
    nlp = spacy.blank("it")
    nlp.add_pipe("sentencizer")
    for written, pieces in (("della", "de|di lla|la"), ("Nel", "Ne|in l|il")):
        cut = [piece.split("|") for piece in pieces.split()]
        nlp.tokenizer.add_special_case(  # type: ignore[attr-defined]
            written, [{"ORTH": orth, "NORM": norm} for orth, norm in cut]
        )
    return nlp(text)


def test_sentences_are_parsed_alike_without_names() -> None:
    pipeline = SpacyPipeline("it_mini", "it")
    text = "Anna Rossi vive nella casa di Mario."
    (whole,) = pipeline.full([text])
    (bare,) = pipeline.trees([(text, [(0, len(text))])])
    assert whole.entities
    assert not bare.entities
    assert (bare.head, bare.feats, bare.forms) == (whole.head, whole.feats, whole.forms)


def test_trees_keep_to_the_sentences_that_are_given() -> None:
    pipeline = SpacyPipeline("en_mini", "en")
    text = "Ann saw Mr. Lee. He was late"
    (one,) = pipeline.trees([(text, [(0, len(text))])])
    (two,) = pipeline.trees([(text, [(0, 7), (8, 16), (17, len(text))])])
    assert one.sentences == ((0, len(text)),)
    assert two.sentences == ((0, 7), (8, 16), (17, len(text)))
    assert sum(head == word for word, head in enumerate(two.head)) == 3


def test_words_of_a_multiword_token_share_its_span_and_have_their_own_forms() -> None:
    found = make_analysis(italian("Nel cuore della notte."), multiword=True)
    assert found.tokens == ((0, 3), (4, 9), (10, 15), (16, 21), (21, 22))
    assert found.words == ((0, 3), (0, 3), (4, 9), (10, 15), (10, 15), (16, 21), (21, 22))
    assert found.forms == ("In", "il", "cuore", "di", "la", "notte", ".")


def test_code_that_comes_with_a_model_is_not_asked_for(save: Save, tmp_path: Path) -> None:
    folder = save("sentencizer")
    config = (folder / "config.cfg").read_text()
    asked = config.replace("[training]", '[training]\nextra = {"trust\\u005fremote_code": true}')
    (folder / "config.cfg").write_text(asked)
    with pytest.raises(UsageError, match=r"config.cfg asks to run code that comes with a model"):
        SpacyPipeline(str(folder), "en", names=False)


def test_new_words_are_forgotten_once_there_are_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corefmill.builders.nlp.spacy_backend._KEPT_WORDS", 1_000)
    monkeypatch.setattr("corefmill.builders.nlp.spacy_backend._ZONE_CHARACTERS", 12_000)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "blank")
    pipeline = SpacyPipeline(str(tmp_path / "blank"), "en", names=False)
    words = pipeline._nlp.vocab.strings

    def names(first: int) -> Iterator[str]:
        """A hundred names a text that nobody has."""
        for start in range(first, first + 15_000, 100):
            yield " ".join(f"Xa{number:x}" for number in range(start, start + 100))

    assert sum(len(made.tokens) for made in pipeline.sentences(names(0))) == 15_000
    before = len(words)
    assert sum(len(made.tokens) for made in pipeline.sentences(names(15_000))) == 15_000
    assert len(words) == before < 15_000


def printed(code: str, *path: Path) -> str:
    """The output of a script in a process of its own, with these folders of modules."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout


@pytest.mark.parametrize(
    "package", ["", pytest.param("spacy_transformers", marks=pytest.mark.thorough)]
)
def test_torch_is_loaded_with_the_packages_that_need_it_alone(tmp_path: Path, package: str) -> None:
    (tmp_path / "torch.py").touch()
    if package:
        (tmp_path / f"{package}.py").touch()
    # What a worker process imports first, since its stages are unpickled.
    code = "import sys, corefmill.builders.nlp.spacy_backend; print('torch' in sys.modules)"
    assert printed(code, tmp_path, ROOT) == f"{bool(package)}\n"


def test_the_commands_of_spacy_are_left_to_who_asks_for_them() -> None:
    code = """
import sys, corefmill.builders.nlp.lean
print([name for name in ("spacy.cli", "requests", "weasel") if name in sys.modules])
import spacy.cli
print(spacy.cli.info is sys.modules["spacy.cli.info"].info, callable(spacy.cli.info))
"""
    assert printed(code, ROOT) == "[]\nTrue True\n"
