"""Trees are scored by the program of CoNLL 2018, on the words of a text."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.builders.nlp.backend import shipped_path
from tools.pipelines import score

GOLD = """# text = Non è della casa.
1\tNon\tnon\tADV\tBN\t_\t5\tadvmod\t_\t_
2\tè\tessere\tAUX\tVA\tNumber=Sing|Person=3\t5\tcop\t_\t_
3-4\tdella\t_\t_\t_\t_\t_\t_\t_\t_
3\tdi\tdi\tADP\tE\t_\t5\tcase\t_\t_
4\tla\til\tDET\tRD\tGender=Fem|Number=Sing\t5\tdet\t_\t_
5\tcasa\tcasa\tNOUN\tS\tGender=Fem|Number=Sing\t0\troot\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\tFS\t_\t5\tpunct\t_\t_

"""


def test_a_side_against_itself_and_without_its_articles() -> None:
    pytest.importorskip("stanza.utils.conll18_ud_eval", reason="needs the extra stanza")
    same = score.tree_counts(GOLD, GOLD)
    assert (same["Words"], same["Tokens"], same["det"]) == ((6, 6, 6), (5, 5, 5), (1, 1, 1))
    other = score.tree_counts(GOLD, GOLD.replace("\tdet\t", "\tmark\t"))
    assert (other["LAS"], other["UAS"], other["det"]) == ((5, 6, 6), (6, 6, 6), (0, 0, 1))


@pytest.mark.parametrize("given", ["text", "sentences", "words"])
def test_what_a_pipeline_says_stands_on_the_words_of_the_treebank(
    tmp_path: Path, given: score.Given, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "it.conllu").write_text(GOLD, encoding="utf-8")
    sides: list[str] = []
    monkeypatch.setattr(score, "tree_counts", lambda gold, system: sides.append(system))
    score.trees(shipped_path("it_mini"), tmp_path / "it.conllu", [given])
    rows = [line.split("\t") for line in sides[0].splitlines() if line[:1].isdecimal()]
    assert [row[0] for row in rows] == ["1", "2", "3-4", "3", "4", "5", "6"]
    assert [row[1] for row in rows] == ["Non", "è", "della", "di", "la", "casa", "."]
    assert rows[5][6:8] == ["0", "root"]
