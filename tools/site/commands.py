"""A page for each command, made of its help."""

from __future__ import annotations

from typing import Any

import typer
from typer.cli import get_docs_for_click
from typer.main import get_command

from corefmill.cli import main


def pages() -> dict[str, str]:
    """Markdown by the page's place in the site."""
    group = get_command(main.load())
    return {
        f"reference/commands/{name}.md": _page(name, command)
        for name, command in group.commands.items()  # type: ignore[attr-defined]
    }


def _page(name: str, command: Any) -> str:
    """A command's help. Commands below it are links, with all of what they are in one sentence."""
    context = typer.Context(command, info_name="corefmill")
    text = get_docs_for_click(obj=command, ctx=context, name=name)
    for below, own in getattr(command, "commands", {}).items():
        text = text.replace(
            f"* `{below}`: {own.get_short_help_str()}\n",
            f"* [`{below}`](#{name}-{below}): {own.get_short_help_str(limit=300)}\n",
        )
    # Whoever copies a line wants no prompt.
    return text.replace("```console\n$ ", "```sh\ncorefmill ")
