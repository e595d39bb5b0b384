"""Winogender's sentences and templates."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.corpora.errors import DataError
from corefmill.corpora.formats import winogender
from corefmill.corpora.formats.form import Format
from corefmill.corpora.records import MaskedExample, Source
from tests.corpora.formats.trials import DATA, read, refused, rewritten, survives
from tests.corpora.generated import damaged

FORMAT, TEMPLATES = winogender.FORMAT, winogender.MADE_FROM_TEMPLATES
HEADER = "sentid\tsentence\n"
ROW = "chef.guest.1.female.txt\tThe chef told a guest that she was late.\n"
TEMPLATE_HEADER = "occupation(0)\tother-participant(1)\tanswer\tsentence\n"
TEMPLATE = (
    "chef\tguest\t1\tThe $PARTICIPANT told the $OCCUPATION that $NOM_PRONOUN was late.\n"
    "chef\tguest\t0\tThe $OCCUPATION showed the $PARTICIPANT $POSS_PRONOUN knife.\n"
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("winogender") / "set.tsv"


def test_candidates_stand_with_their_articles(path: Path) -> None:
    assert read(FORMAT, path, HEADER + ROW) == [
        MaskedExample(
            id="chef.guest.1.female.txt",
            lang="en",
            text="The chef told a guest that she was late.",
            sentences=((0, 40),),
            target=(27, 30),
            candidates=("The chef", "a guest"),
            mentions=((0, 0, 8), (1, 14, 21)),
            label=1,
            source=Source("", 0),
        )
    ]


def test_someone_has_no_article(path: Path) -> None:
    row = "chef.someone.0.neutral.txt\tSomeone met the chef at their home.\n"
    (example,) = read(FORMAT, path, HEADER + row)
    assert (example.candidates, example.answer) == (("the chef", "Someone"), "the chef")


def test_a_template_makes_six_sentences(path: Path) -> None:
    made = read(TEMPLATES, path, TEMPLATE_HEADER + TEMPLATE)
    assert [(example.id, example.text) for example in made][:7] == [
        ("chef.guest.1.male.txt", "The guest told the chef that he was late."),
        ("chef.guest.1.female.txt", "The guest told the chef that she was late."),
        ("chef.guest.1.neutral.txt", "The guest told the chef that they were late."),
        ("chef.someone.1.male.txt", "Someone told the chef that he was late."),
        ("chef.someone.1.female.txt", "Someone told the chef that she was late."),
        ("chef.someone.1.neutral.txt", "Someone told the chef that they were late."),
        ("chef.guest.0.male.txt", "The chef showed the guest his knife."),
    ]
    assert [line for line, _ in TEMPLATES.read(path, "en")] == [2] * 6 + [3] * 6


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (".txt", "", "is not occupation.participant.answer.gender.txt"),
        (".1.", ".2.", "is not occupation"),
        (".female.", ".other.", "is not occupation"),
        (".female.", ".male.", "male pronoun stands 0 times"),
        ("was late", "hurt herself", "female pronoun stands 2 times"),
        ("a guest", "a guest and another guest", "guest stands 2 times"),
        ("The chef", "The sous-chefs", "chef stands 0 times"),
        ("chef.guest", "chef.chef", "two distinct candidates"),
    ],
)
def test_a_sentence_that_breaks_a_rule_is_named(
    path: Path, old: str, new: str, message: str
) -> None:
    error = refused(FORMAT, path, HEADER + ROW + ROW.replace(old, new))
    assert error.line == 3
    assert message in error.message


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("$OCCUPATION", "chef", r"$OCCUPATION stands 0 times"),
        ("late", "late, $NOM_PRONOUN said", "the template has not one pronoun"),
        ("$NOM_PRONOUN", "he", "the template has not one pronoun"),
        ("\t1\t", "\tboth\t", "is not occupation.participant.answer"),
    ],
)
def test_a_template_that_breaks_a_rule_is_named(
    path: Path, old: str, new: str, message: str
) -> None:
    error = refused(TEMPLATES, path, TEMPLATE_HEADER + TEMPLATE.replace(old, new, 1))
    assert error.line == 2
    assert message in error.message


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(["chef", "O'Neil & co", "bäcker", "x-ray"]),
            st.sampled_from(["guest", "someone", "次"]),
            st.integers(0, 1),
            st.sampled_from([("male", "his"), ("female", "Her"), ("neutral", "them")]),
            st.sampled_from(
                ["{} saw {}, and {} left", "{}…\u2028{}?\x85 {}", "A {} or THE {}: {}"]
            ),
        ),
        max_size=3,
    )
)
def test_what_is_written_is_read_the_same(
    path: Path, rows: list[tuple[str, str, int, tuple[str, str], str]]
) -> None:
    content = HEADER + "".join(
        f"{one}.{other}.{answer}.{gender}.txt\t{form.format(one, other, pronoun)}\n"
        for one, other, answer, (gender, pronoun), form in rows
    )
    examples = read(FORMAT, path, content)
    assert winogender.write(path, examples) == len(rows)
    assert path.read_bytes() == content.encode()
    assert [example for _, example in winogender.read(path)] == examples


@pytest.mark.parametrize(
    ("form", "whole"), [(FORMAT, HEADER + ROW * 2), (TEMPLATES, TEMPLATE_HEADER + TEMPLATE)]
)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_damaged_bytes_give_examples_or_a_data_error(
    path: Path, form: Format, whole: str, data: st.DataObject
) -> None:
    survives(form, path, data.draw(damaged(whole.encode())))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": "7"}, "example 7: sentid '7' is not"),
        ({"label": 0}, "say another label"),
        ({"label": None}, "say another label"),
        ({"candidates": ("the chef", "a guest")}, "say another candidates"),
        ({"target": (0, 8)}, "say another target"),
    ],
)
def test_what_is_no_sentence_of_winogender_is_refused(
    path: Path, change: dict[str, object], message: str
) -> None:
    (example,) = read(FORMAT, path, HEADER + ROW)
    with pytest.raises(DataError, match=message):
        winogender.write(path, [replace(example, **change)])  # type: ignore[arg-type]


@pytest.mark.skipif(not DATA.is_dir(), reason=f"needs Winogender in {DATA}")
def test_the_released_templates_are_the_released_sentences(path: Path) -> None:
    folder = DATA / "winograd" / "winogender"
    examples = rewritten(FORMAT, folder / "all_sentences.tsv", path)
    assert Counter(example.label for example in examples) == {0: 360, 1: 360}
    assert [example for _, example in TEMPLATES.read(folder / "templates.tsv", "en")] == examples
