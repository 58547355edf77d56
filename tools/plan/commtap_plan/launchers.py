# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The environment that a launcher gives the process of a rank."""

#: Nothing listens there, and nothing connects.
_ADDRESS, _PORT = "127.0.0.1", "29500"

_JOB_ID = "1"


def _torchrun(rank: int, world_size: int, per_node: int) -> dict[str, str]:
    return {
        "RANK": str(rank),
        "WORLD_SIZE": str(world_size),
        "LOCAL_RANK": str(rank % per_node),
        "LOCAL_WORLD_SIZE": str(min(per_node, world_size)),
        "GROUP_RANK": str(rank // per_node),
        "GROUP_WORLD_SIZE": str(-(-world_size // per_node)),
        "ROLE_RANK": str(rank),
        "ROLE_WORLD_SIZE": str(world_size),
        "ROLE_NAME": "default",
        "MASTER_ADDR": _ADDRESS,
        "MASTER_PORT": _PORT,
        "TORCHELASTIC_RUN_ID": "plan",
        "TORCHELASTIC_RESTART_COUNT": "0",
        "TORCHELASTIC_MAX_RESTARTS": "0",
        "TORCHELASTIC_USE_AGENT_STORE": "False",
    }


def _srun(rank: int, world_size: int, per_node: int) -> dict[str, str]:
    nodes = str(-(-world_size // per_node))
    return {
        "SLURM_PROCID": str(rank),
        "SLURM_NTASKS": str(world_size),
        "SLURM_NPROCS": str(world_size),
        "SLURM_STEP_NUM_TASKS": str(world_size),
        "SLURM_LOCALID": str(rank % per_node),
        "SLURM_NODEID": str(rank // per_node),
        "SLURM_NNODES": nodes,
        "SLURM_JOB_NUM_NODES": nodes,
        "SLURM_NTASKS_PER_NODE": str(per_node),
        "SLURM_GPUS_ON_NODE": str(per_node),
        "SLURM_JOB_ID": _JOB_ID,
        "SLURM_JOBID": _JOB_ID,
        "SLURM_STEP_ID": "0",
        "SLURM_NODELIST": "localhost",
        "SLURM_JOB_NODELIST": "localhost",
        "SLURM_STEP_NODELIST": "localhost",
        "SLURM_LAUNCH_NODE_IPADDR": _ADDRESS,
        "SLURMD_NODENAME": "localhost",
    }


def _mpi(rank: int, world_size: int, per_node: int) -> dict[str, str]:
    return {
        "OMPI_COMM_WORLD_RANK": str(rank),
        "OMPI_COMM_WORLD_SIZE": str(world_size),
        "OMPI_COMM_WORLD_LOCAL_RANK": str(rank % per_node),
        "OMPI_COMM_WORLD_LOCAL_SIZE": str(min(per_node, world_size)),
        "OMPI_COMM_WORLD_NODE_RANK": str(rank % per_node),
        "OMPI_UNIVERSE_SIZE": str(world_size),
        "PMIX_RANK": str(rank),
    }


LAUNCHERS = {"torchrun": _torchrun, "srun": _srun, "mpi": _mpi}


def variables_of(launcher: str, rank: int, world_size: int, per_node: int) -> dict[str, str]:
    """Returns the variables of a launcher's process."""
    return LAUNCHERS[launcher](rank, world_size, per_node)


def all_names() -> set[str]:
    """Returns the names of the variables of every launcher, none of which a planned process inherits."""
    return {name for make in LAUNCHERS.values() for name in make(0, 1, 1)}
