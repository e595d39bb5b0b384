"""Trees are scored by the program of CoNLL 2018, on the words of a text."""

from __future__ import annotations

import numpy as np
import pytest

from tools.pipelines import save, score

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


def test_scores_have_sentences_and_intervals() -> None:
    rows = np.array([(1, 1, 1), (0, 1, 1), (1, 1, 1), (1, 2, 1)])
    none = np.zeros((4, 3), dtype=int)
    report = save.Report({"WikiNEuRal": {"PER": rows, "LOC": none}})
    report.trees["words"] = {"UPOS": rows, "LAS": rows[:1]}
    f1 = score.format_f1(rows)
    assert (f1[:6], score.format_f1(rows[:1])) == ("66.7 [", "100.0")
    assert save.performance(report) == {
        "summary": f"PER {f1} of 4 sentences; UPOS {f1}, LAS 100.0 of 1 sentences (held out; names "
        "of WikiNEuRal, trees with words given; 95 % intervals)",
        "names_f1": {"WikiNEuRal": {"PER": 0.6667}},
        "trees_f1": {"words": {"UPOS": 0.6667, "LAS": 1.0}},
    }
    assert save.name_table(report.names).splitlines()[2:] == [
        f"| WikiNEuRal | 4 | {label} | 60.0 | 75.0 | {f1} | 4 |" for label in ("PER", "all")
    ]
