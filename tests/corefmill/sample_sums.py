"""Check the records of every corpus of the samples that ship: make sums.

`python -m tests.corefmill.sample_sums` builds them, prints the lines of `sample_sums.txt` that are
another or missing, and writes the file anew. A line changes only with a reason, which the commit
names: nobody's corpus changes unseen. It is no part of `make test`, since a processor with other
instructions may round a pipeline's scores differently.
"""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.commands import command, one_core

SUMS = Path(__file__).with_suffix(".txt")
DATA = (".jsonl", ".json", ".conll", ".txt", ".tsv")
NOT_DATA = ("manifest.json", "croissant.json", ".corefmill")
"""These name versions and times; the checksums are those of the records in all their forms."""

BOTH, CLEAN = ("clean", "paper"), ("clean",)
CORPORA = [
    f"{builder}/{language}/{mode}"
    for builder, modes in (
        ("wikicrem", {"en": BOTH, "it": BOTH}),
        ("wikirand", {"en": BOTH, "it": BOTH}),
        ("wec", {"en": BOTH, "it": CLEAN}),  # the paper has English infoboxes alone
        ("knowref", {"en": BOTH, "it": CLEAN}),  # and English pronouns
        ("chains", {"en": CLEAN, "it": CLEAN}),
        ("translate", {"es": BOTH}),
        ("ontonotes-it", {"it": BOTH}),
    )
    for language in modes
    for mode in modes[language]
]


def build(corpus: str, folder: Path) -> list[str]:
    """Build one of the corpora in a folder and return its lines of the file."""
    builder, language, mode = corpus.split("/")
    named = {"translate": ("--to", language), "ontonotes-it": ()}
    which = named.get(builder, ("--lang", language))
    which += ("--translator", "sample") if builder in named else ()
    like = ("--like", f"{folder}/wikicrem/{language}/{mode}") if builder == "wikirand" else ()
    if like:
        build(f"wikicrem/{language}/{mode}", folder)
    how = () if builder == "chains" else ("--mode", mode)
    with one_core():
        done = command("build", builder, *which, *how, *like, "-q", "--out", corpus, cwd=folder)
    assert done.returncode == 0, f"{corpus}: {done.stderr}"
    return [
        f"{sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}"
        for path in sorted((folder / corpus).rglob("*"))
        if path.suffix in DATA and not any(one in path.parts for one in NOT_DATA)
    ]


def main() -> int:
    """Write the file anew and return 1 where a line of it changed."""
    with TemporaryDirectory() as scratch:
        made = [line for corpus in CORPORA for line in build(corpus, Path(scratch))]
    before = SUMS.read_text(encoding="utf-8").splitlines() if SUMS.exists() else []
    changes = [f"- {line}" for line in before if line not in made]
    changes += [f"+ {line}" for line in made if line not in before]
    print("\n".join(changes) or f"{len(made)} files are the same")
    SUMS.write_text("".join(f"{line}\n" for line in made), encoding="utf-8")
    return bool(changes)


if __name__ == "__main__":
    sys.exit(main())
