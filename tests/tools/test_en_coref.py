"""The script that makes the model of documents that ships: its data, the rule, its packing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs the extra train")

from corefmill.coref_model.prediction import plain  # noqa: E402
from corefmill.coref_model.training import checkpoint  # noqa: E402
from corefmill.corpora.records import (  # noqa: E402
    Document,
    MaskedExample,
    Mention,
    Sentence,
    Source,
    Token,
)
from tests.coref_model.training.test_checkpoint import Small, saved  # noqa: E402
from tools import en_coref  # noqa: E402

WORDS = "Ann met the mayor and she left ."
ANN, MAYOR, SHE = Mention(0, 0, 1), Mention(0, 2, 4), Mention(0, 5, 6)


def _document(*clusters: tuple[Mention, ...], words: str = WORDS) -> Document:
    return Document("d", 0, "en", (Sentence(tuple(map(Token, words.split()))),), clusters)


def test_mentions_that_are_not_there_come_as_clusters_of_one() -> None:
    own = _document((ANN, SHE))
    zero = Mention(0, 1, 1, zero=True)
    other = _document((ANN,), (MAYOR, SHE), (MAYOR,), (zero,))
    assert en_coref.add_mentions(own, other).clusters == ((ANN, SHE), (MAYOR,))
    changed = _document((MAYOR,), words=WORDS.replace("Ann", "Eve"))
    assert en_coref.add_mentions(own, changed) == en_coref.add_mentions(own, None) == own


def test_a_marked_pronoun_makes_a_document_annotated_in_part() -> None:
    text = "Ann met Eve's aunt. She smiled."
    made = []
    for label in (0, 1, None):
        example = MaskedExample(
            "development-3",  # one of the half that is learnt from
            "en",
            text,
            ((0, 19), (20, 31)),
            (20, 23),
            ("Ann", "Eve"),
            ((0, 0, 3), (1, 8, 11)),
            label,
            Source("t", 1),
        )
        made += en_coref.gap_documents([example])
    ann, eve, she = Mention(0, 0, 1), Mention(0, 2, 4), Mention(1, 0, 1)
    assert [one.clusters for one in made] == [((ann, she), (eve,)), ((eve, she), (ann,))]
    assert made[0].meta["partial"] is True


def test_the_rule_takes_the_nearest_name_of_a_fitting_gender() -> None:
    found = en_coref.by_rule(plain.document("Ann Lee met Tom. She saw him. Ann Lee ran.", "en"))
    assert found.clusters == (
        (Mention(0, 0, 2), Mention(1, 0, 1), Mention(2, 0, 2)),  # Ann Lee, She, Ann Lee
        (Mention(0, 3, 4), Mention(1, 2, 3)),  # Tom, him
    )


def test_texts_are_scored_by_names_and_pronouns(tmp_path: Path) -> None:
    text = "Ann met Tom. She saw Tom's dog. He saw Ann and her."
    clusters = [
        [(0, 3, "Ann"), (13, 16, "She"), (39, 42, "Ann"), (47, 50, "her")],
        [(8, 11, "Tom"), (21, 24, "Tom"), (32, 34, "He")],
    ]
    (tmp_path / "texts").write_text(json.dumps({"id": "a", "text": text, "clusters": clusters}))
    found = en_coref.texts("rule", tmp_path / "texts")
    assert (found["names found"], found["repeated names linked"]) == (1, 1)
    assert (found["pronouns"], found["right"]) == (3, 3)


def test_a_packed_model_is_read_and_half_as_large(tmp_path: Path) -> None:
    whole = saved(tmp_path / "model", Small(lora=2))
    en_coref.pack(tmp_path / "model", tmp_path / "packed")
    packed = checkpoint.read(tmp_path / "packed")
    assert {one.dtype for one in packed.tensors().values()} == {torch.float16}
    for name, tensor in whole.tensors().items():
        assert torch.allclose(packed.tensors()[name].float(), tensor, atol=1e-2)
    sizes = [(one.path / checkpoint.WEIGHTS).stat().st_size for one in (whole, packed)]
    assert sizes[1] < 0.75 * sizes[0]
    assert all("source" not in one for one in packed.model.corpora.values())
