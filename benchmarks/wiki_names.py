"""Builds masked names and events by the wiki's own names (--nlp wiki) from a folder of dumps.

    python -m benchmarks.wiki_names builds FOLDER      a row for each dump: what came of it
    python -m benchmarks.wiki_names signs DUMP --lang en   persons by their signs, without the table

`builds` takes the language from a file's name (rowiki.xml.bz2) and calls the commands as a user
does, with --trust-lang, one after the other in this process. `signs` compares what a page shows in
any language with what persons.toml says of the same page.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from corefmill.builders.wiki.articles import DumpSource
from corefmill.builders.wiki.dump.pages import pages
from corefmill.builders.wiki.person_signs import sign_of_person
from corefmill.corpora import manifest
from corefmill.corpora.tables import table

_CODES = {"commons": "en"}
"""The language of a wiki whose name is none."""


def main() -> None:
    """Prints the table that is asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=("builds", "signs"))
    parser.add_argument("path", type=Path)
    parser.add_argument("--lang", default="en")
    options = parser.parse_args()
    if options.what == "signs":
        print("\n".join(table(("", "pages"), signs(options.path, options.lang).items())))
        return
    rows = []
    for path in sorted(options.path.glob("*wiki*.xml*")):
        name = path.name.partition("wiki")[0]
        lang = _CODES.get(name, name)
        rows.append((name, *(built(kind, lang, path) for kind in ("wikicrem", "wec"))))
        print(*rows[-1], sep="\t", file=sys.stderr, flush=True)
    print("\n".join(table(("wiki", "wikicrem", "wec"), rows)))


def built(kind: str, lang: str, path: Path) -> str:
    """How many records a build gave, or the line that it ended with."""
    from corefmill.cli.build import main as build

    with TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        call = ["build", kind, "--lang", lang, "--nlp", "wiki", "--dump", str(path), "--trust-lang"]
        call += ["--workers", "1", "--quiet", "--out", str(out)]
        said = io.StringIO()
        with (
            mock.patch.object(sys, "argv", call),
            contextlib.redirect_stderr(said),
            contextlib.redirect_stdout(said),
        ):
            try:
                build()
                code: object = 0
            except SystemExit as end:
                code = end.code or 0
        if (out / manifest.NAME).exists():
            number = sum(manifest.read(out).splits.values())
            return f"{number}" + ("" if not code else f", exit {code}: {_line(said, path)}")
        return f"exit {code}: {_line(said, path)}"


def _line(said: io.StringIO, path: Path) -> str:
    lines = said.getvalue().strip().splitlines()
    folder = re.escape(str(path.parent) + "/")
    return " / ".join(re.sub(folder, "", line) for line in lines[-2:])


def signs(path: Path, lang: str) -> Counter[str]:
    """How many articles each sign finds, beside what the table says of them."""
    found: Counter[str] = Counter()
    for unit in DumpSource([path], lang, trust_lang=True).units(skip=()):
        for page in pages(unit.payload, lang):
            if page.ns == 0 and page.redirect is None:
                told = sign_of_person(page.title, page.text, lang) == "table"
                shown = sign_of_person(page.title, page.text, "zxx")  # the code of no language
                found[f"table: {'person' if told else 'no'}; signs: {shown or 'no'}"] += 1
    return found


if __name__ == "__main__":
    main()
