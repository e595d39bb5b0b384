"""Stages in a chain: what each is given, and what goes past the others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from corefmill.builders.run.run import run
from corefmill.builders.run.stages import Context, Out, SplitPayload, Stage, run_stages
from tests.builders.run.test_run import lines
from tests.builders.run.toy_build import toy_job


def counted(payloads: Iterator[int], context: Context) -> Iterator[int]:
    for payload in payloads:
        yield from range(payload)


class AllBatches:
    """No generator: it works at once."""

    def __call__(self, numbers: Iterator[int], context: Context) -> Iterator[list[int]]:
        return iter([list(numbers)])


class Book(SplitPayload):
    """A payload of three parts."""

    def parts(self, context: Context) -> Iterator[int]:
        for number in (1, 3, 2):
            context.count("opened")
            yield number


def test_stages_are_called_for_each_part_alone() -> None:
    given: list[Stage] = [counted, AllBatches()]
    context = Context(0, 0)
    made = run_stages(given, Book(), context)
    assert next(made) == [0]
    assert context.counts["opened"] == 1  # the next is not held beside the first
    assert list(made) == [[0, 1, 2], [0, 1]]


def aside() -> list[Stage]:
    def read(payloads: Iterator[list[str]], context: Context) -> Iterator[str]:
        for texts in payloads:
            for text in texts:
                context.write("even", {"text": text.casefold()})
                yield text

    def last(texts: Iterator[str], context: Context) -> Iterator[Out]:
        for text in texts:
            if text != "C":
                yield Out("odd", {"text": text})

    return [read, last]


def test_a_stage_may_write_past_those_that_follow(tmp_path: Path) -> None:
    path = lines(tmp_path, ["A", "B", "C", "C", "C"])
    with run(toy_job(path, tmp_path / "out", setup=aside)) as result:
        assert [record["text"] for record in result.records("odd")] == ["A", "B"]
        assert [record["text"] for record in result.records("even")] == ["a", "b", "c", "c", "c"]
