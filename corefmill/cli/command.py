"""Commands for click, made of plain functions.

A command is a function. Each of its parameters is annotated with an `Option` or `Argument`, or is a
dataclass with such fields, which the help shows in a section of its own. The docstring is the help,
with its `Examples:` at the end. A command's module is imported when the command is called.
"""

from __future__ import annotations

import gc
import inspect
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import partial
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import click

from corefmill.builders.corpus.options import Argument, Option, list_options
from corefmill.cli.printing import log_command
from corefmill.corpora.files.errors import UsageError, did_you_mean
from corefmill.corpora.files.terminal import PrintableStream

__all__ = ["Argument", "Option"]


class Choice(click.Choice[str]):
    """A value of an enumeration."""

    def __init__(self, kind: type[Enum]) -> None:
        super().__init__([one.value for one in kind])
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the member of the enumeration."""
        # click would compare a default, which is a member, by its name.
        given = value.value if isinstance(value, self.kind) else value
        return self.kind(super().convert(given, param, ctx))


class FloatRange(click.FloatRange):
    """A number within bounds, never nan."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not a number", param, ctx)
        return number


class Command(click.Command):
    """A command with its options in sections, and a log for --verbose."""

    def __init__(
        self, name: str, run: Callable[..., Any], params: Sequence[click.Parameter], text: str
    ) -> None:
        self.tables: Mapping[str, Sequence[str] | Mapping[str, str]] = {}
        about, _, self.examples = inspect.cleandoc(text).partition("Examples:\n")
        verbose = Option(help="Log each step on standard error, with the time.")
        super().__init__(
            name,
            callback=run,
            params=[*params, make_option(verbose, bool, "verbose", False)],
            help=about.strip(),
            context_settings={"max_content_width": 100},
        )

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, with control codes in its output escaped."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, PrintableStream):
                stream.escapes = True
        gc.enable()
        with log_command() if ctx.params.pop("verbose") else nullcontext():
            return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by sections, first those without a section."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            if (record := param.get_help_record(ctx)) is not None:
                sections.setdefault(getattr(param, "panel", None) or "Options", []).append(record)
            elif isinstance(param, _Argument) and param.help:
                row = param.make_metavar(ctx), param.help
                sections.setdefault("Arguments", []).append(row)
        for name, records in sections.items():
            with formatter.section(name):
                formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the tables of values, and the examples as they stand."""
        for title, rows in self.tables.items():
            with formatter.section(title):
                if isinstance(rows, Mapping):
                    formatter.write_dl([*rows.items()])
                else:
                    formatter.write_text(", ".join(rows))
        if self.examples:
            with formatter.section("Examples"):
                for line in self.examples.rstrip().splitlines():
                    formatter.write(f"{line}\n")


class Group(click.Group):
    """Commands under one name.

    `entries` maps a command's name to a group, or to `module:function` in corefmill/cli and a line
    of help, so that the list of commands imports none. A builder is `package:Options Builder`: its
    modules `options` and `build` define these. `alone` is the command called without a name.
    """

    def __init__(
        self,
        name: str,
        help: str,
        entries: Mapping[str, Group | tuple[str, str]],
        *,
        alone: str | None = None,
    ) -> None:
        super().__init__(
            name,
            help=help,
            params=[_VERSION],
            no_args_is_help=alone is None,
            context_settings={"max_content_width": 100},
        )
        self.entries, self.alone = entries, alone

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert the default command into a line without one."""
        first = args[0] if args else "-"
        named = not first.startswith("-") or first in ("--help", "--version")
        if self.alone and not named and not ctx.resilient_parsing:  # a line to complete
            args = [self.alone, *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of the table."""
        return [*self.entries]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of a name for click; None for an unknown name."""
        return self.load(cmd_name) if cmd_name in self.entries else None

    def load(self, name: str) -> click.Command:
        """Import and make the command or group of a name in `entries`."""
        entry = self.entries[name]
        if isinstance(entry, Group):
            return entry
        module, _, function = entry[0].partition(":")
        if module.startswith("builders."):
            options, _, builder = function.partition(" ")
            declared = getattr(import_module(f"corefmill.{module}.options"), options)
            return make_builder_command(name, declared, f"corefmill.{module}.build:{builder}")
        return make_command(name, getattr(import_module(f"corefmill.cli.{module}"), function))

    def load_all(self) -> dict[str, click.Command]:
        """Import and make all commands of the group, by name."""
        return {name: self.load(name) for name in self.entries}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names of the commands with their line of help."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, str(one.help) if isinstance(one, Group) else one[1])
                    for name, one in self.entries.items()
                ]
            )


def make_builder_command(name: str, options: Any, builder: str) -> Command:
    """Make the command of a builder from its options; a call imports the builder itself."""

    def run(**values: Any) -> None:
        from corefmill.cli.builds import build

        module, _, class_name = builder.partition(":")
        build(options(**values), getattr(import_module(module), class_name))

    command = Command(name, run, [*make_options(options)], options.__doc__)
    filters = getattr(import_module(options.__module__), "FILTERS", ())
    command.tables = {"Filters of --without": filters}
    return command


def make_command(name: str, function: Any) -> Command:
    """Make a command of a plain function: options of its parameters, help of its docstring."""
    params: list[click.Parameter] = []
    groups: dict[str, type] = {}
    hints = get_type_hints(function, include_extras=True)
    for parameter in inspect.signature(function).parameters.values():
        hint = hints[parameter.name]
        if is_dataclass(hint) and isinstance(hint, type):
            groups[parameter.name] = hint
            params += make_options(hint)
        else:
            kind, option = get_args(hint)
            default = MISSING if parameter.default is parameter.empty else parameter.default
            params.append(make_option(option, kind, parameter.name, default))

    def run(**values: Any) -> Any:
        for key, group in groups.items():
            values[key] = group(**{one.name: values.pop(one.name) for one in fields(group)})
        return function(**values)

    params.sort(key=lambda one: not isinstance(one, click.Argument))
    return Command(name, run, params, function.__doc__ or "")


def make_options(group: type) -> Iterator[click.Parameter]:
    """Make an option of each field of a dataclass."""
    for field, kind, option in list_options(group):
        panel = option.panel or getattr(group, "PANEL", None)
        yield make_option(option, kind, field.name, field.default, panel=panel)


class _Argument(click.Argument):
    help: str | None = None


def make_option(
    option: Option, kind: Any, name: str, default: Any, *, panel: str | None = None
) -> click.Parameter:
    """Make click's parameter from an `Option`, the type of its value, a name and a default."""
    if get_origin(kind) in (Union, UnionType):  # X | None
        (kind,) = (one for one in get_args(kind) if one is not NoneType)
    several = get_origin(kind) if get_origin(kind) in (list, tuple) else None
    if several:
        kind = get_args(kind)[0]
    more: dict[str, Any] = {"metavar": option.metavar, "required": default is MISSING}
    # A flag has no type, and several values are never a default: click would split a text.
    if option.parse is not None:
        more["type"] = click.types.FuncParamType(option.parse)
    elif issubclass(kind, Enum):
        more["type"] = Choice(kind)
    elif issubclass(kind, Path):
        more["type"] = click.Path(path_type=Path)
    elif kind in (int, float) and (option.min is not None or option.max is not None):
        of = click.IntRange if kind is int else FloatRange
        more["type"] = of(option.min, option.max)  # type: ignore[arg-type]
    elif kind is not bool or isinstance(option, Argument):
        more["type"] = kind
    if option.check is not None or several:
        more["callback"] = partial(_convert_value, option, several)
    if default is not MISSING and not several:
        more["default"] = default
    if isinstance(option, Argument):
        argument = _Argument([name], nargs=-1 if several else 1, **more)
        argument.help = option.help
        return argument
    flags = option.names or (f"--{name.replace('_', '-')}",)
    shown: bool | str = option.default or not (kind is bool or default in (None, "", MISSING))
    made = click.Option(
        [name, *flags],
        help=option.help,
        is_flag=kind is bool,
        multiple=bool(several),
        show_default=shown,
        **more,
    )
    made.panel = panel or option.panel  # type: ignore[attr-defined]
    return made


def _convert_value(
    option: Option, several: Any, ctx: click.Context, param: click.Parameter, value: Any
) -> Any:
    """Convert several values to the list or tuple of the option, and run its check."""
    if several is tuple:
        value = tuple(value or ())
    elif several:
        value = list(value or ()) or None
    return value if option.check is None else option.check(value)


def call_command(command: Command, values: Mapping[str, Any]) -> None:
    """Call a command with values from Python; raises `UsageError` for an unknown or wrong value."""
    params = {}
    for param in command.params:
        params[max(param.opts, key=len).lstrip("-").replace("-", "_")] = param
        params[str(param.name)] = param
    if unknown := [key for key in values if key not in params]:
        raise UsageError(
            f"{command.name} has no option {unknown[0]!r}{did_you_mean(unknown[0], params)}"
        )
    given = {params[key].name: value for key, value in values.items() if value is not None}
    with click.Context(command, info_name=command.name) as context:
        for param in command.params:
            value = given.get(param.name)
            if isinstance(value, str | int | float | Path) and (
                param.multiple or param.nargs == -1
            ):
                given[param.name] = [value]
            param.handle_parse_result(context, given, [])
        command.invoke(context)


def _print_version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    """Print the version of corefmill and end the process, if --version was given."""
    if wanted:
        from importlib.metadata import version

        print(f"corefmill {version('corefmill')}")
        ctx.exit()


_VERSION = click.Option(
    ["--version"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
