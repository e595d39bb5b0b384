"""GAP, KnowRef and sets of Winograd's kind: bytes in, bytes out, and an error for a broken rule."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import gap, knowref, winograd
from corefmill.corpora.formats.form import Format
from corefmill.corpora.formats.registry import FORMATS
from corefmill.corpora.records import Source
from tests.corpora.formats.trials import DATA, read, refused, rewritten, write

GAP, BIAS, GENDER, WNLI = gap.FORMAT, winograd.WINOBIAS, winograd.WINOGENDER, winograd.WNLI
GRANDE, GRANDE_LINES = winograd.WINOGRANDE, winograd.WINOGRANDE_LINES

GAP_HEADER = "\t".join(gap.HEADER) + "\n"
GAP_URL = "http://en.wikipedia.org/wiki/Ada_Lee_%28chess%29"
GAP_ROW = f"t-1\tZoë met Ada Lee. She won.\tShe\t17\tZoë\t0\tFALSE\tAda Lee\t8\tTRUE\t{GAP_URL}\n"
BIAS_LINE = "3 The cook told [the baker] that [she] burnt [her] bread.\n"
GENDER_HEADER = "sentid\tsentence\n"
GENDER_ROW = "chef.guest.1.female.txt\tThe chef told a guest that she was late.\n"
GRANDE_HEADER = "index\tsentence1\tsentence2\tlabel\tcandidate0\tcandidate1\n"
GRANDE_ITEM = (
    "4\tAda's oven beat Bo's, so Ada\t baked more.\t1\tAda\tBo\n"
    "4\tAda's oven beat Bo's, so Bo\t baked more.\t0\tAda\tBo\n"
)
GRANDE_LINE = (
    '{"qID": "Q-1", "sentence": "The cup broke, so _ was swept up.", '
    '"option1": "cup", "option2": "caf\\u00e9", "answer": "2"}\n'
)
WNLI_HEADER = "index\tsentence1\tsentence2\tlabel\n"
WNLI_ROW = "0\tThe cup hit the jar, and it broke.\tThe jar broke.\t1\n"


KNOWREF, SIXTY = knowref.FORMAT, knowref.LINES_60K
RECORD: dict[str, Any] = {
    "correct_candidate_idx": 1,
    "sentence_with_pronoun": "Ada thanked Eve , because [she] had helped her .",
    "candidate1": ["Eve"],
    "candidate0": ["Ada"],
    "correct_candidate": ["Eve"],
    "original_sentence": ["Ada thanked Bo , because he had helped her ."],
    "oiginal_id": 50,
}
LINE: dict[str, Any] = {
    "original_sentence": "Bo thanked the Hers , because he left .",
    "swapped_sentence": "Ed thanked the Hers , because he left .",
    "candidate0": "Ed",
    "candidate1": "Hers",
    "correct_candidate": "candidate_1",
    "annotation_strength": "5",
}
ITEMS = {
    GAP.name: (GAP_HEADER, GAP_ROW),
    BIAS.name: ("", BIAS_LINE),
    GENDER.name: (GENDER_HEADER, GENDER_ROW),
    GRANDE.name: (GRANDE_HEADER, GRANDE_ITEM),
    GRANDE_LINES.name: ("", GRANDE_LINE),
    WNLI.name: (WNLI_HEADER, WNLI_ROW),
    KNOWREF.name: ("", json.dumps([RECORD], indent=0)),
}


@pytest.mark.parametrize(
    ("name", "number", "masked", "candidates", "label", "mentions"),
    [
        ("gap", "t-1", "Zoë met Ada Lee. [MASK] won.", "Zoë|Ada Lee", 1, "Zoë|Ada Lee"),
        # The first pronoun is the target, the rest are mentions.
        (
            *("winobias", "3", "The cook told the baker that [MASK] burnt her bread."),
            *("The cook|the baker", 1, "The cook|the baker|her"),
        ),
        # Candidates with their articles.
        (
            *("winogender", "chef.guest.1.female.txt"),
            "The chef told a guest that [MASK] was late.",
            *("The chef|a guest", 1, "The chef|a guest"),
        ),
        # Two rows are an item.
        ("winogrande", "4", "Ada's oven beat Bo's, so [MASK] baked more.", "Ada|Bo", 0, ""),
        ("winogrande-jsonl", "Q-1", "The cup broke, so [MASK] was swept up.", "cup|café", 1, ""),
        # The hypothesis names a candidate for the word that it replaces.
        ("wnli", "0", "The cup hit the jar, and [MASK] broke.", "The jar|it", 0, ""),
        ("knowref", "1", "Ada thanked Eve , because [MASK] had helped her .", "Ada|Eve", 1, ""),
    ],
)
def test_an_item_is_an_example_and_is_written_again(
    path: Path, name: str, number: str, masked: str, candidates: str, label: int, mentions: str
) -> None:
    content = "".join(ITEMS[name])
    (found,) = read(FORMATS[name], path, content)
    assert (found.id, found.masked_text, found.label) == (number, masked, label)
    assert (found.lang, found.sentences) == ("en", ((0, len(found.text)),))
    assert "|".join(found.candidates) == candidates
    assert "|".join(found.text[start:end] for _, start, end in found.mentions) == mentions
    assert [own for own, *_ in found.mentions] == [0, 1, 1][: len(found.mentions)]
    meta = {
        "gap": {"url": GAP_URL},
        "wnli": {"hypothesis": "The jar broke."},
        "knowref": {"knowref": {key: RECORD[key] for key in ("original_sentence", "oiginal_id")}},
    }
    assert found.meta == meta.get(name, {})
    assert found.source == Source("Ada Lee (chess)" if name == "gap" else "", 0)
    assert write(FORMATS[name], path, found) == content


def test_neither_name_of_gap_is_no_label_in_small_letters_too(path: Path) -> None:
    row = GAP_ROW.replace("FALSE", "false").replace("TRUE", "False").replace("http", "ftp")
    (example,) = read(GAP, path, GAP_HEADER + row)
    assert example.label is None
    assert example.source.title == ""
    assert write(GAP, path, example) == GAP_HEADER + re.sub("(?i)false", "FALSE", row)


def test_a_candidate_of_gap_without_mention_is_looked_for(path: Path) -> None:
    (example,) = read(GAP, path, GAP_HEADER + GAP_ROW)
    assert write(GAP, path, replace(example, mentions=())) == GAP_HEADER + GAP_ROW


def test_the_candidates_of_winobias(path: Path) -> None:
    # The wrong candidate is the first other occupation. A blank within brackets is none of the
    # candidate, and is written outside of them.
    lines = (
        "1 [The cook] respects a CEO because [he] knows the CEO well.\n",
        "2 The cook met the [ baker] and greeted [him].\n",
    )
    first, second = read(BIAS, path, "".join(lines))
    assert (first.candidates, first.label) == (("The cook", "a CEO"), 0)
    assert (second.candidates, second.label) == (("The cook", "baker"), 1)
    assert write(BIAS, path, first, second) == "".join(lines).replace("[ ", " [")


@pytest.mark.parametrize(
    ("premise", "hypothesis", "target", "candidate"),
    [
        ("It fell.", "The cup fell.", "It", "The cup"),
        ("Ann took his cup! He cried.", "Ann took Bo's cup.", "his", "Bo's"),
        ("Ann's dog ate, so she paid.", "Ann paid.", "she", "Ann"),
        # A comma is a full stop, but `jar broke` for `jar` replaces no pronoun.
        ("He hit the jar, and it broke.", "The jar broke.", "it", "The jar"),
        # No pronoun: the shortest run, `Rome` for `Bonn`, and of two places the last.
        ("In Bonn, now in Bonn.", "In Rome.", "Bonn", "Rome"),
        ("He ran and she ran.", "Bo ran.", "she", "Bo"),
        ("Nobody came.", "It rained on us all day long.", None, None),
        ("One word.", "One", None, None),
    ],
)
def test_the_shortest_run_is_taken(
    premise: str, hypothesis: str, target: str | None, candidate: str | None
) -> None:
    found = winograd.align(premise, hypothesis)
    if found is None:
        assert target is candidate is None
    else:
        assert premise[slice(*found[0])] == target
        assert found[0][0] == premise.rindex(str(target))
        assert hypothesis[slice(*found[1])] == candidate


def test_an_item_that_does_not_align_is_kept_whole(path: Path) -> None:
    snow = "There was a great deal of snow in Rome."
    content = f"{WNLI_HEADER}5\tIt rained.\t{snow}\t0\n"
    (example,) = read(WNLI, path, content)
    assert example.meta == {"hypothesis": snow, "aligned": False}
    assert (example.target, example.answer) == ((0, 10), "It rained.")
    assert write(WNLI, path, example) == content


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("gap", "\t17\t", "\t16\t", "Pronoun is 'She', but at its offset stands ' Sh'"),
        ("gap", "\t8\t", "\t800\t", "B is 'Ada Lee', but at its offset stands ''"),
        ("gap", "\t8\t", "\t-1\t", "B-offset is '-1', not a number"),
        ("gap", "\t8\t", "\t٨\t", "B-offset is '٨', not a number"),
        ("gap", "FALSE", "TRUE", "A-coref and B-coref are both true"),
        ("gap", "FALSE", "maybe", "A-coref is 'maybe', neither 1 nor 0"),
        ("gap", "\tShe\t", "\t\t", "Pronoun is ''"),
        ("gap", "t-1\t", "", "10 columns where the header has 11"),
        ("winobias", "3 ", "x ", "a line of number, blank and sentence was expected"),
        ("winobias", "[she]", "[she", "the brackets do not pair"),
        ("winobias", "[she]", "[ ]", "empty or outside"),
        ("winobias", "[she] burnt [her]", "she burnt her", "1 pairs of brackets"),
        ("winobias", "The cook", "The king", "no occupation outside the brackets"),
        ("winogender", ".txt", "", "is not occupation.participant.answer.gender.txt"),
        ("winogender", ".female.", ".male.", "male pronoun stands 0 times"),
        ("winogender", "a guest", "a guest and another guest", "guest stands 2 times"),
        ("winogender", "The chef", "The sous-chefs", "chef stands 0 times"),
        ("winogender", "chef.guest", "chef.chef", "two distinct candidates"),
        ("winogrande", "4\tAda's oven beat Bo's, so Bo", "5\tso Bo", "differ in index"),
        ("winogrande", "so Ada\t", "so Eve\t", "does not end in its candidate 'Ada'"),
        ("winogrande", GRANDE_ITEM.partition("\n")[2], "", "the item's second row is missing"),
        ("winogrande-jsonl", "was", "_", "2 blanks in the sentence"),
        ("winogrande-jsonl", '"2"', '"3"', "answer '3' is neither 1 nor 2"),
        ("winogrande-jsonl", "sentence", "text", "no sentence"),
        ("winogrande-jsonl", "caf", "\\ud800", "half a surrogate pair"),
        ("wnli", "\t1\n", "\t2\n", "label is '2', neither 1 nor 0"),
        ("wnli", "\t1\n", "\n", "3 columns where the header has 4"),
    ],
)
def test_an_item_that_breaks_a_rule_is_named(
    path: Path, name: str, old: str, new: str, message: str
) -> None:
    header, item = ITEMS[name]
    error = refused(FORMATS[name], path, header + item + item.replace(old, new))
    assert error.line == (header + item).count("\n") + 1
    assert message in error.message


KING = "The king told the baker that she burnt her bread."


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("gap", {"candidates": ("Zoë", "Bo"), "mentions": ()}, "candidate 'Bo' does not stand"),
        ("gap", {"candidates": ("Zoë", "Bo")}, "candidate 'Bo' is 'Ada Lee' in the text"),
        ("gap", {"candidates": ("Zoë", "Ada Lee", "Bo")}, "the example has 3 candidates"),
        ("gap", {"id": "a\tb"}, "a cell holds a tab, a line end or a NUL"),
        ("winobias", {"label": None}, "3: 1 pairs of brackets"),
        ("winobias", {"text": KING}, "3: no occupation outside"),
        ("winogender", {"id": "7"}, "7: sentid '7' is not"),
        ("winogender", {"label": 0}, "cannot hold the label"),
        ("winogrande", {"candidates": ("a", "b", "c")}, "4: the example has 3 candidates"),
        ("knowref", {"candidates": ("a", "b", "c")}, "1: the example has 3 candidates"),
        (
            "knowref",
            {"text": "[Ada] thanked Eve , and [she] had"},
            "1: the text holds brackets",
        ),
        ("knowref", {"meta": {"knowref": 7}}, "1: meta.knowref is not an object"),
        (
            "knowref",
            {"meta": {"knowref_keys": ["x"]}},
            "1: meta.knowref_keys names keys that the record lacks",
        ),
        ("wnli", {"meta": {}}, "0: meta.hypothesis is missing"),
        ("wnli", {"label": None}, "0: some examples have a label and some have none"),
        ("wnli", {"target": (8, 11)}, "0: the format cannot hold the target"),
    ],
)
def test_what_a_format_cannot_carry_is_refused(
    path: Path, name: str, change: dict[str, object], message: str
) -> None:
    (example,) = read(FORMATS[name], path, "".join(ITEMS[name]))
    changed = replace(example, **{"sentences": ((0, 20),)} | change)
    with pytest.raises(DataError, match=f"example .*{message}"):
        write(FORMATS[name], path, example, changed)


needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"needs the released sets in {DATA}")


@needs_data
def test_the_released_file_of_gap(path: Path) -> None:
    examples = rewritten(GAP, DATA / "gap" / "gap-development.tsv", path)
    assert Counter(example.label for example in examples) == {0: 874, 1: 925, None: 201}
    assert all(example.source.title for example in examples)
    assert sum(bool(example.meta) for example in examples) == 1


@needs_data
@pytest.mark.parametrize(
    ("number", "labels", "pronouns"), [(1, {0: 198, 1: 198}, 9), (2, {1: 396}, 6)]
)
def test_the_released_files_of_winobias(
    path: Path, number: int, labels: dict[int, int], pronouns: int
) -> None:
    source = DATA / "winograd" / "winobias" / f"pro_stereotyped_type{number}.txt.dev"
    examples = read(BIAS, path, source.read_bytes())
    assert write(BIAS, path, *examples) == source.read_text("utf-8").replace("[ ", " [")
    assert Counter(example.label for example in examples) == labels
    assert sum(len(example.mentions) > 2 for example in examples) == pronouns


@needs_data
@pytest.mark.parametrize(("name", "items"), [("xs", 160), ("s", 640)])
def test_the_released_tables_of_winogrande(path: Path, name: str, items: int) -> None:
    source = DATA / "winograd" / "winogrande" / f"train_{name}.tsv"
    examples = rewritten(GRANDE, source, path)
    assert Counter(example.label for example in examples) == {0: items // 2, 1: items // 2}
    assert all(example.text.count("_") == 1 for example in examples)
    write(GRANDE_LINES, path, *examples)
    assert [example for _, example in GRANDE_LINES.read(path, "en")] == examples


def test_of_two_marked_pronouns_the_first_is_the_target_and_there_is_no_answer(path: Path) -> None:
    both = {**RECORD, "sentence_with_pronoun": "Ada met Eve , so [she] let [her] go ."}
    (example,) = read(KNOWREF, path, json.dumps([both]))
    assert example.masked_text == "Ada met Eve , so [MASK] let her go ."
    assert example.label is None and example.meta["unclear"] == "2 pronouns are marked"
    assert json.loads(write(KNOWREF, path, example)) == [both]


def test_the_first_pronoun_of_a_swapped_sentence_is_the_target(path: Path) -> None:
    (example,) = read(SIXTY, path, json.dumps(LINE))
    assert example.masked_text == "Ed thanked the Hers , because [MASK] left ."
    assert example.answer == "Hers"
    assert example.meta["knowref"]["annotation_strength"] == "5"


def test_candidates_that_are_the_same_leave_no_label(path: Path) -> None:
    (example,) = read(KNOWREF, path, json.dumps([{**RECORD, "candidate0": ["Eve"]}]))
    assert (example.candidates, example.label) == (("Eve", "Eve (2)"), None)
    (example,) = read(SIXTY, path, json.dumps({**LINE, "candidate0": "Hers"}))
    assert (example.candidates, example.label) == (("Hers", "Hers (2)"), 1)


@pytest.mark.parametrize(
    "record",
    [
        RECORD,
        {**RECORD, "candidate0": "Ada", "is_pronoun_male": False},
        {**RECORD, "candidate0": ["Eve"]},
        {key: value for key, value in RECORD.items() if not key.startswith("correct")},
        dict(reversed(RECORD.items())),
        {**RECORD, "more": {"deep": [None, 1.5]}},
    ],
)
def test_whatever_stands_in_a_record_is_written_again(path: Path, record: dict[str, Any]) -> None:
    examples = read(KNOWREF, path, json.dumps([record, RECORD]))
    again = json.loads(write(KNOWREF, path, *examples))
    assert again == [record, RECORD]
    assert list(again[0]) == list(record)
    # Without an array, a record a line is read as well.
    assert read(KNOWREF, path, f"{json.dumps(record)}\n{json.dumps(RECORD)}\n") == examples


@pytest.mark.parametrize(
    ("form", "change", "message"),
    [
        (KNOWREF, {"sentence_with_pronoun": "no brackets"}, "has no pair of brackets"),
        (KNOWREF, {"sentence_with_pronoun": "[a] b]"}, "or an odd one"),
        (KNOWREF, {"candidate0": ["Ada", "Eve"]}, "candidate0 is not a string"),
        (KNOWREF, {"correct_candidate": ["Bo"]}, "correct_candidate 'Bo' is neither candidate"),
        (SIXTY, {"swapped_sentence": "Ed left ."}, "no pronoun in swapped_sentence"),
        (SIXTY, {"correct_candidate": "Ed"}, "correct_candidate 'Ed' is not candidate_0"),
    ],
)
def test_a_record_that_breaks_a_rule_is_named(
    path: Path, form: Format, change: dict[str, Any], message: str
) -> None:
    if form is KNOWREF:
        content, line = json.dumps([RECORD, {**RECORD, **change}], indent=0), 19
    else:
        content, line = f"{json.dumps(LINE)}\n{json.dumps({**LINE, **change})}\n", 2
    error = refused(form, path, content)
    assert (error.line, error.message[:9]) == (line, "record 2:")
    assert message in error.message


@needs_data
def test_the_released_records(path: Path) -> None:
    examples = rewritten(KNOWREF, DATA / "knowref" / "knowref_test_first300.json", path)
    assert Counter(example.label for example in examples) == {0: 151, 1: 148, None: 1}
    assert "knowref_keys" not in {key for example in examples for key in example.meta}
    kept = [example.meta["knowref"] for example in examples]
    # In 80 records the number says the other candidate, and one has the same candidate twice.
    assert sum("correct_candidate_idx" in values for values in kept) == 81
    assert sum("correct_candidate" in values for values in kept) == 1
