"""The checker: small faults with line and code, files read past faults, and the mending."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.corpora import api, manifest
from corefmill.corpora.check import Finding
from corefmill.corpora.check.checker import Checker
from corefmill.corpora.check.fix import fix
from corefmill.corpora.check.records import EntitySpan, Singletons, find_crossing
from corefmill.corpora.check.tolerant import repair_mention
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.formats.registry import get_format
from corefmill.corpora.records import Mention, Record, Source
from tests.commands import shared
from tests.corpora.formats.test_every_format import CONLL, FILES, WEC
from tests.corpora.formats.test_rows import ITEMS
from tests.corpora.test_records import EVENT, EXAMPLE, MANIFEST, document

BLOCK = "Anna met Bob. [MASK] left.\n[MASK]\nAnna,Bob\nAnna\n\n"


def findings(*paths: Path, singletons: Singletons | None = None) -> list[Finding]:
    return list(Checker(singletons=singletons).check(paths))


def said(found: list[Finding]) -> list[tuple[str, int | None]]:
    return [(finding.code, finding.line) for finding in found]


def native(path: Path, *records: Record) -> Path:
    jsonl.write(path, records)
    return path


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("\ufeff" + BLOCK, [("W103", 1)]),
        (BLOCK.replace("\n", "\r\n"), [("W104", 1)]),
        (BLOCK.replace("\n", "\r"), [("W104", 1)]),
        (BLOCK.replace("left", "left \0"), [("E102", 1)]),
        (BLOCK.encode().replace(b"left", b"left \xff"), [("E101", 1)]),
        (BLOCK.replace("left", "left the cafÃ©"), [("W105", 1)]),
        (BLOCK[:-1] + BLOCK, [("E203", 5)]),
        (BLOCK + "\n" + BLOCK, [("E204", 6)]),
        (BLOCK + "Anna left.\n\n" + BLOCK, [("E204", 6)]),
        (BLOCK.replace("\nAnna\n", "\nEva\n"), [("E501", 4)]),
        (BLOCK.replace("Anna,Bob", "Anna"), [("E505", 3)]),
        (BLOCK.replace("Anna,Bob", "Anna,Eva"), [("W502", 1)]),
        (BLOCK.replace("Anna met", "She met"), [("W503", 1)]),
        (BLOCK.replace("\n[MASK]\n", "\nshe\n"), [("E504", 2)]),
        (BLOCK.replace("left.", "saw [MASK]."), [("W508", 1)]),
        ("Anna met Bob. She left her.\nher\nAnna,Bob\nBob\n\n", [("W507", 1)]),
    ],
)
def test_five_lines(tmp_path: Path, content: str | bytes, expected: list[object]) -> None:
    found, _ = checked(tmp_path / "a.txt", content, "five-line")
    assert [one for one in found if one[0] != "W405"] == expected


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"mentions": ((0, 0, 4), (0, 0, 4))}, "E401"),
        ({"mentions": ((0, 0, 4), (1, 0, 4), (1, 9, 12))}, "E402"),
        ({"mentions": ((0, 0, 8), (1, 5, 12), (0, 0, 4), (1, 9, 12))}, "W304"),
        ({"mentions": ((0, 0, 8), (0, 5, 12), (0, 0, 4))}, "E305"),
        ({"mentions": ((0, 0, 5),)}, "W307"),
        ({"mentions": ((0, 0, 4), (1, 5, 8))}, "W308"),
        ({"mentions": ((0, 0, 3), (0, 0, 4))}, "W309"),
        ({"candidates": ("Anna", "Eva"), "mentions": ()}, "W502"),
        ({"text": "Anna met Bob. Eva? left.", "label": None}, None),
    ],
)
def test_masked_examples(tmp_path: Path, change: dict[str, object], code: str | None) -> None:
    path = native(tmp_path / "a.jsonl", replace(EXAMPLE, **change))  # type: ignore[arg-type]
    assert said(findings(path)) == ([(code, 1)] if code else [])


def test_a_candidate_that_is_the_pronoun_itself_need_not_stand_elsewhere(tmp_path: Path) -> None:
    rows = "".join(json.dumps(ITEMS["superglue-wsc"] | {"label": label}) + "\n" for label in (0, 1))
    found, records = checked(tmp_path / "a.jsonl", rows, "superglue-wsc")
    assert ([one for one in found if one[0] != "E404"], records) == ([], 2)
    api.convert(tmp_path / "a.jsonl", tmp_path / "b.jsonl", reader="superglue-wsc")
    assert not [one for one in findings(tmp_path / "b.jsonl") if one.code != "E404"]


def test_event_mentions(tmp_path: Path) -> None:
    path = native(
        tmp_path / "a.jsonl",
        EVENT,
        replace(EVENT, id="2"),
        replace(EVENT, id="3", cluster="8"),
        replace(EVENT, id="4", start=6, end=13, cluster_title="Another"),
        replace(EVENT, id="5", start=0, end=5, head=(10, 15)),
    )
    assert sorted(said(findings(path))) == [
        ("E305", 1), ("E401", 2), ("E402", 3), ("W304", 3), ("W306", 5), ("W309", 4), ("W405", 2),
        ("W406", 4),
    ]  # fmt: skip


def test_documents(tmp_path: Path) -> None:
    one, two, both = Mention(0, 0, 1), Mention(0, 1, 2), Mention(0, 0, 2)
    made = replace(document(), clusters=((one, both, one), (one, two), (Mention(1, 0, 1),)))
    path = native(tmp_path / "a.jsonl", made)
    assert said(findings(path)) == [("E401", 1), ("E402", 1)]
    assert ("W403", 1) in said(findings(path, singletons="forbid"))


PASSAGE = "On a cold day the mayor of the town met Bob and Anna by the old mill near the river"


def example(text: str, title: str) -> Record:
    size, source = len(text), Source(title, 1)
    change = {"text": f"{text}. Anna left.", "target": (size + 2, size + 6), "source": source}
    return replace(EXAMPLE, sentences=(), mentions=(), **change)  # type: ignore[arg-type]


def test_what_stands_in_two_splits(tmp_path: Path) -> None:
    native(
        tmp_path / "train.jsonl",
        example("Some other passage of Bob", "Else"),
        example(PASSAGE, "A"),
        example("Nothing of all this is said here, where Anna and Bob are one and the same", "B"),
    )
    native(tmp_path / "test.jsonl", example(PASSAGE.upper(), "C"), example("He left", "B"))
    found = findings(tmp_path)
    assert sorted((f.code, f.path.name, f.line) for f in found if f.code[1] == "6") == [
        ("E601", "train.jsonl", 2),
        ("W602", "train.jsonl", 3),
    ]


def test_a_corpus_is_what_its_manifest_says(tmp_path: Path) -> None:
    train = native(tmp_path / "train.jsonl", EXAMPLE)
    files = {"train.jsonl": manifest.sha256(train)}
    manifest.write(tmp_path, replace(MANIFEST, splits={"train": 1}, files=files))
    assert findings(tmp_path) == []
    with train.open("ab") as file:
        file.write(jsonl.dumps(replace(EXAMPLE, id="2", label=1)) + b"\n")
    assert [f.code for f in findings(tmp_path)] == ["E701", "E702"]
    train.unlink()
    assert [f.code for f in findings(tmp_path)] == ["E703"]
    (tmp_path / "manifest.json").write_text("{}")
    assert [f.code for f in findings(tmp_path)] == ["E704"]


def fixed(path: Path, out: Path | None, form: str | None = None) -> dict[str, int]:
    checker = Checker(form=get_format(form) if form else None)
    found = list(checker.check([path]))
    return {
        code: n for copy in fix(found, checker.forms, "en", out) for code, n in copy.fixed.items()
    }


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_text_is_mended_in_a_copy(tmp_path: Path, end: str) -> None:
    path, out = tmp_path / "a.txt", tmp_path / "b.txt"
    broken = "\ufeff" + (BLOCK[:-1] + BLOCK).replace("\n", end)
    path.write_text(broken, newline="")
    assert fixed(path, out, "five-line") == {"W103": 1, "W104": 9, "E203": 1}
    assert out.read_bytes() == (BLOCK * 2).encode()
    assert path.read_bytes() == broken.encode()
    with pytest.raises(UsageError, match="is there already"):
        fixed(path, out, "five-line")
    fixed(path, None, "five-line")
    assert path.read_bytes() == out.read_bytes()


def test_duplicates_are_mended_by_record(tmp_path: Path) -> None:
    one = Mention(0, 0, 1)
    path = native(
        tmp_path / "a.jsonl", replace(document(), clusters=((one, one, Mention(0, 1, 2)),))
    )
    assert fixed(path, tmp_path / "b.jsonl") == {"E401": 1}
    assert findings(tmp_path / "b.jsonl") == []
    path = native(tmp_path / "c.jsonl", EVENT, replace(EVENT, id="2"))
    assert fixed(path, tmp_path / "d.jsonl") == {"E401": 1}
    assert findings(tmp_path / "d.jsonl") == []


SPANS = st.builds(
    lambda start, size, owner: EntitySpan(start, start + size, owner),
    st.integers(0, 8),
    st.integers(1, 6),
    st.integers(0, 2),
)


@given(st.lists(SPANS, max_size=12))
def test_each_two_that_cross(spans: list[EntitySpan]) -> None:
    order = sorted(set(spans), key=lambda s: (s.start, -s.end, s.owner))
    expected = [
        (one, other)
        for number, other in enumerate(order)
        for one in order[:number]
        if one.start < other.start < one.end < other.end
    ]
    assert list(find_crossing(spans)) == expected


def test_spans_in_one_another_are_not_gone_through_each_time() -> None:
    """30,000: all pairs of them would take minutes."""
    size = 60_000
    assert list(find_crossing(EntitySpan(n, size - n, 0) for n in range(size // 2))) == []


def checked(
    path: Path, content: str | bytes, form: str
) -> tuple[list[tuple[str, int | None]], int]:
    """Code and line of each finding, and the number of records."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    checker = Checker(form=get_format(form), singletons="allow")
    return said(list(checker.check([path]))), checker.read[path]


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


@pytest.mark.parametrize(
    ("folder", "records", "codes"),
    [
        ("gap", 2454, {}),
        # The unmasked ones of the published reader, and two pairs of sentences that come twice.
        ("winograd", 8562, {"W507": 16, "W405": 4}),
        # Half of the 79 known ones.
        ("wec-eng", 595, {"E302": 36}),
        ("ontogum/ontogum.dev.conll", 30, {"E402": 1, "W304": 1, "W403": 2}),
    ],
)
def test_findings(folder: str, records: int, codes: dict[str, int]) -> None:
    checker = Checker()
    found = Counter(finding.code for finding in checker.check([shared("data", folder)]))
    assert (found, sum(checker.read.values())) == (codes, records)


def test_the_wrong_spans_of_wec_eng_are_mended_and_nothing_else_is_touched(tmp_path: Path) -> None:
    path = shared("data", "wec-eng", "WEC-Eng_dev_half.json")
    checker = Checker()
    found = list(checker.check([path]))
    (copy,) = fix(found, checker.forms, "en", tmp_path / "mended.json")
    assert copy.fixed == {"E302": 36}
    before, after = path.read_text().splitlines(), copy.target.read_text().splitlines()
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert len(changed) == 36 and all('"tokens_str"' in old for old, _ in changed)
    assert findings(copy.target) == []
