"""Time log Z and its gradient: supar or torch_struct. Batches of 32, one thread, one root.

Needs torch, and supar (`pip install --no-deps supar`; only its `structs` are used) or torch-struct.
"""

import importlib.util
import sys
import time
import types

import torch
from treebank import report

BATCH = 32
LENGTHS = (10, 20, 30, 40)
ROUNDS = 3


def only_structs():
    """Let `supar.structs` be imported without the rest of supar, which needs much more."""
    for name in ("supar", "supar.utils"):
        shell = types.ModuleType(name)
        shell.__path__ = list(importlib.util.find_spec(name).submodule_search_locations)
        sys.modules[name] = shell


def structures(library):
    """Yield peer, structure and a function from scores to log Z."""
    if library == "supar":
        only_structs()
        from supar.structs.tree import Dependency2oCRF, DependencyCRF, MatrixTree

        yield "SuPar", "first order", lambda arcs, _: DependencyCRF(arcs).log_partition
        yield "SuPar", "second order", lambda *both: Dependency2oCRF(both).log_partition
        yield "SuPar", "non-projective", lambda arcs, _: MatrixTree(arcs).log_partition
    else:
        from torch_struct import DependencyCRF as Projective

        # There the scores of the root stand on the diagonal: n x n.
        yield (
            "torch-struct",
            "first order",
            lambda arcs, _: Projective(arcs[:, 1:, 1:], multiroot=False).partition,
        )


def per_second(log_z, n):
    generator = torch.Generator().manual_seed(n)
    shapes = (BATCH, n + 1, n + 1), (BATCH, n + 1, n + 1, n + 1)
    scores = [torch.randn(*shape, generator=generator).requires_grad_() for shape in shapes]
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        log_z(*scores).sum().backward()
        times.append(time.process_time() - start)
    return BATCH / min(times)


def main():
    torch.set_num_threads(1)
    rows = [
        {"peer": peer, "structure": structure, "n": n, "per_second": per_second(log_z, n)}
        for peer, structure, log_z in structures(sys.argv[1])
        for n in LENGTHS
    ]
    report(rows=rows)


if __name__ == "__main__":
    main()
