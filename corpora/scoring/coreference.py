"""Count the clusters of a response against those of a key, document by document.

Clusters of words with tags are also counted by class (pronoun, name, nominal): the scores over all
mentions mostly show pronouns, which are half of the mentions of a novel. Without tags, English
words alone are classified, by a list of pronouns and the capital of a name's last word.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.scoring import anaphors
from corefmill.corpora.scoring.alignment import Alignment, ScoredDocument, align, drop_singletons
from corefmill.corpora.scoring.anaphors import CLASSES, MentionClass
from corefmill.corpora.scoring.matching import Matching
from corefmill.corpora.scoring.metrics import MENTIONS, METRICS, Measure, Metric, Row, ratios
from corefmill.corpora.scoring.table import ScoreTable

if TYPE_CHECKING:
    from corefmill.corpora.records import Document, Mention


GENRE = re.compile("([^/]+)/")
"""The first part of a document's name, where it is a path such as nw/wsj/00/wsj_0037."""

MAX_PATTERN = 1_000
"""Characters of an expression."""


def compile_pattern(source: str) -> re.Pattern[str]:
    """Compile somebody's expression by RE2; raises `ValueError` that says why it is none."""
    if source == GENRE.pattern:
        return GENRE
    if len(source) > MAX_PATTERN:
        raise ValueError(f"over {MAX_PATTERN:,} characters long")
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(source, options)  # type: ignore[no-any-return]
    except (re2.error, UnicodeError) as error:
        said = error.args[0].decode() if isinstance(error.args[0], bytes) else error
        raise ValueError(f"{said}; look-around and back-references are not known here") from None


def match_names(pattern: re.Pattern[str], names: Sequence[str]) -> list[str | None]:
    """Match each name from its start: its first group (else all of it), or None."""
    # RE2 takes no half surrogate pairs.
    matches = (pattern.match(name.encode("utf-8", "replace").decode()) for name in names)
    number = 1 if pattern.groups else 0
    return [None if match is None else match[number] or "" for match in matches]


Singletons = Literal["keep", "drop"]
Unmatched = Literal["refuse", "ignore"]

_Documents = dict[tuple[str, int], ScoredDocument]
_Classes = dict[str, list[Row]]
"""Of each class of mentions a row of counts of mentions, and one of anaphors."""


class CountingRules(TypedDict, total=False):
    """Rules of counting clusters; the first choice of each is its default.

    `singletons` is keep, or drop: entities of one mention are taken out of both sides before
    anything else, as if they were not in the files.
    `unmatched` is refuse, which raises `DataError` where the two have not the same documents of the
    same numbers of tokens, or ignore, which does as the reference scorer: a document that the
    response lacks has no entities there, one that only the response has is left out.
    `genre`: A document's genre is its own, else the first group of this (else all of it) where it
    matches the document's name from the start, else `-`.
    `matching` compares the mentions of documents that `nodes` has read; without it two mentions are
    the same if they are equal. Of those alone, `by` counts mentions and anaphors by class.
    """

    singletons: Singletons
    unmatched: Unmatched
    genre: re.Pattern[str]
    matching: Matching | None
    by: Sequence[MentionClass]


def count(
    key: Iterable[ScoredDocument],
    response: Iterable[ScoredDocument],
    metrics: Sequence[Metric] = tuple(METRICS.values()),
    *,
    paths: tuple[Path | None, Path | None] = (None, None),
    **rules: Unpack[CountingRules],
) -> ScoreTable:
    """Count every document of the key, in its order; `paths` name the files in errors.

    Raises `DataError` where the key is empty, and as the rules say.
    """
    own, other = _by_key(key, paths[0]), _by_key(response, paths[1])
    if not own:
        raise DataError(
            "no documents here",
            path=paths[0],
            remedy="documents open with '#begin document (NAME); part 000'",
        )
    if rules.get("unmatched", "refuse") == "refuse":
        _check(own, other, paths)
    every = (MENTIONS, *metrics)
    rows: dict[str, list[Row]] = {metric.name: [] for metric in every}
    classes: dict[str, _Classes] = {one: {} for one in rules.get("by", ())}
    seen: Counter[str] = Counter()
    for pair in _align_documents(own, other, rules, classes, seen):
        for metric in every:
            rows[metric.name].append(metric.count(pair))
    # A document's own genre counts before that of its name.
    named = match_names(rules.get("genre", GENRE), [text.name for text in own.values()])
    genres = [
        text.genre or name or ("-" if name is None else "")
        for text, name in zip(own.values(), named, strict=True)
    ]
    return ScoreTable(
        "document",
        [text.title for text in own.values()],
        genres,
        every,
        rows,
        tuple(_notes(own, other, rules, seen)),
        [text.lang or "-" for text in own.values()],
        classes,
    )


def _align_documents(
    key: _Documents,
    response: _Documents,
    rules: CountingRules,
    classes: Mapping[str, _Classes],
    seen: Counter[str],
) -> Iterator[Alignment]:
    """Align each document with the response's; `seen` counts events for `_notes`."""
    matching = rules.get("matching")
    drop = rules.get("singletons") == "drop"
    for name, text in key.items():
        sides = text.clusters, response[name].clusters if name in response else []
        pair: Alignment
        if matching is not None:
            pair = matching.align(*sides, without_singletons=drop)
            for one in rules.get("by", ()):
                # The first row of a class counts its mentions, the second its anaphors.
                class_of = anaphors.class_of(one, text.rows)
                for row, count_of in enumerate((anaphors.count_found, anaphors.count_resolved)):
                    for group, counted in count_of(pair, class_of).items():
                        rows = classes[one].setdefault(group, [(0.0,) * 4, (0.0,) * 4])
                        rows[row] = tuple(map(operator.add, rows[row], counted))
        else:
            pair = align(*(map(drop_singletons, sides) if drop else sides))
        seen["repeats"] += pair.key_repeats
        seen["dropped"] += pair.dropped
        yield pair


def _by_key(texts: Iterable[ScoredDocument], path: Path | None) -> _Documents:
    found: _Documents = {}
    for text in texts:
        if text.key in found:
            raise DataError(f"document {text.title!r} is there twice", path=path)
        found[text.key] = text
    return found


def _check(key: _Documents, response: _Documents, paths: tuple[Path | None, Path | None]) -> None:
    remedy = "--unmatched ignore scores as the reference scorer does"
    for one, other, said, path in (
        (key, response, "lacks", paths[1]),
        (response, key, "has, and the key has not,", paths[1]),
    ):
        missing = [text for name, text in one.items() if name not in other]
        if missing:
            raise DataError(
                f"the response {said} {len(missing)} of {len(one)} documents, such as "
                f"{missing[0].title!r}",
                path=path,
                remedy=remedy,
            )
    for name, text in key.items():
        tokens = response[name].tokens
        if text.tokens is not None and tokens is not None and text.tokens != tokens:
            raise DataError(
                f"document {text.title!r} has {tokens:,} tokens, and {text.tokens:,} in the key",
                path=paths[1],
                remedy=remedy,
            )
        words = zip(text.sentences, response[name].sentences, strict=False)
        for number, (right, said) in enumerate(words, 1):
            if right != said:
                raise DataError(
                    f"sentence {number} of document {text.title!r} has other words than in the key",
                    path=paths[1],
                    remedy=remedy,
                )


def _notes(
    key: _Documents, response: _Documents, rules: CountingRules, seen: Counter[str]
) -> Iterator[str]:
    if not any(text.clusters for text in key.values()):
        yield "the key has no mentions"
    if lacking := sum(name not in response for name in key):
        yield f"the response lacks {lacking:,} of {len(key):,} documents; they count as empty"
    if more := sum(name not in key for name in response):
        yield f"{more:,} documents of the response are not in the key and were left out"
    if dropped := seen["dropped"]:
        yield (
            f"{dropped:,} mentions of the key stand more than once in the response; "
            "the first counts"
        )
    if repeats := seen["repeats"]:
        how = "the reference scorer counts them"
        if rules.get("matching") is not None:
            how = "corefud-scorer counts them, of their last entity"
        yield f"{repeats:,} mentions stand more than once in the key; they are counted as {how}"


_XPOS = {"PRP": "PRON", "WP": "PRON", "DT": "DET", "WDT": "DET", "NNP": "PROPN"}
"""Penn's tags, without `$` and the S of plurals."""
_PRONOUNS = frozenset(
    """i me my mine myself you your yours yourself yourselves he him his himself she her hers
    herself it its itself we us our ours ourselves they them their theirs themselves this that
    these those who whom whose which one oneself thou thee thy thine""".split()  # noqa: SIM905
)
FOUND, LINKED = "recall", "link accuracy"
NAMES = ("pronoun", "name", "nominal")


def class_measures() -> list[Measure]:
    """List the shares by class: `pronoun recall`, `pronoun link accuracy` and so on."""
    names = [f"{name} {kind}" for name in NAMES for kind in (FOUND, LINKED)]
    return [Measure(name, name, ratios) for name in names]


def add_classes(
    table: ScoreTable, key: Sequence[Document], response: Sequence[Document], *, singletons: bool
) -> ScoreTable:
    """Add the counts of `class_measures` to a table of documents, without empty classes.

    Recall is of the key's mentions; with `singletons` false those of clusters of one do not count.
    Link accuracy is of the found mentions that have an antecedent in the key: the share whose
    nearest predicted antecedent is in the same cluster of the key.
    """
    pairs = zip(key, response, strict=True)
    rows = [_count_classes(*pair, singletons=singletons) for pair in pairs]
    added = [one for one in class_measures() if any(row[one.name][1] for row in rows)]
    counts = {one.name: [row[one.name] for row in rows] for one in added}
    return replace(table, measures=[*table.measures, *added], counts={**table.counts, **counts})


def _count_classes(key: Document, response: Document, *, singletons: bool) -> dict[str, Row]:
    """Count per measure right and all mentions, twice: it is recall alone."""
    counts = {measure.name: [0, 0] for measure in class_measures()}
    home = {mention: number for number, own in enumerate(key.clusters) for mention in own}
    antecedents = {
        mention: before for own in response.clusters for before, mention in _in_order(own)
    }
    for cluster in key.clusters:
        if len(cluster) == 1 and not singletons:
            continue
        for before, mention in _in_order(cluster):
            name = classify_mention(key, mention)
            if name not in NAMES:
                continue
            found = mention in antecedents
            row = counts[f"{name} {FOUND}"]
            row[0] += found
            row[1] += 1
            if before is not None and found:
                near = antecedents[mention]
                row = counts[f"{name} {LINKED}"]
                row[0] += near is not None and home.get(near) == home[mention]
                row[1] += 1
    return {name: (right, n, right, n) for name, (right, n) in counts.items()}


def _in_order(cluster: Sequence[Mention]) -> Iterator[tuple[Mention | None, Mention]]:
    """Pair each mention, in the order of the text, with the one before it."""
    ordered = sorted(cluster, key=lambda one: (one.sentence, one.start, one.end))
    return zip([None, *ordered], ordered, strict=False)


def classify_mention(document: Document, mention: Mention) -> str:
    """Tell the class of a mention: zero, pronoun, name, nominal, or `-` where nothing says it.

    Its head is the first of its words whose own head lies outside, else the last word.
    """
    if mention.zero:
        return "zero"
    tokens = document.sentences[mention.sentence].tokens
    inside = range(mention.start, mention.end)
    heads = (
        place
        for place in inside
        if (above := tokens[place].head) is not None and above - 1 not in inside
    )
    last = mention.end - 1
    head = tokens[next(heads, last)]
    tag = head.upos or _XPOS.get((head.xpos or "").rstrip("$S"), head.xpos and "NOUN")
    if tag:
        return CLASSES.get(tag, "nominal")
    if document.lang != "en":
        return "-"
    if len(inside) == 1 and head.form.lower() in _PRONOUNS:
        return "pronoun"
    # A capital where a sentence begins says nothing.
    return "name" if head.form[:1].isupper() and (last or len(inside) > 1) else "nominal"
