"""The answers to a question as a table of numbers, items by raters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corefmill.annotate import latent
from corefmill.annotate.judgements import Judgement
from corefmill.corpora.scoring.agreement import Floats

MOST_SHARES = 8
"""Answers of which shares are given: of a question that is answered by names there are too many."""
_MOST_ANSWERS = 50
"""Answers for which Dawid and Skene's tables of errors are fitted."""


class AnswerMatrix:
    """The answers of a question as numbers: `codes` (items, raters), -1 where there is none."""

    def __init__(self, said: Sequence[Judgement]) -> None:
        answered = [one for one in said if one.answer]
        given = dict.fromkeys(one.answer for one in answered)
        # Yes before no, and other answers by their names.
        self.answers = sorted(given, key=lambda one: (one not in ("yes", "no"), one != "yes", one))
        self.items = list(dict.fromkeys(one.item for one in answered))
        self.raters = list(dict.fromkeys((one.rater, one.person) for one in said))
        self.codes = np.full((len(self.items), len(self.raters)), -1)
        place = {item: number for number, item in enumerate(self.items)}
        column = {rater: number for number, rater in enumerate(self.raters)}
        code = {answer: number for number, answer in enumerate(self.answers)}
        for one in answered:
            self.codes[place[one.item], column[one.rater, one.person]] = code[one.answer]

    def of(self, person: bool) -> list[int]:
        """The columns of people, or of models."""
        return [number for number, (_, kind) in enumerate(self.raters) if kind == person]

    @property
    def shown(self) -> list[tuple[int, str]]:
        """The answers of which shares are given, with their codes; of yes and no, yes alone."""
        if len(self.answers) > MOST_SHARES:
            return []
        both = {*self.answers} <= {"yes", "no"}
        return [(n, one) for n, one in enumerate(self.answers) if not both or one == "yes"] or [
            (n, one) for n, one in enumerate(self.answers)
        ]

    def counts(self, raters: Sequence[int]) -> Floats:
        """How many of these raters gave each answer to each item."""
        own = self.codes[:, list(raters)]
        made = [(own == code).sum(axis=1) for code in range(len(self.answers))]
        return np.array(made, dtype=np.float64).reshape(len(self.answers), len(self.items)).T

    def share(self, raters: Sequence[int], code: int) -> tuple[Floats, NDArray[np.bool_]]:
        """Of each item that these raters answered the share that gave this answer; and which."""
        own = self.codes[:, list(raters)]
        answered: NDArray[np.bool_] = np.any(own >= 0, axis=1)
        return (own == code).sum(axis=1)[answered] / (own >= 0).sum(axis=1)[answered], answered

    def said(self, rater: int) -> dict[str, str]:
        """A rater's answers by item."""
        column = self.codes[:, rater]
        return {self.items[n]: self.answers[column[n]] for n in np.flatnonzero(column >= 0)}

    def joint(self) -> latent.DawidSkene | None:
        """Dawid and Skene's model of all raters; of fewer than three it would say nothing."""
        if len(self.raters) < 3 or not 1 < len(self.answers) <= _MOST_ANSWERS:
            return None
        return latent.fit(self.codes[:, :, np.newaxis] == np.arange(len(self.answers)))

    def told(self, joint: latent.DawidSkene, belief: ArrayLike) -> Floats:
        """How much a person's answer tells of items of this belief, by `latent.information`."""
        errors = joint.errors[self.of(True) or slice(None)].mean(axis=0)
        return latent.information(belief, errors)

    def wanted(self, joint: latent.DawidSkene, number: int) -> list[str]:
        """The items of which a person's answer would tell most."""
        told = self.told(joint, joint.belief)
        return [self.items[n] for n in np.argsort(-told, kind="stable")[:number]]
