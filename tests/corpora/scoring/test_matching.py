"""Mentions are matched as in corefud-scorer, and anaphors and classes are counted."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]

from corefmill.corpora.files.errors import CorefmillError
from corefmill.corpora.scoring import matching, readers
from corefmill.corpora.scoring.score import score
from corefmill.corpora.scoring.table import ScoreTable
from tests.corpora.scoring.corefud_cases import CASES, EXPECTED, METRICS, conllu


def test_ties_fall_as_in_scipy() -> None:
    draw = np.random.default_rng(2)
    for _ in range(50):
        weights = draw.integers(0, 3, (6, 5)).astype(float)
        for own, theirs in zip(
            matching.solve(weights), linear_sum_assignment(-weights), strict=True
        ):
            assert own.tolist() == theirs.tolist()


def scored(folder: Path, key: str, response: str, setting: str) -> ScoreTable:
    how, zeros, singletons = setting.split("/")
    paths = folder / "key.conllu", folder / "response.conllu"
    for path, text in zip(paths, (key, response), strict=True):
        path.write_text(text, encoding="utf-8")
    return score(*paths, singletons=singletons, match=how, zeros=zeros)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", CASES)
def test_the_figures_of_corefud_scorer(tmp_path: Path, name: str) -> None:
    setting, key, response = CASES[name]
    table = scored(tmp_path, conllu(key), conllu(response), setting)
    ours = {metric: (table[metric].recall, table[metric].precision) for metric in METRICS}
    for metric, theirs in EXPECTED[name].items():
        assert ours[metric] == pytest.approx(theirs, abs=1e-9), metric


def test_the_whole_table_and_its_parts_give_the_same_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(3)
    for _ in range(60):
        weights = {(draw.randrange(6), draw.randrange(5)): draw.random() for _ in range(6)}
        sums = []
        for most in (10**6, 0):
            monkeypatch.setattr(matching, "_MOST_CELLS", most)
            pairs = [*matching._heaviest(weights, 6, 5)]
            for side in zip(*pairs, strict=True):
                assert len(set(side)) == len(side)
            sums.append(sum(weights[pair] for pair in pairs))
        assert sums[0] == pytest.approx(sums[1])


def test_every_mention_has_one_head_and_its_nodes(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(conllu("a(e1--2 -1:x|2:y-(e2--1) be1)\nc(e1)"), encoding="utf-8")
    (document,) = readers.read_nodes(path)
    (long, last), (zero,) = document.clusters
    assert isinstance(long, readers.NodeMention) and isinstance(zero, readers.NodeMention)
    assert long.words == (readers.place(0, 1), readers.place(0, 1, 1), readers.place(0, 2))
    assert (long.head, long.zero) == (readers.place(0, 1, 1), True)
    assert zero.deps == long.deps == {(readers.place(0, 1), "x"), (readers.place(0, 2), "y")}
    assert isinstance(last, readers.NodeMention) and last.head == readers.place(1, 1)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("\tEntity=(e1--2\n", "\tEntity=(e1--7\n", ":4: '7' is the head of a mention of 2 nodes"),
        ("4:x\tEntity=(e2--1)", "4:x", ":6: 9 columns"),
        ("2\tb", "3\tb", ":5: ID '3' where 2 was expected"),
        ("e1)", "e9)", ":5: e9) closes a mention that is not open"),
        ("\t4:x\t", "\tx\t", ":6: DEPS 'x' is no list"),
        ("2.1\t", "1.1\t", ":6: ID '1.1' where 3 was expected"),
    ],
)
def test_what_is_wrong_names_its_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    key = conllu("a(e1--2 be1) -4:x-(e2--1)")
    assert key.count(old) == 1
    with pytest.raises(CorefmillError) as raised:
        scored(tmp_path, key.replace(old, new), key, "head/dependent/keep")
    assert f"key.conllu{said}" in str(raised.value)


def test_mentions_that_grow_with_the_square_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readers, "_MOST_WORDS", 5)
    key = conllu("a(e1--1(e2--1(e3--1 be1)e2)e3)")
    with pytest.raises(CorefmillError, match="mentions of over 5 words in a sentence"):
        scored(tmp_path, key, key, "head/dependent/keep")


def test_other_words_are_refused(tmp_path: Path) -> None:
    key = "a(e1--1) b(e1--1)\nc d"
    with pytest.raises(CorefmillError, match="sentence 1 of document 'a' has other words"):
        scored(tmp_path, conllu(key), conllu(key, "x"), "head/dependent/keep")


def test_mentions_that_stand_twice_are_noted(tmp_path: Path) -> None:
    setting, key, response = CASES["twice on either side"]
    assert scored(tmp_path, conllu(key), conllu(response), setting).notes == (
        "1 mentions stand more than once in the key; they are counted as corefud-scorer counts "
        "them, of their last entity",
    )


TREE = """\
# newdoc id = a
# global.Entity = eid-etype-head-other
1\tAnn\t_\tPROPN\t_\t_\t4\tnsubj\t_\tEntity=(e1-person-1
2\t,\t_\tPUNCT\t_\t_\t3\tpunct\t_\t_
3\tpresident\t_\tNOUN\t_\t_\t1\tappos\t_\tEntity=(e1-person-1)e1)
4\tsaw\t_\tVERB\t_\t_\t0\troot\t_\t_
4.1\t_\t_\tPRON\t_\t_\t_\t_\t4:obj\tEntity=(e2--1)
5\tthe\t_\tDET\t_\t_\t6\tdet\t_\tEntity=(e2-place-2
6\ttown\t_\tNOUN\t_\t_\t4\tobj\t_\tEntity=e2)
7\tthat\t_\tPRON\t_\tPronType=Rel\t9\tobj\t_\tEntity=(e2-place-1)
8\tshe\t_\tPRON\t_\tPronType=Prs\t9\tnsubj\t_\tEntity=(e1-person-1)
9\tliked\t_\t_\t_\t_\t6\tacl:relcl\t_\tEntity=(e2--1)

"""
"""Ann, president, she; (zero), the town, that, liked."""


def classes(folder: Path, response: str) -> Mapping[str, Sequence[Sequence[float]]]:
    paths = folder / "key.conllu", folder / "response.conllu"
    for path, text in zip(paths, (TREE, response), strict=True):
        path.write_text(text, encoding="utf-8")
    return score(*paths, match="head", zeros="linear", by_class=True).classes


def bare(text: str) -> str:
    """The file of a system that keeps Entity, and nothing of the tree."""
    rows = [line.split("\t") for line in text.splitlines()]
    kept = [[*row[:2], *"____", "0", "_", *row[8:]] if len(row) > 1 else row for row in rows]
    return "".join("\t".join(row) + "\n" for row in kept)


def test_classes_are_those_of_the_key_for_both_sides(tmp_path: Path) -> None:
    found = classes(tmp_path, bare(TREE))
    counts = {name: (rows[0][1], rows[0][3], rows[1][1]) for name, rows in found.items()}
    rest = {"name": (1, 1, 0), "zero": (1, 1, 0), "-": (1, 1, 1)}
    assert counts == {"nominal": (2, 2, 2), "pronoun": (2, 2, 2), **rest}
    path = tmp_path / "key.conllu"
    with pytest.raises(CorefmillError, match="decided by the columns of CoNLL-U"):
        score(path, path, by_class=True)


def test_a_folder_is_scored_by_language(tmp_path: Path) -> None:
    key, response = tmp_path / "key", tmp_path / "response"
    for folder in (key, response):
        folder.mkdir()
        for name in ("cs_pdt-dev", "en_gum-dev", "made-dev"):
            (folder / f"{name}.conllu").write_text(TREE, encoding="utf-8")
    wrong = response / "cs_pdt-dev.conllu"
    wrong.write_text(TREE.replace("(e1-person-1)\n9", "(e2-person-1)\n9"), encoding="utf-8")
    table = score(key, response, match="head")
    assert table.names == ["cs_pdt-dev/a", "en_gum-dev/a", "made-dev/a"]
    languages = {lang: list(counts["muc"]) for lang, counts in table.group("language")}
    assert languages == {"-": [5] * 4, "cs": [4, 5, 4, 5], "en": [5] * 4}
    (key / "cs_pdt-dev.conllu").unlink()
    with pytest.raises(CorefmillError, match="cs_pdt-dev/a"):
        score(key, response, match="head")
    with pytest.raises(CorefmillError, match="no files"):
        score(tmp_path, response, match="head")
