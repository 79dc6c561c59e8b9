"""Runs that are killed whenever they have written something, and go on."""

from deppa_nb.experiments.checkpoint import Checkpoint


class Killed(BaseException):
    """What ends a run here; nothing catches it."""


def check_going_on(compute, folder, monkeypatch):
    """Check that a run which is killed after every round finds what an undisturbed one does.

    `compute` takes a folder and returns the run's rows.
    """
    whole, add, kills = compute(folder / "whole"), Checkpoint.add, 0

    def killing(self, rows, save):
        add(self, rows, save)
        raise Killed

    monkeypatch.setattr(Checkpoint, "add", killing)
    for _ in range(len(whole)):
        try:
            compute(folder / "parts")
        except Killed:
            kills += 1
        else:
            break
    monkeypatch.undo()
    assert kills > 2
    same = [name for name in whole if not name.endswith("_seconds")]
    assert compute(folder / "parts")[same].equals(whole[same])
