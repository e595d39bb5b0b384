"""Options that commands which read files and print have in common."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from corpora import seeds

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for scripts.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace files that are there already.")
]


def seed_option(text: str, **more: Any) -> Any:
    """The option --seed, of what `text` says; its values are those that every generator takes."""
    return typer.Option(min=0, max=seeds.LARGEST, help=text, **more)


Theirs = Annotated[
    str | None, typer.Option("--from", metavar="FORMAT", help="Their format. (default: told)")
]
Reader = Annotated[
    str | None, typer.Option("--from", metavar="FORMAT", help="Format of IN. (default: told)")
]
Writer = Annotated[
    str | None,
    typer.Option("--to", metavar="FORMAT", help="Format of OUT. (default: by its suffix)"),
]
Lang = Annotated[str, typer.Option(help="Language, where the format does not say.")]
