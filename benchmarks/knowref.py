"""What share of published pronoun problems our chain would accept, and why not the rest.

    python -m benchmarks.knowref accept knowref_test.json [--mode clean|paper] [--show 3]

Each problem's sentence is an article of its own, so what the chain learns of a name from the rest
of its article is missing. Clean mode gets the published tokens joined as they are written. "The
same problem" has the same pronoun and the same two persons, honorifics and what stands before a
name ("French statesman Leon Gambetta") aside.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from corefmill.builders import nlp
from corefmill.builders.knowref.funnel import REASONS
from corefmill.builders.knowref.options import KnowrefOptions
from corefmill.builders.knowref.stages import stages
from corefmill.builders.runner.stages import Context, Stage, chained
from corefmill.builders.wiki.article import Article
from corefmill.builders.wiki.markup.records import Paragraph
from corefmill.corpora.formats import knowref
from corefmill.corpora.records import MaskedExample

_BEFORE = re.compile(r" (?=[.,;:!?')]|n't\b|``)")
_AFTER = re.compile(r"(?<=[(]) | (?='s\b)")


def main() -> None:
    """Runs the command that is named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    asked = commands.add_parser("accept", help="run published problems through the chain")
    asked.add_argument("file", type=Path)
    asked.add_argument("--mode", choices=("clean", "paper"), default="clean")
    asked.add_argument("--nlp")
    asked.add_argument("--show", type=int, default=0, help="sentences shown for each reason")
    options = parser.parse_args()
    accept(options.file, options.mode, options.nlp or nlp.choose("en"), options.show)


def accept(file: Path, mode: str, pipeline: str, show: int) -> None:
    """Prints a table: accepted, the same, and the others by reason."""
    rules = KnowrefOptions.make("en", "paper" if mode == "paper" else "clean", pipeline)
    steps = stages(rules, nlp.load(pipeline, "en"))
    counted: Counter[str] = Counter()
    seen: dict[str, list[str]] = defaultdict(list)
    total = 0
    for _, example in knowref.read(file):
        total += 1
        verdict = judged(steps, example, mode)
        counted[verdict] += 1
        seen[verdict].append(knowref_line(example))
    print(f"{file.name}: {total} problems, mode {mode}, {pipeline}\n")
    order = ("the same problem", "another pronoun", "other persons", *REASONS[mode])
    for verdict in sorted(counted, key=lambda v: order.index(v) if v in order else len(order)):
        print(f"{verdict:28}{counted[verdict]:5}{counted[verdict] / total:8.1%}")
        for line in seen[verdict][:show]:
            print(f"    {line}")


def judged(steps: Sequence[Stage], example: MaskedExample, mode: str) -> str:
    """What becomes of one problem."""
    text = example.text if mode == "paper" else joined(example.text)
    article = Article("k", "", 0, [Paragraph(text, "prose", 0, "", [], [], [], 0)])
    context = Context(0, 0)
    found = [out.record for out in chained(steps, article, context)]
    if not found:
        return ", ".join(context.rejects) or "no sentence"
    original = found[0]["meta"]["original"]
    start, _ = original["target"]
    before = example.text[: example.target[0]]
    same_pronoun = letters(original["text"][:start]) == letters(before)
    persons = {last(name) for name in original["candidates"]}
    same_persons = persons == {last(name) for name in example.candidates}
    if not same_persons:
        return "other persons"
    return "the same problem" if same_pronoun else "another pronoun"


def joined(tokens: str) -> str:
    """The sentence as it was written, of tokens with blanks between."""
    return _AFTER.sub("", _BEFORE.sub("", tokens))


def letters(text: str) -> str:
    """Letters alone, since the two are cut into tokens in different ways."""
    return "".join(filter(str.isalnum, text))


def last(name: str) -> str:
    """A person's last name."""
    return name.split()[-1]


def knowref_line(example: MaskedExample) -> str:
    """The problem on one line."""
    start, end = example.target
    marked = f"{example.text[:start]}[{example.text[start:end]}]{example.text[end:]}"
    return f"{marked} ({' / '.join(example.candidates)})"


if __name__ == "__main__":
    main()
