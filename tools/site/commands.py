"""A page for each command, made of its help."""

from __future__ import annotations

import typer
from typer.cli import get_docs_for_click
from typer.main import get_command

from corefmill.cli import main


def pages() -> dict[str, str]:
    """Markdown by the page's place in the site."""
    group = get_command(main.load())
    return {
        f"reference/commands/{name}.md": get_docs_for_click(
            obj=command, ctx=typer.Context(command, info_name="corefmill"), name=name
        ).replace("$ ", "$ corefmill ")
        for name, command in group.commands.items()  # type: ignore[attr-defined]
    }
