"""Raw checkers go on after what is broken: CoNLL, GAP, WEC, and formats of a record a line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corefmill.corpora.check import Finding
from corefmill.corpora.check.checker import Checker
from corefmill.corpora.check.fix import fix
from corefmill.corpora.check.tolerant import repair_mention
from corefmill.corpora.formats.registry import get_format
from tests.corpora.formats.test_every_format import CONLL, FILES, WEC


def checked(path: Path, content: str, form: str) -> tuple[list[tuple[str, int | None]], int]:
    """Code and line of each finding, and the number of records."""
    path.write_bytes(content.encode())
    checker = Checker(form=get_format(form), singletons="allow")
    found: list[Finding] = list(checker.check([path]))
    return [(finding.code, finding.line) for finding in found], checker.read[path]


ROW = "nw/a\t0\t0\tshe\tPRP\t-\t-\t-\t-\t-\t*\t"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (CONLL, []),
        (CONLL.replace("#", "# ").replace("(1|(0)", "(1(0)"), []),
        (CONLL.replace("1)\n", "-\n"), [("E206", 4)]),
        (CONLL.replace("(1|(0)", "(0)"), [("E205", 5)]),
        (CONLL.replace("(1|(0)", "(1|x|(0)"), [("E209", 4), ("E205", 5)]),
        (CONLL.replace("(1|(0)", "(1|(0)|(0)"), [("E401", 4)]),
        (CONLL.replace("(1|(0)", "(1|(0)|(2)"), [("E402", 4)]),
        (CONLL.replace("\t-\n", "\n"), [("E207", 3)]),
        (CONLL.replace("#end document\n", ""), [("E208", 6)]),
        (CONLL.removeprefix("#begin document (nw/a); part 000\n"), [("E208", 1)]),
        (CONLL.replace("#end document\n", CONLL.replace("000", "001")), [("E208", 7), ("W405", 7)]),
        # [Anna saw] crosses [saw her dog].
        (
            CONLL.replace("(0)\n", "(2\n", 1)
            .replace("\t-\n", "\t2)|(1\n")
            .replace("(1|(0)", "(0)"),
            [("W304", 3)],
        ),
        # One entity cannot cross itself in brackets: the inner closes first.
        (CONLL + CONLL, [("E404", 8), ("W405", 8)]),
    ],
)
def test_conll(tmp_path: Path, content: str, expected: list[tuple[str, int]]) -> None:
    found, _ = checked(tmp_path / "a.conll", content, "conll2012")
    assert found == expected


def test_a_bracket_that_closes_in_another_sentence_is_found_at_both_ends(tmp_path: Path) -> None:
    content = CONLL.replace("1)\n", "-\n").replace("\n\n#end", f"\n\n{ROW}1)\n\n#end")
    found, records = checked(tmp_path / "a.conll", content, "conll2012")
    assert (found, records) == ([("E206", 4), ("E205", 7)], 1)


@pytest.mark.parametrize(
    ("old", "new"), [("She\t17", "She\t18"), ("0\tFALSE", "0\tmaybe"), ("Zoë\t0\t", "Zoë\t")]
)
def test_gap_goes_on_after_a_bad_row(tmp_path: Path, old: str, new: str) -> None:
    head, row, _ = FILES["gap"][1].split("\n")
    bad = row.replace(old, new)
    content = "\n".join([head, bad, row.replace("t-1", "t-2"), bad, ""])
    found, records = checked(tmp_path / "gap.tsv", content, "gap")
    assert (found, records) == ([("E202", 2), ("E202", 4)], 1)


def test_a_record_a_line_goes_on_after_a_bad_line(tmp_path: Path) -> None:
    good = "1 [The developer] met the designer when [he] was ill.\n"
    content = good + "2 nothing\n" + good.replace("1 ", "3 ") + "4\n" + good.replace("1 ", "5 ")
    found, records = checked(tmp_path / "a.txt", content, "winobias")
    assert [one for one in found if one[0] != "W405"] == [("E202", 2), ("E202", 4)]
    assert records == 3


def test_wec_words_and_numbers_that_disagree(tmp_path: Path) -> None:
    tokens = {"mention_context": ["The", "town", "'s", "flood"], "tokens_number": [1, 2, 3]}
    blanks = {**WEC, **tokens, "tokens_str": "town's flood"}
    moved = {**WEC, "mention_id": "4", "tokens_number": [0, 1]}
    lost = {**moved, "mention_id": "5", "tokens_str": "the war"}
    outside = {**WEC, "mention_id": "6", "tokens_number": [3, 4]}
    assert (repair_mention(blanks) or {})["tokens_str"] == "town 's flood"
    assert (repair_mention(moved) or {})["tokens_number"] == [1, 2]
    assert repair_mention(lost) is None
    twice = {**moved, "mention_context": ["the", "flood", "the", "flood"], "tokens_number": [1, 2]}
    assert repair_mention(twice) is None
    path = tmp_path / "a.json"
    path.write_text(json.dumps([blanks, moved], indent=0))
    checker = Checker()
    found = list(checker.check([path]))
    assert [finding.code for finding in found if finding.code == "E302"] == ["E302", "E302"]
    (copy,) = fix(found, checker.forms, "en", tmp_path / "b.json")
    assert copy.fixed == {"E302": 2}
    assert not [f for f in Checker().check([tmp_path / "b.json"]) if f.code == "E302"]
    found_in, _ = checked(path, json.dumps([WEC, outside], indent=0), "wec-json")
    assert "E302" in {code for code, _ in found_in}
    nowhere = {**outside, "tokens_str": "the war"}
    assert checked(path, json.dumps([nowhere, WEC], indent=0), "wec-json") == ([("E202", 2)], 1)
