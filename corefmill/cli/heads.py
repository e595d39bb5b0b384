"""`corefmill heads`: head words and lemmas for a corpus of event mentions that has none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from corefmill.cli.plain_options import Json, Lang, Overwrite, Quiet, Theirs, Writer
from corefmill.cli.printing import print_result, progress
from corefmill.corpora.atomic import refuse_taken
from corefmill.corpora.errors import DataError, UsageError

if TYPE_CHECKING:
    from corefmill.corpora.formats.form import Format
    from corefmill.corpora.records import EventMention

EXAMPLES = """Examples:

    corefmill heads ecbplus/ECB+ ecbplus.jsonl

    corefmill heads mentions.json with_heads.json --nlp en_core_web_sm
"""

_SCHEMA = "event-mention/1"


def heads(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN", help="Event mentions, a file or folder in any format of `convert --list`."
        ),
    ],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.")],
    nlp: Annotated[
        str | None,
        typer.Option(
            help="Pipeline that parses and lemmatises; see `corefmill models`.",
            show_default="spaCy's best one installed, else the small one that ships",
        ),
    ] = None,
    reader: Theirs = None,
    writer: Writer = None,
    lang: Lang = "en",
    overwrite: Overwrite = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Give event mentions their head, its lemma, part of speech and entity.

    ECB+ names none, and the head-lemma baseline needs them. What a mention has of these already is
    replaced.
    """
    from corefmill.builders.nlp import choose, load
    from corefmill.builders.wec.heads import with_heads
    from corefmill.cli.writing import write
    from corefmill.corpora.formats import native, registry

    if not source.exists():
        raise DataError("there is no such file or folder", path=source)
    wanted = registry.named(writer) if writer else None
    files = _files(source, registry.named(reader) if reader else None)
    refuse_taken(target, overwrite=overwrite)
    pipeline = load(nlp or choose(lang), lang, names=False)
    counts: Counter[str] = Counter()

    made = _counted(with_heads(_mentions(files, lang), pipeline), counts)
    shown = progress(made, "mentions")
    number = write(shown, target, wanted, native.BY_SCHEMA[_SCHEMA], overwrite=overwrite)
    said = (
        f"{target}: {number:,} mentions by {pipeline.version}, {counts['lemmas']:,} with a"
        f" lemma, {counts['entities']:,} in a name"
    )
    result = {"out": str(target), "mentions": number, **counts, "nlp": pipeline.version}
    print_result(result, said, as_json=as_json, quiet=quiet)


def _files(source: Path, form: Format | None) -> dict[Path, Format]:
    from corefmill.corpora import convert as conversion

    found = conversion.sources(source, form)
    for path, own in found.items():
        if own.schema != _SCHEMA:
            raise UsageError(f"{own.name} holds no event mentions", path=path)
    return found


def _counted(mentions: Iterable[EventMention], counts: Counter[str]) -> Iterator[EventMention]:
    """The mentions, those with a lemma and those in a name counted as they pass."""
    for mention in mentions:
        counts["lemmas"] += mention.lemma is not None
        counts["entities"] += mention.ner is not None
        yield mention


def _mentions(files: dict[Path, Format], lang: str) -> Iterable[EventMention]:
    for path, form in files.items():
        for _, mention in form.read(path, lang):
            yield cast("EventMention", mention)  # by the schema
