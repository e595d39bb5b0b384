"""Contractions that a model's data split are split in plain text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corefmill.coref_model.prediction import plain
from corefmill.coref_model.prediction.plain import learn_contractions
from corefmill.corpora.formats import corefud
from corefmill.corpora.records import Document, MaskedExample, Source

_ROWS = {
    "Va": ["Va"],
    "dal": ["da", "il"],
    "dargli": ["dar", "gli"],
    "nel": ["in", "il"],
    "sindaco": ["sindaco"],
    ".": ["."],
}


def conllu(*sentences: list[str]) -> str:
    """CoNLL-U of sentences of the words above; `=nel` is one word where others split it."""
    lines = ["# global.Entity = eid-etype-head-other", "# newdoc id = d"]
    for forms in sentences:
        lines.append(f"# text = {' '.join(forms)}")
        number = 0
        for form in forms:
            words = _ROWS.get(form, [form.removeprefix("=")])
            if len(words) > 1:
                name = f"{number + 1}-{number + len(words)}"
                lines.append("\t".join([name, form, *"________"]))
            for word in words:
                number += 1
                head = "0\troot" if number == 1 else "1\tdep"
                lines.append(f"{number}\t{word}\t_\t_\t_\t_\t{head}\t_\t_")
        lines.append("")
    return "\n".join(lines) + "\n"


@pytest.fixture
def documents(tmp_path: Path) -> list[Document]:
    often = ["Va", "dal", "sindaco", "."], ["Va", "dargli", "nel", "sindaco", "."]
    path = tmp_path / "a.conllu"
    path.write_text(conllu(*often * 3, ["Va", "=nel", "sindaco", "."]))
    return [one for _, one in corefud.FORMAT.read(path, "it")]


def test_what_is_nearly_always_split_is_learnt(documents: list[Document]) -> None:
    assert learn_contractions(documents) == {"dal": "da il", "dargli": "dar gli"}
    rare = [replace(one, sentences=one.sentences[:4], meta=one.meta) for one in documents]
    assert learn_contractions(rare) == {}  # each of them twice
    example = MaskedExample("e", "it", "A B", (), (0, 1), ("A", "B"), (), 0, Source("p", 1))
    assert learn_contractions([example]) == {}


def test_text_is_split_as_the_data_are(documents: list[Document]) -> None:
    text = "Dal sindaco va Eva.\nVa a Dargli   pane."
    made = plain.document(text, "it", contractions=learn_contractions(documents))
    (sentence, other), offsets = made.sentences, made.offsets
    assert [token.form for token in sentence.tokens] == ["Da", "il", "sindaco", "va", "Eva", "."]
    assert [token.space_after for token in sentence.tokens[:2]] == [False, True]
    assert offsets is not None and offsets[0][:3] == ((0, 3), (0, 3), (4, 11))
    assert [token.form for token in other.tokens] == ["Va", "a", "Dar", "gli", "pane", "."]
    assert [text[a:b] for a, b in offsets[1]] == ["Va", "a", "Dar", "gli", "pane", "."]


def test_a_pipelines_words_are_split_too() -> None:
    made = plain.of_spans("dal re", [(0, 6)], [(0, 3), (4, 6)], "it", contractions={"dal": "da il"})
    assert [token.form for token in made.sentences[0].tokens] == ["da", "il", "re"]
