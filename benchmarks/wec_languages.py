"""How well `build wec` finds mentions in each language, and which events of several are one.

    python -m benchmarks.wec_languages mentions [--lang de,fr] [--wordings even]
    python -m benchmarks.wec_languages joint [--lang de,en,fr,it] [--countries 6] [--seed 0]

mentions: a fictional encyclopedia is written in each language, by default with all wordings that
`tools.world` has, else with the half of them for tuning (odd), with that for reporting (even), or
in English and Italian with fresh ones. Each mention in the corpus that is built of it, and each
that was planted, is held against the truth.

joint: fictional encyclopedias that share a part of their events are written in each language, with
a list of titles and items in which some rows are wrong: of a page that there is not, of a town, of
another event, or not there at all. The corpus is built of them, and each pair of events in two
languages that it has in one cluster, and each pair that is one event, is held against the truth.
`told` are the pairs of one event of which both rows are right, or name a redirect.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from scipy.stats import binomtest

from tools.world.dump import languages, write, write_shared
from tools.world.wordings import WORDINGS, languages_with

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


Place = tuple[str, str, int, int, str]
"""Page, paragraph, start, end, event."""


@dataclass(frozen=True, slots=True)
class FoundMentions:
    """Of a world the mentions planted, those in the corpus, why links were left out, by their
    place, and the traps of the links that are no mentions."""

    planted: frozenset[Place]
    found: frozenset[Place]
    reasons: dict[Place, str]
    traps: dict[Place, str]

    @property
    def precision(self) -> tuple[int, int]:
        """How many mentions in the corpus were planted, and how many there are."""
        return len(self.found & self.planted), len(self.found)

    @property
    def recall(self) -> tuple[int, int]:
        """How many mentions that were planted are in the corpus, and how many were planted."""
        return len(self.found & self.planted), len(self.planted)

    def misses(self) -> Iterator[tuple[str, Place]]:
        """What was lost or is wrong, with the reason or the trap."""
        for place in sorted(self.planted - self.found):
            yield f"lost: {self.reasons.get(place)}", place
        for place in sorted(self.found - self.planted):
            yield f"wrong: {self.traps.get(place)}", place


def mention_command(lang: str, dump: Path, out: Path) -> list[str]:
    """What `build` is given for one world, so that the corpus is all the mentions there are."""
    return [
        *("wec", "--lang", lang, "--dump", str(dump), "--out", str(out)),
        *("--validation", "0", "--test", "0", "--keep-rejects", "--quiet"),
    ]


def reject_reasons(out: Path) -> dict[Place, str]:
    """Why links were left out of the corpus in `out`, by their place."""
    reasons = {}
    for line in _lines(out / "rejects.jsonl"):
        link = line["record"]
        if isinstance(link, dict) and "target" in link:
            shown = link["text"], link["start"], link["end"]
            reasons[(link["title"], *shown, link["target"])] = line["reason"]
    return reasons


def compare_mentions(truth: Path, out: Path) -> FoundMentions:
    """The corpus in `out` against the truth of its world, as `tools.world.dump.write` has it."""
    links = {
        (link["page"], link["text"], link["start"], link["end"], link["pivot"]): link["trap"]
        for link in _lines(truth)
        if link["kind"] == "link" and link["text"] is not None
    }
    found = {
        (one["source"]["title"], one["text"], one["start"], one["end"], one["cluster_title"])
        for one in _lines(out / "train.jsonl")
    }
    planted = frozenset(place for place, trap in links.items() if trap is None)
    traps = {place: trap for place, trap in links.items() if trap is not None}
    return FoundMentions(planted, frozenset(found), reject_reasons(out), traps)


def build_command(folder: Path, langs: list[str], out: Path) -> list[str]:
    """What `build` is given for the worlds of a folder."""
    dumps = [word for lang in langs for word in ("--dump", str(folder / f"{lang}wiki.xml"))]
    return [
        *("wec", "--lang", ",".join(langs), *dumps, "--links", str(folder / "links.tsv")),
        *("--out", str(out), "--validation", "0", "--test", "0", "--quiet"),
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
    parser.add_argument("what", choices=("mentions", "joint"))
    parser.add_argument("--lang", default=",".join(languages()))
    parser.add_argument("--countries", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--wordings", choices=WORDINGS, help="which; all of the first if not given")
    options = parser.parse_args()
    langs = languages_with(options.wordings, options.lang.split(","))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        if options.what == "joint":
            joint(folder, langs, options)
        else:
            mentions(folder, langs, options)


def mentions(folder: Path, langs: Sequence[str], options: argparse.Namespace) -> None:
    """Prints a row for each language."""
    print("| language | planted | in the corpus | precision | recall | lost | wrong |")
    print("|---|---|---|---|---|---|---|")
    for lang in langs:
        dump, truth, out = (folder / f"{lang}{end}" for end in ("wiki.xml", ".jsonl", ""))
        how = {"countries": options.countries, "seed": options.seed, "wordings": options.wordings}
        write(dump, truth, lang=lang, **how)
        _build(mention_command(lang, dump, out))
        found = compare_mentions(truth, out)
        missed = Counter(why for why, _ in found.misses())
        kinds = [
            ", ".join(
                f"{why[len(kind) :].strip()} {n}"
                for why, n in missed.most_common()
                if why.startswith(kind)
            )
            for kind in ("lost: ", "wrong:")
        ]
        shares = [_share(*one) for one in (found.precision, found.recall)]
        cells = [lang, str(len(found.planted)), str(len(found.found)), *shares, *kinds]
        print(f"| {' | '.join(cells)} |", flush=True)


def joint(folder: Path, langs: list[str], options: argparse.Namespace) -> None:
    """Prints how many pairs of events are right, and how many were found."""
    counts = write_shared(folder, langs=langs, countries=options.countries, seed=options.seed)
    print(f"{', '.join(langs)}: {counts['pivot']:,} event pages, {counts['row']:,} rows")
    _build(build_command(folder, langs, folder / "out"))
    found = compare(folder, langs, folder / "out")
    print(f"precision {_share(found.right, found.joined)}: of {found.joined:,} joined")
    print(f"recall {_share(found.told_and_joined, found.told)}: of {found.told:,} told")
    print(f"of all pairs of one event {_share(found.right, found.same)}: {found.same:,}")


def _build(command: Sequence[str]) -> None:
    run = "from corefmill.cli.build import main; main()"
    subprocess.run([sys.executable, "-c", run, *command], check=True)


def _share(right: int, of: int) -> str:
    """The share with its 95 % interval by Wilson."""
    if not of:
        return "-"
    low, high = binomtest(right, of).proportion_ci(method="wilson")
    return f"{right / of:.3f} ({low:.3f} to {high:.3f})"


if __name__ == "__main__":
    main()
