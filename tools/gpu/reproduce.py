"""Trains and judges what fits into half an hour of a GPU, smallest first, for each seed.

    python -m tools.gpu.reproduce --data ../shared/data --out out/gpu [--minutes 30] [--seeds 0 1 2]

What it trains stands in reproduce.toml. Without a GPU it says so, with what it would have run, and
ends with 2. What is done is not done again, a training that the time cut off goes on at the next
call, and what is still to do is told. OUT/results.md has the scores, card and seconds of all that
is done.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corefmill.corpora.card_parts import table
from corefmill.corpora.files import disk
from corefmill.corpora.files.writing import write_whole

HEAD = ("experiment", "seed", "card", "seconds", "judged on", "score", "n", "rule without learning")


@dataclass(frozen=True, slots=True)
class Experiment:
    """What is trained, after what, and the corpora that it is judged on beside its own."""

    name: str
    about: str
    train: tuple[str, ...]
    judge: tuple[str, ...]
    prepare: tuple[tuple[str, ...], ...] = ()


def main() -> None:
    """Runs what there is time for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=30.0, help="of the GPU")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these experiments alone")
    options = parser.parse_args()
    found = list(experiments(options.data, options.out))
    names = [one.name for one in found]
    if unknown := [name for name in options.only or () if name not in names]:
        parser.error(f"no experiment {unknown[0]}; there are {', '.join(names)}")
    chosen = [one for one in found if one.name in (options.only or [one.name])]
    card = card_name()
    if card is None:
        print("There is no GPU here. With one these would be trained, smallest first:")
        print("\n".join(f"  {one.name}: {one.about}" for one in chosen))
        sys.exit(2)
    left = run(chosen, options.out, options.data, options.seeds, 60 * options.minutes, card)
    if left:
        print(f"No time for {', '.join(left)}: the same command goes on with them.")
        sys.exit(1)


def experiments(data: Path, out: Path) -> Iterator[Experiment]:
    """Those of reproduce.toml, their folders filled in."""

    def filled(words: Sequence[str]) -> tuple[str, ...]:
        return tuple(word.format(data=data, out=out) for word in words)

    for one in disk.read_package_table(__file__, "reproduce")["experiments"]:
        yield Experiment(
            one["name"],
            one["about"],
            filled(one["train"]),
            filled(one["judge"]),
            tuple(map(filled, one.get("prepare", ()))),
        )


def card_name() -> str | None:
    """The name of the GPU, None where there is none."""
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else None


def run(
    chosen: Sequence[Experiment],
    out: Path,
    data: Path,
    seeds: Sequence[int],
    seconds: float,
    card: str,
) -> list[str]:
    """Prepares all, trains and judges while `seconds` last; the names of what is left to do."""
    out.mkdir(parents=True, exist_ok=True)
    for one in chosen:
        for number, command in enumerate(one.prepare):
            done = out / f"{one.name}.{number}.prepared"
            if not done.exists():
                called(command, check=True)
                done.touch()
    ends, left = time.monotonic() + seconds, []
    for seed in seeds:  # so that each has been trained once before one is trained twice
        for one in chosen:
            result = out / f"{one.name}-{seed}.json"
            if result.exists():
                continue
            began = time.monotonic()
            try:
                rows = _trained(one, out, data, seed, ends)
            except subprocess.TimeoutExpired:
                left.append(f"{one.name} (seed {seed})")
                continue
            took = round(time.monotonic() - began)
            told = {"name": one.name, "seed": seed, "card": card, "seconds": took, "rows": rows}
            write_whole(result, json.dumps(told))
            report(out)
    return left


def _trained(
    one: Experiment, out: Path, data: Path, seed: int, ends: float
) -> list[dict[str, Any]]:
    """The rows of the scores; raises `subprocess.TimeoutExpired` where time is out."""
    model = out / f"{one.name}-{seed}"
    where = ("--data-dir", str(data))
    made = called(
        ("train", "coref", *one.train, *where, "--seed", str(seed), "--out", str(model), "--json"),
        until=ends,
        check=True,
    )
    own = json.loads(made.stdout)["result"]
    rows = [{"on": "own dev part", "metric": own["metric"], "score": own["score"], "n": None}]
    if one.judge:
        asked = ("--model", str(model), "--corpus", ",".join(one.judge), *where)
        made = called(("evaluate", *asked, "--json"), until=ends)
        if not made.stdout:
            raise SystemExit(made.stderr)
        rows += list(_judged(json.loads(made.stdout)["result"]["rows"]))
    return rows


def _judged(rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The model's row of each corpus and measure, with the best of the rules' beside it."""
    for row in rows:
        if row["by"] != "the model" or row["group"]:
            continue
        same = ("corpus", "protocol", "metric", "group")
        rules = [
            (other["score"], other["by"])
            for other in rows
            if other["by"] != row["by"]
            and other["score"] is not None
            and all(other[key] == row[key] for key in same)
        ]
        yield {
            "on": row["corpus"],
            "metric": row["metric"],
            "score": row["score"],
            "n": row["n"],
            "rule": max(rules, default=None),
        }


def called(
    command: Sequence[str], *, until: float | None = None, check: bool = False
) -> subprocess.CompletedProcess[str]:
    """One of our commands, in a process of its own; with `until` no longer than to that moment."""
    print("corefmill", *command, file=sys.stderr, flush=True)
    if until is not None and until <= time.monotonic():
        raise subprocess.TimeoutExpired(list(command), 0)
    made = subprocess.run(
        [sys.executable, "-m", "corefmill", *command],
        stdout=subprocess.PIPE,
        text=True,
        timeout=None if until is None else until - time.monotonic(),
        check=False,
    )
    if check and made.returncode:
        sys.exit(made.returncode)
    return made


def report(out: Path) -> None:
    """Writes OUT/results.md anew, and prints it."""
    rows = []
    for path in sorted(out.glob("*-*.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        for row in told["rows"]:
            few = row["score"] is None  # too few to measure
            score = f"{row['metric']} {'-' if few else format(row['score'], '.4g')}"
            rule = row.get("rule")
            beside_it = f"{rule[0]:.4g} ({rule[1]})" if rule else "-"
            counted = "-" if row["n"] is None else f"{row['n']:,}"
            cells = (told["name"], told["seed"], told["card"], told["seconds"], row["on"])
            rows.append([*map(str, cells), score, counted, beside_it])
    lines = "\n".join(table(list(HEAD), rows))
    write_whole(out / "results.md", lines + "\n")
    print(lines, flush=True)


if __name__ == "__main__":
    main()
