"""A page for each command and each builder, made of its help."""

from __future__ import annotations

import click

from corefmill.cli.command import Group
from corefmill.cli.main import BUILD, COREFMILL

_FOLDER = "reference/commands"


def pages() -> dict[str, str]:
    """Return Markdown by the place of a page in the site."""
    top = click.Context(COREFMILL, info_name="corefmill")
    found = {
        f"{_FOLDER}/{name}.md": "\n".join(_page(command, name, top))
        for name, command in COREFMILL.load_all().items()
        if command is not BUILD
    }
    # The builders have too many options for one page.
    above = click.Context(BUILD, parent=top, info_name="build")
    rows = ["| command | builds |", "|---|---|"]
    for name, command in BUILD.load_all().items():
        found[f"{_FOLDER}/build/{name}.md"] = "\n".join(_page(command, name, above))
        first = (command.help or "").partition("\n\n")[0]
        rows.append(f"| [build {name}](build/{name}.md) | {' '.join(first.split())} |")
    about = "Each builder has a page with its options."
    found[f"{_FOLDER}/build.md"] = "\n".join(["# build", "", about, "", *rows, ""])
    return found


def _page(command: click.Command, name: str, above: click.Context, level: int = 1) -> list[str]:
    """Return the lines of a command's help, with those of the commands below it."""
    context = click.Context(command, parent=above, info_name=name, max_content_width=100)
    lines = [f"{'#' * level} {context.command_path.removeprefix('corefmill ')}", "", "```text"]
    lines += [*command.get_help(context).splitlines(), "```", ""]
    if isinstance(command, Group):
        for below, own in command.load_all().items():
            lines += _page(own, below, context, level + 1)
    return lines
