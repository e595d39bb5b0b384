"""From Stanza's own Documents to analyses: entities, multiword tokens, processors left out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from corefmill.builders.nlp import Entity
from corefmill.builders.nlp.stanza_backend import StanzaPipeline, make_analysis

doc = pytest.importorskip("stanza.models.common.doc", reason="needs the extra stanza")


TEXT = " Anna va nella\u00a0casa.\n\nLei ride."


def row(number: int | tuple[int, ...], text: str, **columns: Any) -> dict[str, Any]:
    return {"id": number, "text": text, **columns}


def at(start: int, end: int) -> dict[str, int]:
    return {"start_char": start, "end_char": end}


def bare() -> list[list[dict[str, Any]]]:
    """As the tokenizer and the expander of multiword tokens leave it."""
    return [
        [
            row((1,), "Anna", **at(1, 5)),
            row((2,), "va", **at(6, 8)),
            row((3, 4), "nella", **at(9, 14)),
            row((3,), "in"),
            row((4,), "la"),
            row((5,), "casa", **at(15, 19)),
            row((6,), ".", **at(19, 20)),
        ],
        [row((1,), "Lei", **at(22, 25)), row((2,), "ride", **at(26, 30)),
         row((3,), ".", **at(30, 31))],
    ]  # fmt: skip


def full() -> list[list[dict[str, Any]]]:
    sentences = bare()
    tags = ["S-PER", "O", "O", None, None, "O", "O"], ["O", "O", "O"]
    heads = [2, 0, None, 5, 5, 2, 2], [2, 0, 2]
    feats = [None, "Number=Sing", None, None, "Gender=Fem|Number=Sing", None, None], [None] * 3
    for rows, ner, head, feat in zip(sentences, tags, heads, feats, strict=True):
        for one, tag, above, features in zip(rows, ner, head, feat, strict=True):
            if tag is not None:
                one["ner"] = tag
            if above is not None:
                one |= {"head": above, "deprel": "dep" if above else "root", "upos": "X",
                        "xpos": "Y", "lemma": one["text"].lower()}  # fmt: skip
            if features is not None:
                one["feats"] = features
    return sentences


def test_tokens_words_and_sentences_and_no_columns_of_processors_that_were_not_run() -> None:
    found = make_analysis(doc.Document(bare(), text=TEXT))
    assert found.text == TEXT
    written = "Anna va nella casa . Lei ride ."
    assert " ".join(TEXT[s:e] for s, e in found.tokens) == written
    assert found.words[2:5] == ((9, 14), (9, 14), (15, 19))
    assert " ".join(found.forms) == written.replace("nella", "in la")
    assert found.sentences == ((1, 20), (22, 31))
    assert found.entities == ()
    for column in ("upos", "xpos", "feats", "lemma", "head", "deprel"):
        assert getattr(found, column) == ()


def test_every_column_and_entities() -> None:
    found = make_analysis(doc.Document(full(), text=TEXT))
    assert found.entities == (Entity(1, 5, "PERSON"),)
    assert found.upos == ("X",) * 9
    assert found.xpos == ("Y",) * 9
    assert found.lemma == ("anna", "va", "in", "la", "casa", ".", "lei", "ride", ".")
    assert found.feats == ("", "Number=Sing", "", "Gender=Fem|Number=Sing", *[""] * 5)
    assert found.deprel.count("root") == 2
    # Over the whole text, a root its own head.
    assert found.head == (1, 1, 4, 4, 1, 1, 7, 7, 7)


def test_a_multiword_name_across_a_multiword_token() -> None:
    text = "Banca della Svizzera"
    rows = [
        row((1,), "Banca", ner="B-ORG", **at(0, 5)),
        row((2, 3), "della", ner="I-ORG", **at(6, 11)),
        row((2,), "di"),
        row((3,), "la"),
        row((4,), "Svizzera", ner="E-ORG", **at(12, 20)),
    ]
    found = make_analysis(doc.Document([rows], text=text))
    assert found.entities == (Entity(0, 20, "ORG"),)


def test_tokens_without_offsets_are_refused() -> None:
    with pytest.raises(ValueError, match="start_char and end_char for 'Anna'"):
        make_analysis(doc.Document([[row((1,), "Anna")]], text=None))


trainer = pytest.importorskip("stanza.models.tokenization.trainer", reason="needs the extra stanza")


TEXTS = ["Anna met Bob.  She left.\n\nHe stayed. ", "", "Bob stayed."]


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> StanzaPipeline:
    import torch
    from stanza.models import tokenizer
    from stanza.models.tokenization.vocab import Vocab

    torch.manual_seed(0)
    args = tokenizer.parse_args(["--lang", "en", "--txt_file", "-", "--no_use_mwt"])
    vocab = Vocab([[(character, 0) for text in TEXTS for character in text]], "en")
    features = ["space_before", "capitalized", "numeric", "end_of_para", "start_of_para"]
    args |= {"feat_funcs": features, "feat_dim": len(features), "vocab_size": len(vocab)}
    folder = tmp_path_factory.mktemp("stanza")
    (folder / "en" / "tokenize").mkdir(parents=True)
    made = trainer.Trainer(args=args, vocab=vocab, device="cpu")
    made.save(str(folder / "en" / "tokenize" / "tiny.pt"))
    listing = {"packages": {"default": {"tokenize": "tiny"}}, "tokenize": {"tiny": {}}}
    (folder / "resources.json").write_text(json.dumps({"en": listing}))
    return StanzaPipeline("en", folder=folder, names=False)


def test_texts_keep_their_order_and_tokens_cover_them(pipeline: StanzaPipeline) -> None:
    found = list(pipeline.full(TEXTS))
    assert [analysis.text for analysis in found] == TEXTS
    for analysis in found:
        cut = "".join(analysis.text[start:end] for start, end in analysis.tokens)
        assert "".join(cut.split()) == "".join(analysis.text.split())
        assert analysis.entities == analysis.upos == analysis.head == ()
    assert found[0].sentences
    assert found[1].sentences == ()
