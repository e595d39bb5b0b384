"""`python -m tools.world`: write a fictional encyclopedia and what is true of it."""

from __future__ import annotations

import argparse
from pathlib import Path

from tools.world.dump import languages, write


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.world", description=__doc__)
    parser.add_argument("--lang", choices=languages(), default="en")
    parser.add_argument("--size", type=int, default=1, help="countries, each of about 230 pages")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--out", type=Path, required=True, help="FILE.xml, or FILE.xml.bz2: multistream"
    )
    parser.add_argument("--truth", type=Path, help="FILE.jsonl")
    options = parser.parse_args()
    counts = write(
        options.out, options.truth, lang=options.lang, countries=options.size, seed=options.seed
    )
    print(", ".join(f"{number:,} {kind}" for kind, number in counts.items()))


if __name__ == "__main__":
    main()
