"""The data card of the Italian corpus: README.md, with the paper's tables made for this corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from corefmill.builders.corpus.outputs import most_first
from corefmill.builders.ontonotes_it.delta.readability import CLASSES
from corefmill.builders.ontonotes_it.english.parts import DATASETS
from corefmill.builders.ontonotes_it.survey import PROFILE, Survey
from corefmill.corpora.atomic import replacing
from corefmill.corpora.tables import plain, table

_SIZES = ("parts", "utterances", "tokens", "mentions", "clusters")


def below(counts: Mapping[str, int], prefix: str) -> Counter[str]:
    """The counters below a prefix, without it."""
    start = f"{prefix}."
    return Counter(
        {key.removeprefix(start): n for key, n in counts.items() if key.startswith(start)}
    )


def size(counts: Mapping[str, int], dataset: str, splits: Iterable[str]) -> list[int]:
    """Parts, utterances, tokens, mentions and clusters of a dataset in some splits."""
    own = below(counts, dataset)
    return [sum(own[f"{split}.{what}"] for split in splits) for what in _SIZES]


def write(
    out: Path,
    survey: Survey,
    *,
    title: str,
    facts: Mapping[str, str],
    splits: Sequence[str],
    counts: Mapping[str, int],
    documents: Mapping[str, int],
    rejects: Mapping[str, Mapping[str, int]],
    files: Mapping[str, str],
    limits: Iterable[str],
    warnings: Iterable[str],
    command: str,
) -> None:
    """Writes README.md into the corpus directory."""
    lines = [f"# {title}", ""]
    lines += [f"**Warning:** {warning}\n" for warning in warnings]
    lines += table(("", ""), facts.items())
    lines += ["", *table(("file", "holds"), files.items())]
    lines += ["", "## The source (table 2 of the paper)", ""]
    rows = [[split, documents[split], *size(counts, "source", [split])] for split in splits]
    lines += table(("split", "documents", *_SIZES), rows)
    lines += ["", "## The datasets", ""]
    lines += table(("", *_SIZES), [[name, *size(counts, name, splits)] for name in DATASETS])
    lines += ["", *table(("delta", *_SIZES), [[s, *size(counts, "delta", [s])] for s in splits])]
    lines += ["", "## What was left out, and where", ""]
    lines += table(
        ("from", "reason", "number"),
        (
            (stage, reason.replace("_", " "), number)
            for stage, reasons in rejects.items()
            for reason, number in most_first(reasons)
        ),
    )
    lines += _draws(counts)
    lines += ["", "## Mentions of one word in gamma (table 9)", ""]
    tags = below(counts, "gamma.one_token")
    lines += table(
        ("part of speech", "mentions", "%"),
        ((tag, n, f"{100 * n / tags.total():.1f}") for tag, n in most_first(tags)),
    )
    lines += _rules(counts, size(counts, "delta", splits)[1])
    lines += _readability(counts, survey)
    lines += ["", "## Utterances by readability (table 18)", ""]
    lines += table(PROFILE, ([name, *own.row()] for name, own in survey.profiles.items()))
    lines += ["", f"## {len(survey.samples)} utterances drawn at random", ""]
    for english, gamma, delta in survey.samples:
        lines += [f"- {plain(english)}  ", f"  {plain(gamma)}  ", f"  {plain(delta)}"]
    lines += ["", "## Known limits", "", *(f"- {limit}" for limit in limits)]
    lines += ["", "## Build it again", "", "```", command, "```", ""]
    with replacing(out / "README.md") as file:
        file.write("\n".join(lines).encode())


def _draws(counts: Mapping[str, int]) -> list[str]:
    """How often words had to be drawn until the translator kept all."""
    draws = below(counts, "draws")
    lines = ["", "## Placeholders", ""]
    rows = ((f"kept in draw {draw}", n) for draw, n in sorted(draws.items()))
    return [*lines, *table(("utterances with mentions", "number"), rows)]


def _rules(counts: Mapping[str, int], utterances: int) -> list[str]:
    """Table 15."""
    refined = below(counts, "refined")
    changed, kept = below(counts, "changed"), below(counts, "kept")
    share = f"{100 * refined['utterances'] / utterances:.1f} %" if utterances else "-"
    rows: list[tuple[str, object]] = [
        ("utterances", utterances),
        ("refined utterances", f"{refined['utterances']:,} ({share})"),
        ("subject pronouns deleted being mentions", refined["mentions_shifted"]),
        *((f"changes by {rule}", number) for rule, number in most_first(changed)),
        *((f"left as it was by {rule}", number) for rule, number in most_first(kept)),
    ]
    return ["", "## What the rules did (table 15)", "", *table(("", "number"), rows)]


def _readability(counts: Mapping[str, int], survey: Survey) -> list[str]:
    """Table 16: the share of utterances in each class."""
    english = below(counts, "alpha.readability")
    italian = Counter({name: own.utterances for name, own in survey.profiles.items()})
    rows = [
        (name, _share(english, name), _share(italian, name), english[name], italian[name])
        for name in CLASSES
    ]
    head = ("readability", "alpha, %", "delta, %", "alpha", "delta")
    return [
        "",
        "## Readability (table 16)",
        "",
        "Flesch of the English utterances, Flesch-Vacca of the Italian ones.",
        "",
        *table(head, rows),
    ]


def _share(counts: Counter[str], name: str) -> str:
    return f"{100 * counts[name] / counts.total():.1f}" if counts.total() else "-"
