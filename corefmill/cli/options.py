"""Options shared by commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from corefmill.builders.corpus.options import check_language, split_names
from corefmill.cli.command import Option
from corefmill.corpora import splits

if TYPE_CHECKING:
    from corefmill.corpora.formats.form import Format


def output_here(value: Path | None) -> Path | None:
    """Check the path of an output option; raises `UsageError` for a URL.

    Writing refuses a URL as well; this check comes first, before loading anything.
    """
    from corefmill.corpora.files.writing import refuse_url

    if value is not None:
        refuse_url(value)
    return value


def input_here(value: Any) -> Any:
    """Check the paths of an input option, several in one text; raises `UsageError` for a URL."""
    from corefmill.corpora.files.writing import refuse_url_read

    for one in value if isinstance(value, list | tuple) else (value,):
        for name in split_names(one) if isinstance(one, str) else (one,):
            if name is not None:
                refuse_url_read(name)
    return value


Json = Annotated[bool, Option("--json", help="Print the result as JSON, for scripts.")]
Quiet = Annotated[
    bool,
    Option("--quiet", "-q", help="Print nothing but errors, and tables where they are the result."),
]


class Printing:
    """A mix-in for option groups with --json and --quiet."""

    __slots__ = ()

    as_json: bool
    quiet: bool

    @property
    def silent(self) -> bool:
        """Whether --json or --quiet forbids other messages than the result."""
        return self.as_json or self.quiet


Markdown = Annotated[bool, Option("--markdown", help="Print tables in Markdown.")]
Draws = Annotated[
    int, Option("--bootstrap", metavar="N", min=1, help="Bootstrap draws for the 95 % intervals.")
]
Overwrite = Annotated[bool, Option("--overwrite", help="Replace files that are there already.")]
DataDir = Annotated[
    Path, Option("--data-dir", check=input_here, help="Folder of the downloaded corpora.")
]
Split = Annotated[
    str | None,
    Option(help="Split to use of each corpus.", default="test, else validation, else all"),
]


def seed_option(text: str, **more: Any) -> Any:
    """Make the option --seed with a help text, for values that every generator takes."""
    return Option(min=0, max=splits.LARGEST_SEED, help=text, **more)


def lang_option(text: str) -> Any:
    """Make the option --lang with a help text."""
    return Option(check=check_language, help=text)


Theirs = Annotated[
    str | None,
    Option(
        "--from",
        metavar="FORMAT",
        help="Format of the input files.",
        default="detected from their content",
    ),
]
Columns = Annotated[
    str | None,
    Option(
        "--columns",
        metavar="NAME=N,...",
        help="Columns of a CoNLL table, such as word=2,pos=5,coref=-1: word, pos, lemma, speaker"
        " and coref, counted from 1, or from -1 at the right.",
        default="guessed from their content",
    ),
]
Lenient = Annotated[
    bool,
    Option(
        "--lenient",
        help="Leave out and count mentions that cannot be read, such as one that is not closed.",
    ),
]
Writer = Annotated[
    str | None,
    Option(
        "--to", metavar="FORMAT", help="Format of the output file.", default="by the file's suffix"
    ),
]


def choose_reader(name: str | None, columns: str | None) -> Format | None:
    """Return the format of --from, or of the tables of --columns; None to detect formats.

    Raises `UsageError` for --columns with another format than CoNLL-2012.
    """
    from corefmill.corpora.files.errors import UsageError
    from corefmill.corpora.formats import conll2012, registry

    if columns is None:
        return registry.get_format(name) if name else None
    if name not in (None, conll2012.FORMAT.name):
        raise UsageError(f"--columns works only with CoNLL tables, and --from is {name}")
    return conll2012.with_columns(columns)


Lang = Annotated[str, lang_option("Language of the text, where the files do not state it.")]
MaybeLang = Annotated[
    str | None, lang_option("Language of the text, where the corpus does not state it.")
]
