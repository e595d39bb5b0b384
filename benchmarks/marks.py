"""Compares placeholders and marks with a translation that knows of no mention.

    python -m benchmarks.marks en_it.tsv [--sample 1000] [--seed 0]
    python -m benchmarks.marks en_es.tsv --to es

The table is that of `benchmarks.translation`, with references in the language of --to. Mentions
are what en_mini finds: pronouns of the third person and names of persons, each a cluster of its
own. Of the sentences that have one, and that come back with all of them by both methods, chrF and
BLEU against the reference are printed
(sacrebleu's defaults), in clean mode and before the rules; with 95 % intervals of 1,000 bootstrap
samples. The translator is Apertium.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from benchmarks.translation import read, scores
from corefmill.builders.nlp import load
from corefmill.builders.runner.stages import Context
from corefmill.builders.translate.english.english import SourceParser
from corefmill.builders.translate.english.parts import (
    PRONOUNS,
    ChainMention,
    DocumentPart,
    SourceUtterance,
)
from corefmill.builders.translate.gamma.gamma import TranslatedPart
from corefmill.builders.translate.gamma.target import TargetParser
from corefmill.builders.translate.options import TranslateOptions
from corefmill.builders.translate.projection import MarkTranslation
from corefmill.builders.translate.stages import by_placeholders
from corefmill.builders.translation.apertium import Apertium
from corefmill.builders.translation.protocol import TranslatorRequest
from corefmill.rules import rule


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("--sample", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--to", default="it", help="language of the references")
    given = parser.parse_args()
    options = TranslateOptions(
        mode="clean",
        nlp="en_mini",
        nlp_to=f"{given.to}_mini",
        translator=TranslatorRequest(target=given.to),
    )
    pairs = read(given.table, given.sample, given.seed, given.to)
    english = SourceParser(load("en_mini", "en"))
    target = TargetParser(load(options.nlp_to, given.to, names=False))
    words = load("en_mini", "en").full([pair.english for pair in pairs])
    parts = [
        DocumentPart(
            "test", str(at), 0, (SourceUtterance(0, forms, (None,) * len(forms), ()),), "en"
        )
        for at, forms in enumerate(tuple(analysis.forms) for analysis in words)
    ]
    parts = [with_mentions(part) for part in english.add_trees(parts, lambda utterance: True)]
    parts = [part for part in parts if part.utterances[0].mentions]
    translator = Apertium("en", given.to)
    marks = MarkTranslation(translator, target, None, rewording=True)
    found = {
        "placeholders": dict(
            whole(by_placeholders(options, target, translator)(parts, Context(0, 0)))
        ),
        "marks": dict(whole(marks(parts, Context(0, 0)))),
    }
    plain = translator.translate([part.utterances[0].text for part in parts])
    found["plain"] = {part.doc_id: text for part, text in zip(parts, plain, strict=True)}
    translator.close()
    both = sorted(found["placeholders"].keys() & found["marks"].keys(), key=int)
    print(f"{len(pairs):,} sentences, {len(parts):,} with mentions; all of these back")
    for name, texts in found.items():
        print(f"  {name:14}{len(texts):6,}")
    print(f"of {len(both):,} sentences" + " " * 8 + "chrF          BLEU")
    references = [pairs[int(name)].reference for name in both]
    for method, texts in found.items():
        made = scores([texts[name] for name in both], references, 1000)
        cells = [f"{one['score']:5.1f} ± {one['confidence_var']:3.1f}" for one in made]
        print(f"  {method:22}", "  ".join(cells))


def with_mentions(part: DocumentPart) -> DocumentPart:
    """The parsed part with its pronouns of the third person and names of persons as mentions."""
    (one,) = part.utterances
    assert one.tree is not None
    spans = []
    for at, (form, tag, name) in enumerate(
        zip(one.forms, one.tree.tags, one.tree.names, strict=True)
    ):
        pronoun = tag in ("PRP", "PRP$")
        person = name == "PERSON" and not pronoun
        if person and spans and spans[-1][1] == at and one.tree.names[at - 1] == name:
            spans[-1] = (spans[-1][0], at + 1)
        elif person or (pronoun and form.lower() in PRONOUNS):
            spans.append((at, at + 1))
    mentions = tuple(
        ChainMention(number, start, end, one.tree.root(start, end))
        for number, (start, end) in enumerate(spans)
    )
    made = SourceUtterance(0, one.forms, one.tree.tags, mentions, None, one.tree)
    return part.with_utterances([made])


def whole(parts: Iterator[TranslatedPart]) -> Iterator[tuple[str, str]]:
    """The name and text of each sentence that has all its mentions."""
    for part in parts:
        for one in part.utterances:
            if len(one.words.mentions) == len(one.source.mentions):
                yield part.source.doc_id, rule.text(one.words)


if __name__ == "__main__":
    main()
