"""Prints the page of results of runs: python -m tests.attacks.page RESULTS.json ..."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

BEFORE = {
    "1": "files of the folder replaced or removed, exit 0",
    "2": "the sheet replaced, exit 0",
    "3": "the file replaced, exit 0",
    "4": "its code was run on `y`",
    "5": "read and written outside of the corpus",
    "6": "the file was emptied",
    "7": "the cell is a formula",
    "8": "the escape reached the terminal",
    "9": "other bytes",
    "10": "the old corpus, exit 0, no word",
    "10a": "the damaged corpus left, exit 0",
    "11": "traceback, exit 1",
    "12": "traceback, exit 1",
    "13": "traceback, exit 1",
    "14": "UnicodeEncodeError, exit 1",
    "15": "RecursionError, exit 1",
    "16": "ValueError, exit 1",
    "17": "traceback, exit 1",
    "18": "StopIteration, exit 1",
    "19": "traceback, exit 1",
    "20": "traceback, exit 1",
    "21": "NotADirectoryError, exit 1",
    "22": "traceback, exit 1",
    "23": "hangs",
    "24": "memory without end",
    "25": "30 s of processor time",
    "26": "over 2.5 GB",
    "27": "does not end",
    "28": "over 60 s and 2.5 GB",
    "29": "over 90 s",
    "30": "fails on every text",
    "31": "exit 1",
    "32": "cannot be written: No such file",
    "33": "advises to download a path",
    "34": "143, no word",
    "35": "no suggestion",
    "36": "names a folder of its own",
    "37": "holds the absolute --out",
}
"""What each numbered failure was when the review found it."""


def main() -> int:
    """Reads what `--out` wrote, of all parts; a later file's outcome of an attack counts."""
    outcomes: dict[str, dict[str, Any]] = {}
    for name in sys.argv[1:]:
        outcomes |= {one["id"]: one for one in json.loads(Path(name).read_text("utf-8"))}
    tried, through = Counter[str](), Counter[str]()
    for one in outcomes.values():
        tried[one["group"]] += not one["skipped"]
        through[one["group"]] += bool(one["complaints"])
    print("| class | tried | survived |\n|---|---|---|")
    for group, count in tried.items():
        print(f"| {group} | {count} | {count - through[group]} |")
    print(f"| all | {tried.total()} | {tried.total() - through.total()} |\n")
    print("| | command | before | now |\n|---|---|---|---|")
    numbered = [one for one in outcomes.values() if one["number"]]
    for one in sorted(numbered, key=lambda one: (int(one["number"].rstrip("a")), one["id"])):
        command = one["command"].replace("{seeds}/", "").replace("|", "\\|")
        if len(command) > 120:
            command = f"{command[:120]} ..."
        end = "; ".join(one["complaints"]) or f"exit {one['code']}"
        print(f"| {one['number']} | `{command}` | {BEFORE[one['number']]} | {end} |")
    return int(bool(through))


if __name__ == "__main__":
    sys.exit(main())
