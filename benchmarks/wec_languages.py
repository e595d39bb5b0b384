"""How well `build wec --lang en,it ... --links FILE` finds which events are one.

    python -m benchmarks.wec_languages [--lang de,en,fr,it] [--countries 2] [--seed 0]

Fictional encyclopedias that share a part of their events are written in each language, with a list
of titles and items in which some rows are wrong: of a page that there is not, of a town, of another
event, or not there at all. The corpus is built of them, and each pair of events in two languages
that it has in one cluster, and each pair that is one event, is held against the truth. `told` are
the pairs of one event of which both rows are right, or name a redirect.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from tools.world.dump import languages, write_shared

TELLING = ("right", "redirect")
"""Rows of the list that lead to their event."""


@dataclass(frozen=True, slots=True)
class JoinedEvents:
    """Pairs of events in two languages: in one cluster, of one event, and so told by the list."""

    joined: int
    right: int
    same: int
    told: int
    told_and_joined: int

    @property
    def precision(self) -> float:
        """Of the pairs in one cluster, the share that is one event."""
        return self.right / max(1, self.joined)

    @property
    def recall(self) -> float:
        """Of the pairs that the list tells, the share that is in one cluster."""
        return self.told_and_joined / max(1, self.told)


def build_command(folder: Path, langs: list[str], out: Path) -> list[str]:
    """What `build` is given for the worlds of a folder."""
    dumps = [word for lang in langs for word in ("--dump", str(folder / f"{lang}wiki.xml"))]
    return [
        *("wec", "--lang", ",".join(langs), *dumps, "--links", str(folder / "links.tsv")),
        *("--out", str(out), "--dev", "0", "--test", "0", "--quiet"),
    ]


def compare(folder: Path, langs: list[str], out: Path) -> JoinedEvents:
    """The corpus in `out` against the truth in `folder`; events without a mention do not count."""
    clusters = {
        (mention["lang"], mention["cluster_title"]): mention["cluster"]
        for mention in _lines(out / "train.jsonl")
    }
    truth = {
        (lang, record["title"]): (record["item"], record["row"] in TELLING)
        for lang in langs
        for record in _lines(folder / f"{lang}.jsonl")
        if record["kind"] == "pivot"
    }
    joined = right = same = told = both = 0
    for one, other in combinations(sorted(clusters), 2):
        if one[0] == other[0]:
            continue
        (item, tells), (other_item, other_tells) = truth[one], truth[other]
        is_joined, is_same = clusters[one] == clusters[other], item == other_item
        is_told = is_same and tells and other_tells
        joined += is_joined
        right += is_joined and is_same
        same += is_same
        told += is_told
        both += is_told and is_joined
    return JoinedEvents(joined, right, same, told, both)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lang", default=",".join(languages()))
    parser.add_argument("--countries", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    langs = options.lang.split(",")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        counts = write_shared(folder, langs=langs, countries=options.countries, seed=options.seed)
        print(f"{', '.join(langs)}: {counts['pivot']:,} event pages, {counts['row']:,} rows")
        run = "from corefmill.cli.build import main; main()"
        command = build_command(folder, langs, folder / "out")
        subprocess.run([sys.executable, "-c", run, *command], check=True)
        found = compare(folder, langs, folder / "out")
    print(f"precision {found.precision:.4f}: {found.right:,} of {found.joined:,} pairs joined")
    print(f"recall    {found.recall:.4f}: {found.told_and_joined:,} of {found.told:,} pairs told")
    print(f"of all {found.same:,} pairs of one event {found.right / max(1, found.same):.4f}")


if __name__ == "__main__":
    main()
