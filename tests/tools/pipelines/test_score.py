"""Trees are scored by the program of CoNLL 2018, on the words of a text."""

from __future__ import annotations

import pytest

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
