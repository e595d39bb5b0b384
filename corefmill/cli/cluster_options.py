"""The options by which a build is done on a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar

from corefmill.cli.command import Option
from corefmill.corpora.errors import UsageError

if TYPE_CHECKING:
    from corefmill.builders.run.executors import Cluster


class ExecutorName(StrEnum):
    """Where the work is done."""

    local = "local"
    slurm = "slurm"
    ray = "ray"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterOptions:
    """Where the work is done, if not here."""

    PANEL: ClassVar[str] = "Cluster"

    executor: Annotated[
        ExecutorName,
        Option(
            "--executor",
            help="This machine, or a cluster whose nodes all see the input (extra 'cluster').",
        ),
    ] = ExecutorName.local
    tasks: Annotated[
        int, Option(min=1, help="Tasks on a cluster, each with --workers processes.")
    ] = 16
    slurm: Annotated[
        list[str] | None,
        Option(
            metavar="KEY=VALUE",
            help="A parameter of sbatch (partition, time, mem, constraint ...); setup=COMMAND comes"
            " before each task. Repeatable.",
        ),
    ] = None
    ray_address: Annotated[
        str | None, Option(help="Ray cluster.", default="one on this machine")
    ] = None

    def cluster(self) -> Cluster | None:
        """Return the cluster that is named, None for this machine.

        Raises `UsageError` for an option of another one.
        """
        from corefmill.builders.run.executors import Cluster

        for option, value, owner in (
            ("--slurm", self.slurm, ExecutorName.slurm),
            ("--ray-address", self.ray_address, ExecutorName.ray),
        ):
            if value and self.executor is not owner:
                raise UsageError(f"{option} is for --executor {owner}")
        if self.executor is ExecutorName.local:
            return None
        given = [parameter.partition("=") for parameter in self.slurm or ()]
        for key, equals, value in given:
            if not key or not equals or not f"{key}{value}".isprintable():
                raise UsageError(
                    f"--slurm {key}{equals}{value}: no parameter",
                    remedy="such as --slurm partition=cpu",
                )
        return Cluster(
            engine=self.executor.value,
            tasks=self.tasks,
            slurm={key: value for key, _, value in given},
            address=self.ray_address,
        )
