"""`python -m tools.world`: write a fictional encyclopedia and what is true of it."""

from __future__ import annotations

import argparse
from pathlib import Path

from tools.world.dump import languages, write, write_shared


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.world", description=__doc__)
    parser.add_argument(
        "--lang",
        default="en",
        help=f"of {', '.join(languages())}; several, en,it, are given events that they share",
    )
    parser.add_argument("--size", type=int, default=1, help="countries, each of about 230 pages")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        help="FILE.xml, or FILE.xml.bz2: multistream; of several languages the folder for the dump"
        " and truth of each, LANGwiki.xml and LANG.jsonl, and links.tsv: language, title, item",
    )
    parser.add_argument("--truth", type=Path, help="FILE.jsonl, of one language")
    options = parser.parse_args()
    langs = options.lang.split(",")
    if unknown := sorted(set(langs) - set(languages())):
        parser.error(f"--lang: no world in {', '.join(unknown)}, only in {', '.join(languages())}")
    if len(langs) > len(set(langs)):
        parser.error(f"--lang: a language is named twice in {options.lang}")
    if len(langs) > 1 and options.truth:
        parser.error("--truth: with several languages the truth is written beside the dumps")
    size, seed = options.size, options.seed
    if len(langs) > 1:
        counts = write_shared(options.out, langs=langs, countries=size, seed=seed)
    else:
        counts = write(options.out, options.truth, lang=langs[0], countries=size, seed=seed)
    print(", ".join(f"{number:,} {kind}" for kind, number in counts.items()))


if __name__ == "__main__":
    main()
