"""From articles to examples, with a pipeline of rules that finds the names it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
import spacy

from corefmill.builders.nlp import Analysis, Backend, Entity
from corefmill.builders.nlp.spacy_backend import SpacyPipeline
from corefmill.builders.persons.prefilter import RecurringNames
from corefmill.builders.persons.table import load
from corefmill.builders.run.stages import Context, Out
from corefmill.builders.wiki.article import Redirect
from corefmill.builders.wiki.markup.records import Link
from corefmill.builders.wikicrem.options import FILTERS, WikicremOptions
from corefmill.builders.wikicrem.stages import read_recurring, setup, stages
from tests.builders.chain import through
from tests.builders.wikicrem.passages import article

NAMES = ["Ann", "Bob", "Cyd", "Émile", "Bob, Jr.", "Éé", "Ее"]
# Two sentences, so that no name is known by the beginning of a sentence alone.
MET = "At noon Ann met Bob in the old mill. "
CONTEXT = "It was known that Ann, Bob, Cyd and Émile were friends."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    ruler = nlp.add_pipe("entity_ruler")
    patterns = [{"label": "PER", "pattern": name} for name in NAMES]
    ruler.add_patterns(patterns)  # type: ignore[attr-defined]
    path = tmp_path_factory.mktemp("pipeline") / "tiny"
    nlp.to_disk(path)
    return path


Mine = Callable[..., tuple[list[dict[str, Any]], Context]]


@pytest.fixture(scope="module")
def mine(folder: Path) -> Mine:
    """Examples of a text, or of several articles, and what was counted."""
    pipeline = SpacyPipeline(str(folder), "en")

    def run(*texts: Any, keep: Any = None, **options: Any) -> tuple[list[dict[str, Any]], Context]:
        items = [article(text, CONTEXT) if isinstance(text, str) else text for text in texts]
        context = Context(0, 0, keep)
        steps = stages(WikicremOptions(nlp=str(folder), **options), pipeline)
        return [dict(out.record) for out in through(steps, items, context)], context

    return run


def masked(example: dict[str, Any]) -> str:
    start, end = example["target"]
    text: str = example["text"]
    return f"{text[:start]}[{text[start:end]}]{text[end:]}"


def test_clean_mode_makes_one_record_of_all_candidates(mine: Mine) -> None:
    text = "It rained. At noon Ann met Bob and the miller Cyd there. Then Ann left the mill."
    (example,), context = mine(text)
    assert masked(example) == (
        "At noon Ann met Bob and the miller Cyd there. Then [Ann] left the mill."
    )
    assert example["candidates"] == ["Ann", "Bob", "Cyd"]
    assert example["label"] == 0
    assert example["mentions"] == [[0, 8, 11], [1, 16, 19], [2, 35, 38]]
    assert example["sentences"] == [[0, 45], [46, 69]]
    source = {"title": "Mill", "page_id": 7, "paragraph": 0, "start": 11, "end": 80}
    assert example["source"] == source
    assert example["meta"]["rule"] == "b"
    assert example["meta"]["tokens"][:2] == [[0, 2], [3, 7]]
    assert context.rejects == {}
    assert context.counts["drafts"] == 1


def test_paper_mode_makes_a_record_of_each_wrong_candidate(mine: Mine) -> None:
    text = "At noon Ann met Bob and the miller Cyd there. Then Ann left the mill."
    examples, context = mine(text, mode="paper")
    assert [example["candidates"] for example in examples] == [["Ann", "Bob"], ["Ann", "Cyd"]]
    assert {example["label"] for example in examples} == {0}
    assert len({masked(example) for example in examples}) == 1
    assert [example["mentions"] for example in examples] == [
        [[0, 8, 11], [1, 16, 19]],
        [[0, 8, 11], [1, 35, 38]],
    ]
    assert context.rejects == {}


LONG = "At noon Ann met Bob, " + "and it rained, " * 1_400 + "and Ann left it alone."


@pytest.mark.parametrize(
    ("mode", "text", "candidates", "rejects"),
    [
        # Either of the later two may be masked, and both stand in the quotation.
        ("clean", "At noon Ann met Bob and sang “Now Ann is here, old Ann is here”.", [], "quoted"),
        # A name with a comma, or names that ASCII cannot tell apart.
        ("all", MET.replace("Bob", "Bob, Jr.") + "Then Ann left.", [], "name_not_expressible"),
        ("paper", MET.replace("Bob", "Bob, Jr.") + "Then Ann left.", [], "name_not_expressible"),
        ("paper", "At noon Éé met Ее and Bob, and then Éé left.", [], "name_not_expressible"),
        ("paper", "At noon Bob met Ее and Ann, and then Bob left.", [["Bob", "Ann"]], ""),
        ("paper", LONG, [], "window_too_long"),
        ("paper", LONG.replace("and it rained, " * 700, ""), [["Ann", "Bob"]], ""),
        # Paper mode filters nothing.
        ("paper", "Ann, Bob, Ann.", [["Ann", "Bob"]], ""),
    ],
)
def test_a_group_is_rejected_once_under_its_first_fault(
    mine: Mine, mode: Any, text: str, candidates: list[list[str]], rejects: str
) -> None:
    without = FILTERS if mode == "all" else ()
    examples, context = mine(text, mode="clean" if mode == "all" else mode, without=without)
    assert [example["candidates"] for example in examples] == candidates
    assert context.rejects == ({rejects: 1} if rejects else {})
    assert (context.counts["characters_analysed"] == 0) is (rejects == "window_too_long")


def test_a_name_is_asked_for_once_in_a_sentence(mine: Mine) -> None:
    text = MET + "Then Ann saw Bob from the boat, and at night Ann left alone."
    examples, context = mine(text)
    # The last "Ann", by (a), is of the first one's group; "Bob" stands behind both.
    assert [(one["meta"]["rule"], one["text"][one["target"][1] :][:5]) for one in examples] == [
        ("b", " saw "),
        ("c", " from"),
    ]
    assert context.counts["drafts"] == 2
    paper, _ = mine(text, mode="paper")
    assert [example["meta"]["rule"] for example in paper] == ["a", "b"]


def test_where_the_first_of_a_group_is_stopped_the_next_is_asked(mine: Mine) -> None:
    examples, context = mine(MET + "“Ann is here,” sang Bob, and at night Ann left alone.")
    assert [one["text"][one["target"][1] :][:5] for one in examples] == [" left", ", and"]
    assert context.rejects == {}


def test_a_passage_is_as_short_as_may_be_and_three_sentences_at_most(mine: Mine) -> None:
    rained = "In town it rained for days. "
    for between, found in (("", 2), (rained, 3), (rained + rained, 0)):
        examples, _ = mine(MET + between + "Then Ann left the mill.")
        asked = [one for one in examples if one["text"].endswith("Ann left the mill.")]
        assert [len(one["sentences"]) for one in asked] == [found] * bool(found)


def test_a_faulty_wrong_candidate_goes_and_the_rest_stays(mine: Mine) -> None:
    text = "At noon Ann met Bob at the old Joy mill, joy and joy. Then Ann left it alone."
    (example,), context = mine(text)
    assert example["candidates"] == ["Ann", "Bob"]
    assert context.rejects == {}


def test_only_prose_is_read(mine: Mine) -> None:
    made = article(MET + "Then Ann left the mill.", CONTEXT)
    made.paragraphs[0].kind = "quote"
    examples, context = mine(made)
    assert (examples, context.counts["paragraphs"]) == ([], 1)


def test_offsets_count_from_the_passage_wherever_it_stands(mine: Mine) -> None:
    before = "It rained on that day. It was late that day. "
    examples = [mine(start + MET + "Then Ann left the mill.")[0][0] for start in ("", before)]
    ids = [example.pop("id") for example in examples]
    sources = [example.pop("source") for example in examples]
    assert [source["start"] for source in sources] == [0, len(before)]
    assert examples[0] == examples[1]
    assert ids == ["test-7-0-42", f"test-7-0-{42 + len(before)}"]


def test_links_of_candidates_are_kept_for_the_join(mine: Mine) -> None:
    text = MET + "Then Ann left the mill for good."
    links = [Link(text.index("Ann"), text.index("Ann") + 3, "Ann (ship)", None)]
    (example,), _ = mine(article(text, CONTEXT, links=links))
    assert example["meta"]["links"] == {"Ann": "Ann (ship)"}
    # Bob is linked elsewhere in the article; a link to a section of the article itself is none.
    other = article(CONTEXT, text, links=[Link(23, 26, "Bob Day", None), Link(18, 21, "", "Life")])
    (example,), _ = mine(other)
    assert example["meta"]["links"] == {"Bob": "Bob Day"}
    assert "links" not in mine(text)[0][0]["meta"]


def test_articles_do_not_share_their_use_of_names(mine: Mine) -> None:
    text = "Ann met Bob in the old mill. Ann left it for good."
    examples, context = mine(article(text), article(text, "He was in Ann, in Ann, in Ann."))
    assert [example["source"]["title"] for example in examples] == ["Mill"]
    assert context.rejects == {"no_person": 1}


def test_what_is_known_of_pages_goes_to_their_channel(folder: Path) -> None:
    steps = setup(lambda items, context: items, WikicremOptions(nlp=str(folder)))
    pages = (("Ann", True), ("Mill", False), ("Fog", None))
    items = [article("It rained.", title=title, is_person=person) for title, person in pages]
    items.append(Redirect("The mill", "Mill"))
    context = Context(0, 0)
    assert through(steps, items, context) == []
    known = [("Ann", None, True), ("Mill", None, False), ("The mill", "Mill", None)]
    assert context.outs == [
        Out("pages", {"title": title, "redirect": redirect, "person": person})
        for title, redirect, person in known
    ]


def test_rejects_are_kept_with_what_tells_why(mine: Mine) -> None:
    kept: list[Any] = []
    text = MET + "Then Ann, who was late, left the old mill for good."
    assert mine(text, keep=kept.append)[1].rejects == {"relative_clause": 1}
    record = {"title": "Mill", "text": text, "answer": "Ann", "others": ["Bob"]}
    row = {**record, "start": text.rindex("Ann")}
    assert kept == [{"reason": "relative_clause", "record": row}]
    assert len(mine(text, without=("relative_clause",))[0]) == 1


def test_the_tables_words_keep_sentences_whole(mine: Mine) -> None:
    """The prefilter and the cutting of sentences are given the table's honorifics."""
    assert "Prof." in load("en").titles
    text = MET + "Then the good Prof. Fay and his old dog saw that Ann left it."
    (example,), _ = mine(text)
    assert len(example["sentences"]) == 2
    assert masked(example).endswith("saw that [Ann] left it.")


ENGLISH = load("en")
VESK = "They went from Vesk to Orla {} times and saw Vesk again."
ANN = "At noon Ann met Bob {} times, and then Ann left."


class Names:
    """Calls Ann and Bob persons, or others, and notes each batch that it reads."""

    def __init__(self, persons: Sequence[str] = ("Ann", "Bob")) -> None:
        self.read: list[list[str]] = []
        self._persons = persons

    def names(self, texts: Iterable[str]) -> Iterator[Analysis]:
        self.read.append(list(texts))
        for text in self.read[-1]:
            found = [(text.find(name), name) for name in self._persons]
            persons = (Entity(at, at + len(name), "PERSON") for at, name in found if at >= 0)
            yield Analysis(text, (), ((0, len(text)),), tuple(persons))


def read(
    *articles: Iterable[str], names: Sequence[str] = ("Ann", "Bob"), **how: Any
) -> tuple[list[str], list[list[str]], Context]:
    """The passages that are read, the turns in which they were, and what was counted."""
    pipeline, context = Names(names), Context(0, 0)
    recurring = RecurringNames(ENGLISH.no_names, ENGLISH.titles, **how)
    found = read_recurring(
        recurring, cast(Backend, pipeline), iter([article(*one) for one in articles]), context
    )
    return [one.passage.text for one in found], pipeline.read, context


def test_what_is_no_person_is_read_a_few_times_only() -> None:
    places, persons = [VESK.format(n) for n in range(9)], [ANN.format(n) for n in range(9)]
    found, _, context = read([*places, *persons])
    assert found == [*places[:2], *persons]
    assert context.counts["characters_analysed"] == sum(map(len, found))


@pytest.mark.parametrize(("persons", "later"), [((), False), (("Ann Vesk",), True)])
def test_a_surname_is_read_on_whatever_it_is_called_alone(
    persons: Sequence[str], later: bool
) -> None:
    named = "At noon Bob met Ann Vesk in Orla, and then Ann Vesk left for Orla."
    places = [VESK.format(n) for n in range(9)]
    found = read([*places[:2], named, *places[2:]], names=persons)[0]
    assert (places[-1] in found) is later


def test_articles_learn_apart_and_are_read_in_their_order() -> None:
    places = [VESK.format(n) for n in range(4)]
    found, turns, _ = read([*places, ANN], places)
    assert found == [*places[:2], ANN, *places[:2]]
    assert turns == [[*places[:2], *places[:2]], [ANN]]


MARSH = "In the mill Ann Marsh met Bob, and then Marsh Metal was sold."
RAIN, MILL = "It rained in the valley. ", "In the mill Ann met Bob, and then Ann left."


@pytest.mark.parametrize(
    ("text", "cut", "found"),
    [
        # A name behind an honorific or at the head of a sentence is the name.
        ("In the mill Marsh met Bob that day. Lately Marsh left.", True, 0),
        ("In the mill Marsh met Bob that day. In May President Marsh left.", True, 0),
        # Of part of a run nothing is repeated where sentences are cut.
        (MARSH, True, None),
        (MARSH, False, 0),
        # A piece is read without the one before only where sentences are cut.
        (RAIN + MILL, True, len(RAIN)),
        (RAIN + MILL, False, 0),
    ],
)
def test_passages_begin_where_a_name_is_repeated(text: str, cut: bool, found: int | None) -> None:
    assert read([text], cut=cut)[0] == ([] if found is None else [text[found:]])
