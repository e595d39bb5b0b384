"""The search of section 4.3: a grid over learning rate, alpha and beta, on a sample."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import product
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter

from corefmill.coref_model.encoder.encoder import Encoder
from corefmill.coref_model.masked.task import KIND, MaskedSettings
from corefmill.coref_model.training import owned
from corefmill.coref_model.training.loop import train
from corefmill.corpora.atomic import write_whole
from corefmill.corpora.errors import UsageError
from corefmill.corpora.find import Records
from corefmill.corpora.tables import table

T = TypeVar("T")

RESULTS, TABLE = "search.json", "search.md"


@dataclass(frozen=True, slots=True)
class Grid:
    """The values tried, each with each; those of the paper unless others are given.

    `lr` is the encoder's rate, or the head's where the encoder is frozen. The other rate, where
    both learn, moves along with it.
    """

    lr: tuple[float, ...] = (3e-5, 1e-5, 5e-6, 3e-6)
    alpha: tuple[float, ...] = (5.0, 10.0, 20.0)
    beta: tuple[float, ...] = (0.1, 0.2, 0.4)

    def __post_init__(self) -> None:
        for field in fields(self):
            values = getattr(self, field.name)
            within = all(0 <= value <= 1e6 for value in values)  # which no NaN is
            if not values or not within or len(set(values)) < len(values):
                raise UsageError(
                    f"{field.name} of the grid is {list(values)}",
                    remedy="give different numbers from 0 to 1,000,000",
                )


@dataclass(frozen=True, slots=True)
class GridResult:
    """One point of the grid and what came of it on the development split."""

    lr: float
    alpha: float
    beta: float
    accuracy: float
    best_step: int
    steps: int
    seconds: float


_TRIED: TypeAdapter[list[GridResult]] = TypeAdapter(list[GridResult])


def search(
    load: Callable[[], Encoder],
    settings: MaskedSettings,
    splits: Mapping[str, Records],
    grid: Grid,
    out: Path,
    *,
    sample: int,
    identity: Mapping[str, object],
    quiet: bool = False,
) -> list[GridResult]:
    """Trains once for each point of the grid on `sample` examples of the training split, the same
    for all; gives them best first and writes `out/search.json` and `out/search.md`.

    `load` gives the encoder anew. A search that was killed goes on with the points not yet tried;
    `identity` says what else decides the results. Raises `UsageError` where `out` holds another.
    """
    there = owned.check(out, owned.SEARCH)
    if TABLE in there and RESULTS not in there:
        raise UsageError(f"no search of ours: {TABLE} is here, and no {RESULTS}", path=out)
    owned.claim(out, owned.SEARCH)
    whole = {
        **{key: value for key, value in asdict(settings).items() if key not in _VARIED},
        **identity,
        "sample": sample,
    }
    done = _read(out / RESULTS, json.loads(json.dumps(whole)))
    if done:
        _write(out, whole, _ranked(done.values()))  # a fault may have come between the two files
    smaller = {**splits, "train": drawn(splits["train"], sample, settings.seed)}
    for lr, alpha, beta in product(grid.lr, grid.alpha, grid.beta):
        folder = out / "runs" / f"lr={lr:g},alpha={alpha:g},beta={beta:g}"
        if (lr, alpha, beta) in done:
            owned.remove(folder, owned.RESUME)  # where it was killed once the point was tried
            continue
        here = _at(settings, lr, alpha, beta)
        task = KIND.make(load(), here, smaller, settings.seed)
        trained = train(task, here, folder, identity=whole, quiet=quiet)
        done[lr, alpha, beta] = GridResult(
            lr, alpha, beta, trained.score, trained.best_step, trained.steps, trained.seconds
        )
        _write(out, whole, _ranked(done.values()))
        owned.remove(folder, owned.RESUME)
    wanted = set(product(grid.lr, grid.alpha, grid.beta))
    return _ranked(tried for point, tried in done.items() if point in wanted)


def drawn(records: Iterable[T], sample: int, seed: int) -> list[T]:
    """`sample` of the records, or all, each as likely; one pass, in memory the sample alone."""
    rng = random.Random(seed)
    kept: list[T] = []
    for number, record in enumerate(records):
        if number < sample:
            kept.append(record)
        elif (index := rng.randrange(number + 1)) < sample:
            kept[index] = record
    return kept


def markdown(tried: Sequence[GridResult]) -> str:
    """The table, best first."""
    head = ("lr", "alpha", "beta", "accuracy", "best step", "steps", "seconds")
    rows = [
        (
            *(f"{value:g}" for value in (one.lr, one.alpha, one.beta)),
            f"{one.accuracy:.4f}",
            str(one.best_step),
            str(one.steps),
            f"{one.seconds:.0f}",
        )
        for one in tried
    ]
    return "\n".join(table(head, rows)) + "\n"


_VARIED = ("lr", "lr_encoder", "alpha", "beta")


def _at(settings: MaskedSettings, lr: float, alpha: float, beta: float) -> MaskedSettings:
    if not (settings.trained or settings.lora):
        return replace(settings, lr=lr, alpha=alpha, beta=beta)
    ratio = settings.lr / settings.lr_encoder if settings.lr_encoder else 1.0
    return replace(settings, lr=lr * ratio, lr_encoder=lr, alpha=alpha, beta=beta)


def _ranked(tried: Iterable[GridResult]) -> list[GridResult]:
    return sorted(tried, key=lambda one: (-one.accuracy, one.lr, one.alpha, one.beta))


def _write(out: Path, whole: Mapping[str, object], tried: Sequence[GridResult]) -> None:
    held = {"settings": whole, "tried": [asdict(one) for one in tried]}
    write_whole(out / RESULTS, json.dumps(held, indent=2))
    write_whole(out / TABLE, markdown(tried))


def _read(path: Path, whole: Mapping[str, object]) -> dict[tuple[float, float, float], GridResult]:
    if not path.exists():
        return {}
    try:
        there = json.loads(path.read_text("utf-8"))
        same = there["settings"] == whole
        found = _TRIED.validate_python(there["tried"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise UsageError("no search of ours", path=path, remedy="name another --out") from None
    if not same:
        raise UsageError(
            "a search with other settings or data is here",
            path=path,
            remedy="name another folder with --out, or delete this one",
        )
    return {(one.lr, one.alpha, one.beta): one for one in found}
