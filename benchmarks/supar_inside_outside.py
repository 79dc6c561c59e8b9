"""Second-order inside-outside: our kernel beside SuPar's, in one run, on one thread.

Needs torch and supar beside this project (`pip install torch` and `pip install --no-deps supar`; of
supar only its `structs` are used). SuPar computes log Z and its gradients for a batch, as it is
meant to; ours takes the sentences one after another. Both get the same scores, with one root, and
have to give the same log Z and marginals.
"""

import importlib.util
import sys
import time
import types

import numpy as np
import torch

from deppa_nb.kernels import second_order
from deppa_nb.kernels.items import pack, parts

BATCH = 32
LENGTHS = (10, 20, 30, 40, 50)


def only_structs() -> None:
    """Let `supar.structs` be imported without the rest of supar, which needs much more."""
    for name in ("supar", "supar.utils"):
        shell = types.ModuleType(name)
        spec = importlib.util.find_spec(name)
        assert spec is not None and spec.submodule_search_locations is not None
        shell.__path__ = list(spec.submodule_search_locations)
        sys.modules[name] = shell


def best(call, repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def compare(n: int) -> str:
    from supar.structs.tree import Dependency2oCRF

    rng = np.random.default_rng(n)
    arcs = rng.normal(size=(BATCH, n + 1, n + 1))
    siblings = rng.normal(size=(BATCH, n + 1, n + 1, n + 1))
    for r in range(n + 1):
        siblings[:, r, :, r] = 0.0  # SuPar has no score for a dependent without a sibling
    packed = np.empty((BATCH, parts(n)))
    for k in range(BATCH):
        pack(siblings[k], packed[k])
    marginals, part_marginals = np.empty_like(arcs), np.empty_like(packed)
    work = second_order.workspace(n)
    of_arcs = torch.tensor(arcs.transpose(0, 2, 1).copy(), requires_grad=True)
    of_siblings = torch.tensor(siblings.transpose(0, 2, 1, 3).copy(), requires_grad=True)

    def ours() -> list[float]:
        rows = zip(arcs, packed, marginals, part_marginals, strict=True)
        return [second_order.inside_outside(a, b, True, c, d, work) for a, b, c, d in rows]

    def theirs() -> torch.Tensor:
        of_arcs.grad = of_siblings.grad = None
        log_z = Dependency2oCRF((of_arcs, of_siblings)).log_partition
        log_z.sum().backward()
        return log_z.detach()

    np.testing.assert_allclose(ours(), theirs().numpy(), rtol=1e-9)
    gap = np.abs(marginals[:, :, 1:] - of_arcs.grad.numpy().transpose(0, 2, 1)[:, :, 1:]).max()
    pairs = [(best(ours, 3), best(theirs, 1)) for _ in range(7)]  # interleaved
    fast, slow = (BATCH / min(times) for times in zip(*pairs, strict=True))
    return f"| {n} | {slow:,.0f} | {fast:,.0f} | {fast / slow:.1f} | {gap:.1e} |"


def main() -> None:
    only_structs()
    torch.set_num_threads(1)
    print("| n | SuPar, sentences/s | ours, sentences/s | ratio | largest gap of a marginal |")
    print("|---|---|---|---|---|")
    for n in LENGTHS:
        print(compare(n))


if __name__ == "__main__":
    main()
