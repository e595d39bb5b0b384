"""The component of spaCy's pipelines."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import spacy

pytest.importorskip("torch", reason="needs the extra train")

from corefmill.spacy_component import CorefComponent, find_sentences
from tests.corefmill import trained

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    corpus = trained.folder(folder / "docs", trained.documents(3), trained.documents(2))
    return trained.model(corpus, folder / "model")


def test_clusters_are_spans_numbered_from_one(model: Path) -> None:
    nlp = spacy.blank("en")
    component = nlp.add_pipe("corefmill", config={"model": str(model), "prefix": "who"})
    assert isinstance(component, CorefComponent)
    component.predictor.answer_with(singletons="keep")
    doc = nlp("Ann  met Eve.\n\nShe saw the new baker. He left.")
    other = component.predictor.read(doc.text)
    assert list(doc.spans) == [f"who_{n}" for n in range(1, len(other.clusters) + 1)]
    places = [[(span.start_char, span.end_char) for span in group] for group in doc.spans.values()]
    assert places == [[other.locate(one) for one in cluster] for cluster in other.clusters]
    doc.spans["who_99"], doc.spans["who_is"] = [doc[:1]], [doc[:1]]
    again = component(doc)
    assert "who_99" not in again.spans and "who_is" in again.spans
    assert nlp("").spans == {}


def test_persons_are_found_by_rules_without_a_model() -> None:
    nlp = spacy.blank("it")
    nlp.add_pipe("corefmill")
    (anna, *_) = (doc := nlp("Anna Rossi arriva. Lei saluta.")).spans.values()
    assert [span.text for span in anna] == ["Anna Rossi", "Lei"] and len(doc.spans) == 1


def test_sentences_are_those_of_the_pipeline_where_it_has_any() -> None:
    doc = spacy.blank("en")("Ann left. “Why?” asked Eve.\n\nTitle\n\nBye")
    own = [[word.text for word in one] for one in find_sentences(doc)]
    assert own[0] == ["Ann", "left", "."] and own[1][0] == "“" and own[2:] == [["Title"], ["Bye"]]
    for word in doc:
        word.is_sent_start = word.i == 0
    assert len(find_sentences(doc)) == 1


def test_the_entry_point_makes_the_component(tmp_path: Path) -> None:
    (group, points), *more = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "entry-points"
    ].items()
    assert not more
    info = tmp_path / "there-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: there\nVersion: 1.0\n")
    lines = [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    code = f"""
import sys; sys.path.append({str(tmp_path)!r})
import spacy
from unittest import mock
from corefmill import coref_model
coref_model.load = mock.Mock()  # else torch is imported
nlp = spacy.blank("en")
nlp.add_pipe("corefmill")
nlp.to_disk({str(tmp_path / "nlp")!r})
print(spacy.load({str(tmp_path / "nlp")!r}).pipe_names)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "['corefmill']\n"), done.stderr


def test_a_model_of_masked_names_is_refused(tmp_path: Path) -> None:
    from corefmill.corpora.files.errors import UsageError

    corpus = trained.folder(tmp_path / "names", trained.examples(8), trained.examples(4))
    model = trained.model(corpus, tmp_path / "m")
    with pytest.raises(UsageError, match="labels masked names and cannot read plain text"):
        spacy.blank("en").add_pipe("corefmill", config={"model": str(model)})
