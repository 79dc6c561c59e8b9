"""Imported by a fork server, so that what it forks has all modules and kernels already."""

import tempfile

from tiny.grid import grid

from deppa_nb.experiments.store import Store

with tempfile.TemporaryDirectory() as folder:
    for task in grid()[::2]:
        Store(folder).get_or_compute(task.run, task.compute)
