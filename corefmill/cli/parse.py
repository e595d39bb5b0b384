"""`corefmill parse`: add heads, lemmas, roles and clauses from a pipeline's trees to a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from corefmill.cli.command import Argument, Option
from corefmill.cli.options import Json, Lang, Overwrite, Quiet, Theirs, Writer
from corefmill.cli.printing import print_result, progress
from corefmill.coref_model import TRAINING, need
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.writing import new_folder, refuse_taken

if TYPE_CHECKING:
    from corefmill.builders.nlp.backend import Backend
    from corefmill.corpora.formats.form import Format
    from corefmill.corpora.records import EventMention, MaskedExample


def parse(
    source: Annotated[
        Path,
        Argument(
            metavar="IN",
            help="Input of event mentions or masked examples: a file or folder in any format of"
            " `convert --list`.",
        ),
    ],
    target: Annotated[
        Path,
        Argument(
            metavar="OUT",
            help="Output: a file, or a folder with a file for each of IN, to keep splits apart.",
        ),
    ],
    nlp: Annotated[
        str | None,
        Option(
            help="Pipeline that parses and lemmatises; `corefmill models` lists them.",
            default="ours for a record's language, else spaCy's largest installed",
        ),
    ] = None,
    reader: Theirs = None,
    writer: Writer = None,
    lang: Lang = "en",
    overwrite: Overwrite = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Add heads, lemmas, parts of speech and entities to event mentions, or the roles and clauses
    of target and candidates to masked examples.

    ECB+ names no heads, and the head-lemma baseline needs them; `train coref --task pointer --set
    syntax=true` learns from roles and clauses. Each record is parsed in its own language. Earlier
    heads, roles and clauses are replaced.

    Examples:
        corefmill parse ecbplus/ECB+ ecbplus.jsonl
        corefmill parse mentions.json with_heads.json --nlp en_core_web_sm
        corefmill parse out/pronouns-en out/parsed
    """
    from corefmill.builders.nlp import load_parser
    from corefmill.cli.predict import write
    from corefmill.corpora import convert as conversion
    from corefmill.corpora.formats import native, registry

    if not source.exists():
        raise DataError("there is no such file or folder", path=source)
    wanted = registry.get_format(writer) if writer else None
    read = registry.get_format(reader) if reader else None
    files = _find_files(source, read)
    counts: Counter[str] = Counter()
    (schema,) = {form.schema for form in files.values()}
    own = native.BY_SCHEMA[schema]
    what, add_parse = _KINDS[schema]
    used: dict[str, Backend] = {}

    def add_parses(part: dict[Path, Format]) -> Iterator[Any]:
        read = (record for path, form in part.items() for _, record in form.read(path, lang))
        for of, records in groupby(read, attrgetter("lang")):
            if of not in used:
                used[of] = load_parser(nlp, of)
            yield from add_parse(records, used[of], counts)

    if source not in files and not target.suffix:
        pieces = conversion.plan(source, target, read, wanted or own).pieces
        with new_folder(target) as folder:
            number = 0
            for piece in pieces:
                shown = progress(add_parses(dict.fromkeys(piece.sources, piece.form)), what)
                there = folder / piece.target.relative_to(target)
                number += write(shown, there, wanted or own, own, overwrite=False)
    else:
        refuse_taken(target, overwrite=overwrite)
        number = write(progress(add_parses(files), what), target, wanted, own, overwrite=overwrite)
    known = "".join(f", {count:,} {name}" for name, count in counts.items())
    versions = ", ".join(one.version for one in used.values())
    said = f"{target}: {number:,} {what} by {versions}{known}"
    result = {"out": str(target), what: number, **counts, "nlp": versions}
    print_result(result, said, as_json=as_json, quiet=quiet)


def _find_files(source: Path, form: Format | None) -> dict[Path, Format]:
    """Find the input files with their formats; refuse other records and mixed kinds."""
    from corefmill.corpora import convert as conversion

    found = conversion.sources(source, form)
    for path, own in found.items():
        if own.schema not in _KINDS:
            raise UsageError(f"{own.name} holds no event mentions or masked examples", path=path)
        if own.schema != next(iter(found.values())).schema:
            raise UsageError(
                "the input mixes event mentions and masked examples: name one kind", path=path
            )
    return found


def _parse_mentions(
    mentions: Iterable[EventMention], pipeline: Backend, counts: Counter[str]
) -> Iterator[EventMention]:
    """Add heads to mentions, and count the mentions with a lemma and those in a named entity."""
    from corefmill.builders.wec.filters.reading import with_heads

    for mention in with_heads(mentions, pipeline):
        counts["lemmas"] += mention.lemma is not None
        counts["entities"] += mention.ner is not None
        yield mention


def _parse_examples(
    examples: Iterable[MaskedExample], pipeline: Backend, counts: Counter[str]
) -> Iterator[MaskedExample]:
    """Add roles and clauses to examples, and count those with an unparsed target."""
    need(*TRAINING)
    from corefmill.builders.nlp.roles import find_roles
    from corefmill.coref_model.masked.answers import mark_roles
    from corefmill.corpora import record_meta

    for example in mark_roles(examples, partial(find_roles, pipeline)):
        counts["unparsed"] += record_meta.read_syntax(example)[0] is None
        yield example


_KINDS: dict[str, tuple[str, Callable[[Iterable[Any], Backend, Counter[str]], Iterator[Any]]]] = {
    "event-mention/1": ("mentions", _parse_mentions),
    "masked-example/1": ("examples", _parse_examples),
}
"""By schema: the name of the records, and the function to parse them."""
