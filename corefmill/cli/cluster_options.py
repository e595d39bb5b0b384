"""The options by which a build is done on a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from corefmill.corpora.errors import UsageError

if TYPE_CHECKING:
    from corefmill.builders.runner.on_ray import Ray
    from corefmill.builders.runner.slurm import Slurm


class Executor(StrEnum):
    """Where the work is done."""

    local = "local"
    ray = "ray"
    slurm = "slurm"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterOptions:
    """Where the work is done, if not here."""

    PANEL: ClassVar[str] = "Cluster"

    executor: Annotated[
        Executor,
        typer.Option(
            "--executor",
            help="This machine, or a cluster whose nodes all see the input, and --out unless it is"
            " a URL (Ray needs the extra 'cluster').",
        ),
    ] = Executor.local
    tasks: Annotated[int, typer.Option(min=1, help="Tasks on a cluster.")] = 16
    cpus_per_task: Annotated[
        int, typer.Option(min=1, help="Processors of a task, each with a worker process.")
    ] = 1
    mem_per_cpu: Annotated[
        int, typer.Option(min=1, help="Memory for each processor of a task, in GB.")
    ] = 4
    partition: Annotated[
        str | None, typer.Option(help="Slurm partition.", show_default="Slurm's own default")
    ] = None
    time: Annotated[str, typer.Option(help="Slurm's time limit for a task.")] = "24:00:00"
    account: Annotated[str | None, typer.Option(help="Slurm account that is charged.")] = None
    qos: Annotated[str | None, typer.Option(help="Slurm quality of service.")] = None
    max_parallel: Annotated[
        int | None, typer.Option(min=1, help="Tasks that Slurm may run at the same time.")
    ] = None
    env_command: Annotated[
        str | None,
        typer.Option(
            help="Shell command that a Slurm task begins with, such as 'module load gcc'."
        ),
    ] = None
    ray_address: Annotated[
        str | None, typer.Option(help="Ray cluster.", show_default="one on this machine")
    ] = None

    def cluster(self) -> Ray | Slurm | None:
        """The cluster that is named, None for this machine. Raises `UsageError` for an option of
        another one."""
        from corefmill.builders.runner.on_ray import Ray
        from corefmill.builders.runner.slurm import Slurm

        own: dict[Executor, dict[str, object]] = {
            Executor.slurm: {
                "--partition": self.partition,
                "--account": self.account,
                "--qos": self.qos,
                "--max-parallel": self.max_parallel,
                "--env-command": self.env_command,
            },
            Executor.ray: {"--ray-address": self.ray_address},
        }
        for executor, options in own.items():
            for option, value in options.items():
                if value is not None and self.executor is not executor:
                    raise UsageError(f"{option} is for --executor {executor}")
        if self.executor is Executor.ray:
            return Ray(
                tasks=self.tasks,
                address=self.ray_address,
                cpus_per_task=self.cpus_per_task,
                mem_per_cpu_gb=self.mem_per_cpu,
            )
        if self.executor is Executor.slurm:
            return Slurm(
                tasks=self.tasks,
                time=self.time,
                cpus_per_task=self.cpus_per_task,
                mem_per_cpu_gb=self.mem_per_cpu,
                partition=self.partition,
                account=self.account,
                qos=self.qos,
                max_parallel=self.max_parallel,
                env_command=self.env_command,
            )
        return None
