"""The faster networks give spaCy's own answers, and leave to spaCy what they do not know."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from corefmill.builders.nlp.backend import shipped_path
from corefmill.builders.nlp.networks import find_fast_components
from corefmill.builders.nlp.spacy_backend import use_fast_products

WORDS = "Anna|Bo|of|the|New|York|met|and|Kim|.|,|U.S.|don't|said||\n|(Paris)|x|3rd|Élan".split("|")  # noqa: SIM905
SYNTAX = ("tok2vec_syntax", "tagger", "morphologizer", "trainable_lemmatizer", "parser")
LABELS = ("PER", "LOC", "ORG")


def make_texts(count: int = 60) -> list[str]:
    draw = random.Random(7)
    texts = [" ".join(draw.choices(WORDS, k=draw.randrange(1, 60))) for _ in range(count)]
    return ["", *texts, " ", "\n\n", "Anna"]


def make_pipeline(attrs: tuple[str, ...] = ("NORM", "SHAPE"), **ner: Any) -> Language:
    """Make a pipeline for names with random weights, which finds names of all lengths."""
    nlp = spacy.blank("en")
    encode: dict[str, Any] = {
        "@architectures": "spacy.MaxoutWindowEncoder.v2",
        "width": 32,
        "depth": 3,
    }
    embed: dict[str, Any] = {
        "@architectures": "spacy.MultiHashEmbed.v2",
        "width": 32,
        "rows": [50, 40][: len(attrs)],
    }
    encode |= {"window_size": 1, "maxout_pieces": 3}
    embed |= {"attrs": list(attrs), "include_static_vectors": False}
    tok2vec = {"@architectures": "spacy.Tok2Vec.v2", "embed": embed, "encode": encode}
    nlp.add_pipe("tok2vec", config={"model": tok2vec})
    nlp.add_pipe("sentencizer")
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 32, "upstream": "*"}
    model: dict[str, Any] = {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": "ner",
    }
    model |= {"extra_state_tokens": False, "hidden_width": 24, "maxout_pieces": 2}
    model |= {"use_upper": True, "nO": None, "tok2vec": listener} | ner.pop("model", {})
    nlp.add_pipe("ner", config={"model": model, **ner})
    examples = [
        Example.from_dict(nlp.make_doc("a b c x"), {"entities": [f"{m}-{label}" for m in "BILU"]})
        for label in LABELS
    ]
    nlp.initialize(lambda: examples)
    generator = np.random.default_rng(3)
    for name in ("tok2vec", "ner"):
        for node in nlp.get_pipe(name).model.walk():  # type: ignore[attr-defined]
            for param in node.param_names:
                values = node.get_param(param)
                drawn = generator.normal(0, 0.4, values.shape).astype("float32")
                node.set_param(param, values + drawn)
    return nlp


def read(nlp: Language, texts: list[str], fast: dict[str, Any]) -> list[Doc]:
    docs = [nlp.make_doc(text) for text in texts]
    for name, component in nlp.pipeline:
        if name in fast and name not in SYNTAX:
            fast[name](docs)
        elif name not in SYNTAX:
            docs = list(component.pipe(docs, batch_size=len(docs)))  # type: ignore[attr-defined]
    return docs


def list_names(docs: list[Doc]) -> list[list[tuple[int, int, str]]]:
    return [[(name.start, name.end, name.label_) for name in doc.ents] for doc in docs]


@pytest.fixture(scope="module", autouse=True)
def products() -> None:
    use_fast_products()


@pytest.mark.parametrize("name", ["random", "en_mini", "it_mini"])
def test_vectors_and_names_are_those_of_spacy(name: str) -> None:
    nlp = make_pipeline() if name == "random" else spacy.load(shipped_path(name))
    fast = find_fast_components(nlp)
    assert {"tok2vec", "ner"} <= set(fast)
    texts = make_texts()
    ours, spacys = read(nlp, texts, fast), read(nlp, texts, {})
    for one, other in zip(ours, spacys, strict=True):
        assert one.tensor == pytest.approx(other.tensor, abs=1e-4)
        assert [token.ent_iob_ for token in one] == [token.ent_iob_ for token in other]
    assert list_names(ours) == list_names(spacys)
    found = [name for names in list_names(ours) for name in names]
    assert len(found) > 20 and max(end - start for start, end, _ in found) > 1


def test_names_found_before_are_kept() -> None:
    nlp = make_pipeline()
    ruler = nlp.add_pipe("entity_ruler", before="ner")
    ruler.add_patterns(  # type: ignore[attr-defined]
        [{"label": "ORG", "pattern": "New York"}, {"label": "PER", "pattern": "said"}]
    )
    texts = make_texts(20)
    names = list_names(read(nlp, texts, find_fast_components(nlp)))
    assert names == list_names(read(nlp, texts, {}))
    assert any(label == "ORG" and end - start == 2 for row in names for start, end, label in row)


@pytest.mark.parametrize(
    "other",
    [
        {"model": {"use_upper": False}},
        {"model": {"maxout_pieces": 1}},
        {"model": {"extra_state_tokens": True}},
    ],
)
def test_networks_with_other_settings_are_left_to_spacy(other: dict[str, Any]) -> None:
    assert set(find_fast_components(make_pipeline(**other))) == {"tok2vec"}


def test_beams_are_left_to_spacy() -> None:
    nlp = make_pipeline()
    nlp.get_pipe("ner").cfg["beam_width"] = 4  # type: ignore[attr-defined]
    assert set(find_fast_components(nlp)) == {"tok2vec"}


def test_a_single_table_of_words_is_left_to_spacy() -> None:
    assert set(find_fast_components(make_pipeline(attrs=("NORM",)))) == {"ner"}
