"""uCDCR's baseline of head lemmas, on two subtopics whose scores are known by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import ucdcr
from tests.corpora.formats.test_every_format import UCDCR


def test_the_mean_over_subtopics_without_singletons(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # 36a: {1, 2} by one lemma, all right. 36b: {3, 4}, of two lemmas: no link, F1 0, 2/3, 2/3.
    rows = [("36a", "A", "x"), ("36a", "A", "x"), ("36b", "B", "x"), ("36b", "B", "y")]
    items = [
        {
            **UCDCR,
            "mention_id": str(n),
            "subtopic_id": s,
            "coref_chain": c,
            "mention_head_lemma": lemma,
        }
        for n, (s, c, lemma) in enumerate(rows)
    ]
    items.append({**UCDCR, "coref_chain": "C", "is_singleton": True})
    path = tmp_path / "event_mentions.json"
    path.write_text(json.dumps(items))
    ucdcr.main([str(path)])
    # CEAFe of 36b: one of two clusters is like {3, 4} by 2/3; recall 2/3, precision 1/3.
    second = (0 + 2 / 3 + 4 / 9) / 3
    assert capsys.readouterr().out.splitlines()[-1] == (
        f"| event_mentions.json | 4 | 2 | {100 * (1 + second) / 2:.2f} |"
    )
