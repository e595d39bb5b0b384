"""Anaphors and classes of mentions are counted by the columns of CoNLL-U."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.corpora.files.errors import CorefmillError
from corefmill.corpora.scoring.score import score
from corefmill.corpora.scoring.table import ScoreTable

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


def scored(folder: Path, response: str, **more: object) -> ScoreTable:
    paths = folder / "key.conllu", folder / "response.conllu"
    for path, text in zip(paths, (TREE, response), strict=True):
        path.write_text(text, encoding="utf-8")
    return score(*paths, match="head", zeros="linear", **more)  # type: ignore[arg-type]


def bare(text: str) -> str:
    """The file of a system that keeps Entity, and nothing of the tree."""
    rows = [line.split("\t") for line in text.splitlines()]
    return (
        "\n".join(
            "\t".join([*row[:2], *"____", "0", "_", *row[8:]]) if len(row) > 1 else row[0]
            for row in rows
        )
        + "\n"
    )


def test_classes_are_those_of_the_key_for_both_sides(tmp_path: Path) -> None:
    found = scored(tmp_path, bare(TREE), by_class=True).classes
    counts = {name: (rows[0][1], rows[0][3], rows[1][1]) for name, rows in found.items()}
    assert counts == {
        "name": (1, 1, 0),
        "nominal": (2, 2, 2),
        "pronoun": (2, 2, 2),
        "zero": (1, 1, 0),
        "-": (1, 1, 1),
    }


def test_without_nodes_they_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(TREE, encoding="utf-8")
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
