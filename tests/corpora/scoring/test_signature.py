"""A signature is the same if and only if the number means the same, and can be scored again."""

from __future__ import annotations

from pathlib import Path

from corefmill.corpora.scoring import signature
from corefmill.corpora.scoring.score import score


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
