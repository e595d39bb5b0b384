"""A signature is the same if and only if the number means the same, and can be scored again."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.corpora.files.errors import CorefmillError
from corefmill.corpora.scoring import signature
from corefmill.corpora.scoring.score import score

FULL = (
    "clusters|metrics:muc+mor|rules:corefud-1.2|match:head|zeros:linear|singletons:drop"
    "|unmatched:refuse|group:a%20b%7Cc|documents:2|bootstrap:10|seed:0|key:00ff|version:1.0"
)


def test_parsed_and_written_again() -> None:
    found = signature.parse_signature(FULL)
    assert str(found) == FULL
    assert found.fields["group"] == "a b|c"
    assert found.matching is not None and found.matching.zeros == "linear"
    assert (found.number("bootstrap"), found.number("examples")) == (10, None)
    conll = signature.parse_signature(FULL.replace("corefud-1.2", "conll-8.01"))
    assert conll.matching is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("clusters", "lines"),
        ("match:head", "match:foot"),
        ("|match:head", ""),
        ("seed:0", "seed:x"),
        ("seed:0", "sead:0"),
        ("|key:00ff", ""),
        ("|seed:0", "|seed:0|seed:1"),
        (FULL, ""),
    ],
)
def test_what_is_no_signature_is_refused(old: str, new: str) -> None:
    with pytest.raises(CorefmillError, match="is no signature of a score"):
        signature.parse_signature(FULL.replace(old, new))


def test_the_checksum_is_of_a_file_or_of_what_is_read_of_a_folder(tmp_path: Path) -> None:
    for name in ("a.conll", "b.conll"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    one, folder = signature.checksum(tmp_path / "a.conll"), signature.checksum(tmp_path)
    assert len(one) == len(folder) == 16
    (tmp_path / "README").write_text("more", encoding="utf-8")
    assert signature.checksum(tmp_path) == folder
    (tmp_path / "b.conll").write_text("other", encoding="utf-8")
    assert signature.checksum(tmp_path) != folder


def test_the_order_of_metrics_says_nothing(tmp_path: Path) -> None:
    key = tmp_path / "key.conll"
    key.write_text("#begin document (a);\nword\t(1)\n#end document\n", encoding="utf-8")
    made = {
        str(score(key, key, metrics=metrics, seed=seed).signature)
        for metrics, seed in (("muc,lea,b3", 1), ("lea,bcub,muc", 2))
    }
    assert len(made) == 1 and "metrics:muc+bcub+lea|" in made.pop()


def test_bibtex_of_every_metric() -> None:
    every = signature.find_citations(["mentions", "muc", "ceafe", "ceafm"], signature.NODE_RULES)
    assert [entry.partition(",")[0].partition("{")[2] for entry in every] == [
        "vilain-etal-1995-model",
        "luo-2005-coreference",
        "novak-etal-2024-findings",
    ]
    assert signature.find_citations(["accuracy"], None) == []
