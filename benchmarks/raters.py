"""How often intervals of a share with a model's votes hold the truth, and what the model saves.

    python -m benchmarks.raters --rounds 2000 --seed 0

Each round draws items whose right answer is yes with the true share, people's answers on n of them
and a model's votes on these and `--others` more. Coverage is the share of rounds in which the
95 % interval (corefmill/annotate/powered.py) holds the true share. Saved is how many fewer answers
of people are needed than without a model for an interval of the same mean width.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from corefmill.annotate.powered import mean, wilson
from corefmill.corpora import tables

Answers = NDArray[np.bool_]
RIGHT = 0.85
SHARES = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)


def _even(draw: np.random.Generator, truth: Answers, share: float) -> Answers:
    return truth ^ (draw.random(truth.shape) >= RIGHT)


def _errs_on(answer: bool) -> Callable[[np.random.Generator, Answers, float], Answers]:
    """A model that is right in 85 % of all items and errs on those of one answer only."""

    def votes(draw: np.random.Generator, truth: Answers, share: float) -> Answers:
        rate = min(1.0, (1 - RIGHT) / (share if answer else 1 - share))
        return truth ^ ((truth == answer) & (draw.random(truth.shape) < rate))

    return votes


MODELS: dict[str, Callable[[np.random.Generator, Answers, float], Answers]] = {
    "right in 85 %": _even,
    "right in 85 %, errs on no": _errs_on(False),
    "right in 85 %, errs on yes": _errs_on(True),
    "wrong in 85 %": lambda draw, truth, share: ~_even(draw, truth, share),
    "always yes": lambda draw, truth, share: np.ones_like(truth),
    "a coin": lambda draw, truth, share: draw.random(truth.shape) < 0.5,
}
USEFUL = tuple(MODELS)[:3]


def measured(
    model: str, share: float, people: int, others: int, rounds: int, seed: int
) -> dict[str, float]:
    """Coverage and mean width of both intervals, `score` and `normal`, of one case."""
    draw = np.random.default_rng([seed, people, others, round(share * 1000)])
    truth = draw.random((rounds, people + others)) < share
    votes = MODELS[model](draw, truth, share)
    found = mean(truth[:, :people], votes[:, :people], votes[:, people:])
    made = {}
    for name, (low, high) in (("score", found.score()), ("normal", found.normal())):
        made[f"{name} covers"] = float(((low <= share) & (share <= high)).mean())
        made[f"{name} width"] = float((high - low).mean())
    return made


def alone(share: float, people: int) -> dict[str, float]:
    """What Wilson's interval of so many answers covers, and its mean width: exact, no draws."""
    right = np.arange(people + 1)
    low, high = wilson(right / people, people)
    chance = binom.pmf(right, people, share)
    return {
        "covers": float(chance[(low <= share) & (share <= high)].sum()),
        "width": float(chance @ (high - low)),
    }


def saved(share: float, people: int, width: float) -> float:
    """The share of people's answers that an interval of this width needs no more."""
    least, most = 2, 100 * people
    while least < most:
        middle = (least + most) // 2
        if alone(share, middle)["width"] <= width:
            most = middle
        else:
            least = middle + 1
    return 1 - people / least


def coverage(people: int, others: int, rounds: int, seed: int) -> Iterator[str]:
    """The table of coverage, a row for each true share and one for their mean."""
    shown = []
    for share in SHARES:
        found = [measured(model, share, people, others, rounds, seed) for model in MODELS]
        cells = [(one["score covers"], one["normal covers"]) for one in found]
        shown.append([(alone(share, people)["covers"],), *cells])
    names = [f"{share:.2f}" for share in SHARES]
    rows = [[name, *map(_percents, row)] for name, row in zip(names, shown, strict=True)]
    means = [np.mean(column, axis=0) for column in zip(*shown, strict=True)]
    rows.append(["mean", *map(_percents, means)])
    yield from tables.table(["true share", "people alone", *MODELS], rows, len(MODELS) + 1)


def _percents(values: Iterable[float]) -> str:
    return " / ".join(f"{one:.1%}" for one in values)


def savings(people: int, others: int, rounds: int, seed: int) -> Iterator[str]:
    """The table of what models save that are right in 85 % of all items."""
    rows = []
    for share in SHARES:
        cells = []
        for model in USEFUL:
            if model.endswith("no") and share > RIGHT:
                cells.append("-")  # fewer than 15 % are no
                continue
            found = measured(model, share, people, others, rounds, seed)
            cells.append(f"{saved(share, people, found['score width']):.0%}")
        rows.append([f"{share:.2f}", *cells])
    yield from tables.table(["true share", *USEFUL], rows, len(USEFUL))


def main() -> None:
    """Prints the tables of benchmarks/results/raters.md."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--others", type=int, default=1000)
    args = parser.parse_args()
    settings = args.others, args.rounds, args.seed
    for people in (100, 200):
        print(f"\nCoverage, n = {people}, score / normal:\n")
        print("\n".join(coverage(people, *settings)))
        print(f"\nSaved, n = {people}:\n")
        print("\n".join(savings(people, *settings)))


if __name__ == "__main__":
    main()
