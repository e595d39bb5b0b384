"""Chooses the corpus from the finished shards: repeated sentences go, whole articles are split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from corefmill.builders.knowref.funnel import Funnel
from corefmill.builders.runner.job import RunResult
from corefmill.builders.wikicrem.assemble import Assembled, check_not_empty, judge
from corefmill.corpora.formats import knowref
from corefmill.corpora.records import MaskedExample


@dataclass(frozen=True, slots=True)
class Assemble:
    """The chooser of `corefmill.builders.corpus.finish`, with what `judge` takes."""

    mode: str
    filters: tuple[str, ...]
    validation: int | None
    limit: int | None
    seed: int

    @contextmanager
    def __call__(self, result: RunResult) -> Iterator[Problems]:
        """Raises `DataError` where there is no problem at all, the input's own if it broke off."""
        verdicts = judge(
            result, self.filters, validation=self.validation, limit=self.limit, seed=self.seed
        )
        rejects = result.rejects + verdicts.rejected()
        funnel = Funnel(self.mode, result.counts["sentences"], rejects)
        if all(verdicts.faults) and result.source_error is not None:
            raise result.source_error
        check_not_empty(verdicts, rejects)
        yield Problems(result, verdicts, (funnel,))


class Problems(Assembled):
    """The choice, with the rejects under this builder's stages."""

    @property
    def rejects(self) -> dict[str, Counter[str]]:
        """What was left out: of the input, of the sentences, of the problems."""
        stages: dict[str, Counter[str]] = {
            "input": Counter(),
            "sentence": Counter(),
            "corpus": self.verdicts.rejected(),
        }
        (funnel,) = self.tallies
        known = funnel.counts() if isinstance(funnel, Funnel) else {}
        for reason, count in self.result.rejects.items():
            stages["sentence" if reason in known else "input"][reason] = count
        return stages


def write_json(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Writes KnowRef's JSON with what its records say of the pronoun; returns the number."""
    return knowref.write(path, map(_described, examples))


def _described(example: MaskedExample) -> MaskedExample:
    said = {
        "is_pronoun_person": True,
        "is_pronoun_plural": False,
        "is_pronoun_male": example.meta.get("gender") == "male",
        "is_agree_on_type": True,
        "is_agree_on_number": True,
        "is_agree_on_gender": True,
    }
    return replace(example, meta={"knowref": said})
