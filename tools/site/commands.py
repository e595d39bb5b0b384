"""A page for each command, made of its help."""

from __future__ import annotations

import click

from corefmill.cli.command import Group
from corefmill.cli.main import COREFMILL


def pages() -> dict[str, str]:
    """Return Markdown by the place of a page in the site."""
    top = click.Context(COREFMILL, info_name="corefmill")
    return {
        f"reference/commands/{name}.md": "\n".join(_page(name, command, top))
        for name, command in COREFMILL.load_all().items()
    }


def _page(name: str, command: click.Command, above: click.Context) -> list[str]:
    """Return the lines of a command's help, with those of the commands below it."""
    context = click.Context(command, parent=above, info_name=name, max_content_width=100)
    title = context.command_path.removeprefix("corefmill ")
    lines = [f"{'#' * (1 + title.count(' '))} {title}", "", "```text"]
    lines += [*command.get_help(context).splitlines(), "```", ""]
    if isinstance(command, Group):
        for below, own in command.load_all().items():
            lines += _page(below, own, context)
    return lines
