"""Features of a target and a mention by their trees, and what a pointer learns of them alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from corefmill.coref_model.encoder.names import load
from corefmill.coref_model.evaluation import masked
from corefmill.coref_model.evaluation.rows import EvaluationOptions, Parser
from corefmill.coref_model.masked import passages as features
from corefmill.coref_model.masked.answers import Answerer
from corefmill.coref_model.masked.pointer import KIND, PointerSettings, answers
from corefmill.coref_model.training.config import resolve
from corefmill.coref_model.training.loop import train
from corefmill.corpora import record_meta
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.record_meta import SpanSyntax, Step
from corefmill.corpora.records import MaskedExample, Span
from tests.coref_model.masked.passages import example


def trees(texts: Iterable[tuple[str, Sequence[Span]]]) -> Iterator[list[SpanSyntax | None]]:
    """Of passages of the form "ONE met OTHER because she left."; a subject where a verb follows."""
    for text, spans in texts:
        found: list[SpanSyntax | None] = []
        for start, _ in spans:
            at = text[:start].count(" ")
            verb = 1 if at < 3 else 5
            role = ("nsubj", "subject") if at in (0, 4) else ("obj", "object")
            path = [Step(at, role[0], "PROPN"), Step(verb, "root", "VERB")]
            found.append(SpanSyntax(role[1], 1, tuple(path)))
        yield found


def passage(one: str, other: str, target: str = "she", label: int = 0) -> MaskedExample:
    text = f"{one} met {other} because {target} left."
    return example(text, target, *sorted((one, other)), label=label)


NAMES = ("Ann", "Eve", "Joan", "Lucy", "Mary", "Ruth")
SUBJECTS = [passage(a, b, label=int(a > b)) for a in NAMES for b in NAMES if a != b]
PARSED = list(features.parsed(SUBJECTS, trees))


def test_a_parsed_example_states_all_its_mentions() -> None:
    (first, *_) = PARSED
    assert first.mentions == ((0, 0, 3), (1, 8, 11))
    assert [one and one.role for one in record_meta.read_syntax(first)] == [
        "subject",
        "subject",
        "object",
    ]


def test_features_tell_roles_apart_and_not_names() -> None:
    rows = [features.features_of(one) for one in PARSED]
    assert len({tuple(map(frozenset, one)) for one in rows}) == 1  # the names do not matter
    subject, other = map(set, rows[0])
    assert subject - other and other - subject
    assert all(0 <= row < features.ROWS for row in subject | other)


def test_who_is_the_subject_of_the_clause_makes_a_difference() -> None:
    plain = example("Ann met Eve and told her .", "her", "Ann", "Eve", label=1)
    (stated,) = features.parsed([plain], trees)
    met = Step(2, "root", "VERB")
    told = (Step(5, "conj", "VERB"), met)

    def of_first(second: SpanSyntax) -> set[int]:
        target = SpanSyntax("object", 1, (Step(6, "obj", "PRON"), *told))
        first = SpanSyntax("subject", 1, (Step(1, "nsubj", "PROPN"), met))
        rows, _ = features.features_of(record_meta.add_syntax(stated, [target, first, second]))
        return set(rows)

    shared = of_first(SpanSyntax("object", 1, (Step(3, "obj", "PROPN"), met)))
    own = of_first(SpanSyntax("subject", 1, (Step(3, "nsubj", "PROPN"), *told)))
    assert len(shared - own) == len(own - shared) == 2  # by itself, and with the target's role


def test_where_nothing_is_known_there_are_no_features() -> None:
    nothing = record_meta.add_syntax(PARSED[0], [None, None, None])
    assert features.features_of(nothing) == [(), ()]
    half = record_meta.add_syntax(PARSED[0], [*record_meta.read_syntax(PARSED[0])[:2], None])
    assert [bool(own) for own in features.features_of(half)] == [True, False]


def test_mentions_that_were_not_parsed_are_told() -> None:
    other_way = replace(PARSED[0], mentions=PARSED[0].mentions[::-1])
    with pytest.raises(DataError, match="does not state all its mentions in order"):
        features.features_of(other_way)
    with pytest.raises(DataError, match="says nothing of its trees"):
        features.features_of(SUBJECTS[0])


SETS = ["encoder=tiny", "trained=false", "hidden=8", "pair_width=16", "features=false"]


def settings(*sets: str) -> PointerSettings:
    return resolve(PointerSettings, "pointer", sets=[*SETS, *sets])


def test_a_role_is_learnt_whatever_the_names(tmp_path: Path) -> None:
    made = settings("syntax=true", "epochs=10", "lr=0.01", "batch_pieces=64", "hide=0.0")
    known = [one for one in PARSED if "Ruth" not in one.candidates]
    fresh = [one for one in PARSED if "Ruth" in one.candidates]
    task = KIND.make(load("tiny"), made, {"train": known, "validation": fresh}, 0)
    train(task, made, tmp_path / "out", quiet=True)
    task.model.eval()
    said = [one.choice for one in answers(task.model, made, fresh)]
    assert said == [one.label for one in fresh]


def test_evaluation_parses_what_it_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Answerer] = []

    class Predicting:
        settings = settings("syntax=true")

    class Corpus:
        lang, format, name = "en", "native-masked", "c"

    def evaluate(answerer: Answerer, *_: object, **__: object) -> list[object]:
        asked.append(answerer)
        raise KeyError

    monkeypatch.setattr(masked.choices, "evaluate", evaluate)
    parser = Parser("en_test 1", trees, iter)
    options = EvaluationOptions(parser=lambda _: parser)
    with pytest.raises(KeyError):
        masked.rows_of(Predicting(), Corpus(), "test", options)  # type: ignore[arg-type]
    assert isinstance(asked[0], features.Parsing) and asked[0].roles is trees
