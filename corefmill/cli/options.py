"""Options that commands share, and the values that a shell completes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from corefmill.builders.corpus.options import (
    check_language,
    complete_languages,
    complete_last,
    split_names,
)
from corefmill.cli.command import Option
from corefmill.corpora import splits
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.splits import SPLITS


def complete_corpora(incomplete: str) -> list[str]:
    """Return the corpora of the catalogue, and folders that a builder wrote to out/."""
    built = [str(path.parent) for path in sorted(Path("out").glob("*/manifest.json"))]
    return [*complete_catalogue(incomplete), *complete_last(incomplete, built)]


def complete_catalogue(incomplete: str) -> list[str]:
    """Return the corpora of the catalogue."""
    from corefmill.corpora.catalogue import entries

    return complete_last(incomplete, entries())


def complete_formats(incomplete: str) -> list[str]:
    """Return the formats that can be read."""
    from corefmill.corpora.formats.registry import FORMATS

    return complete_last(incomplete, FORMATS)


def complete_written_formats(incomplete: str) -> list[str]:
    """Return the formats that can be written."""
    from corefmill.corpora.formats.registry import FORMATS

    return complete_last(incomplete, (name for name, form in FORMATS.items() if form.write))


def complete_splits(incomplete: str) -> list[str]:
    """Return the splits of any corpus."""
    return complete_last(incomplete, SPLITS)


def output_here(value: Path | None) -> Path | None:
    """The value of an option that names a file or folder to write; raises `UsageError` for a URL.

    What is written is refused where it is written, too; this is before anything is loaded.
    """
    from corefmill.corpora.files.writing import refuse_url

    if value is not None:
        refuse_url(value)
    return value


def input_here(value: Any) -> Any:
    """The value of an option that names what is read from this machine; raises as the one above.

    A text may name several, separated by commas.
    """
    from corefmill.corpora.files.writing import refuse_url_read

    for one in value if isinstance(value, list | tuple) else (value,):
        for name in split_names(one) if isinstance(one, str) else (one,):
            if name is not None:
                refuse_url_read(name)
    return value


def numbers(option: str, text: str) -> tuple[float, ...]:
    """The numbers of an option that takes several, separated by commas; raises `UsageError`."""
    try:
        found = tuple(float(part) for part in text.split(","))
    except ValueError:
        found = ()
    if not found:
        raise UsageError(f"{option} {text!r} is no list of numbers", remedy="such as 0.1,0.2")
    return found


Json = Annotated[bool, Option("--json", help="Print the result as JSON, for scripts.")]
Quiet = Annotated[
    bool,
    Option(
        "--quiet", "-q", help="Print errors, and tables where they are the result: nothing else."
    ),
]


class Printing:
    """What a group of options that has --json and --quiet says of them together."""

    __slots__ = ()

    as_json: bool
    quiet: bool

    @property
    def silent(self) -> bool:
        """Whether nothing but the result, or nothing at all, is printed."""
        return self.as_json or self.quiet


Markdown = Annotated[bool, Option("--markdown", help="Print tables in Markdown.")]
Draws = Annotated[int, Option("--bootstrap", metavar="N", min=1, help="Draws for the intervals.")]
Overwrite = Annotated[bool, Option("--overwrite", help="Replace files that are there already.")]
DataDir = Annotated[
    Path, Option("--data-dir", check=input_here, help="Folder in which corpora lie.")
]
Split = Annotated[
    str | None,
    Option(
        help="Split of each corpus that is used.",
        default="test, else validation, else all",
        complete=complete_splits,
    ),
]


def seed_option(text: str, **more: Any) -> Any:
    """The option --seed, of what `text` says; its values are those that every generator takes."""
    return Option(min=0, max=splits.LARGEST_SEED, help=text, **more)


def lang_option(text: str) -> Any:
    """The option --lang, of what `text` says."""
    return Option(check=check_language, complete=complete_languages, help=text)


Theirs = Annotated[
    str | None,
    Option(
        "--from",
        metavar="FORMAT",
        help="Format of the input files.",
        default="detected from their content",
        complete=complete_formats,
    ),
]
Writer = Annotated[
    str | None,
    Option(
        "--to",
        metavar="FORMAT",
        help="Format of the output.",
        default="by the file's suffix",
        complete=complete_written_formats,
    ),
]
Lang = Annotated[
    str,
    lang_option("Language of the text, where the files do not say it."),
]
MaybeLang = Annotated[
    str | None,
    lang_option("Language of the text, where the corpus does not say it."),
]
