"""How a command takes its options in groups."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from typing import Annotated, Any, get_args, get_type_hints


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Makes every field of a parameter that is a dataclass of options an option of its own.

    Typer reads a command's options from its signature alone, so that a group that many commands
    share would have to be written out in each. The command that typer sees has the fields in the
    group's place; called, it puts the group together again. The help shows the fields in the
    group's PANEL, if it has one. A parameter whose type makes itself of a call, such as
    `options.CommandLine`, is no option, but filled in.
    """
    own = inspect.signature(command, eval_str=True)
    groups: dict[str, Any] = {}
    shown: list[inspect.Parameter] = []
    made: dict[str, Any] = {}
    for parameter in own.parameters.values():
        kind = parameter.annotation
        if hasattr(kind, "of_call"):
            made[parameter.name] = kind
        elif is_dataclass(kind):
            groups[parameter.name] = kind
            shown += _options(kind)
        else:
            shown.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))

    defaults = {one.name: one.default for one in shown if one.default is not one.empty}

    @functools.wraps(command)
    def called(**given: Any) -> None:
        given = {**defaults, **given}
        filled = {name: kind.of_call(command.__name__, shown, given) for name, kind in made.items()}
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        command(**given, **filled)

    called.__dict__["__signature__"] = own.replace(parameters=shown)  # what typer looks at
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return called


def _options(group: Any) -> Iterator[inspect.Parameter]:
    """The fields of a dataclass as parameters, those without a panel in that of the group."""
    hints = get_type_hints(group, include_extras=True)
    for field in fields(group):
        kind, *more = get_args(hints[field.name])
        (option,) = map(copy, more)
        option.rich_help_panel = option.rich_help_panel or getattr(group, "PANEL", None)
        default = inspect.Parameter.empty if field.default is MISSING else field.default
        yield inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=default,
            annotation=Annotated[kind, option],
        )
