"""How long an annotator waits: at changes of rounds, and for new probabilities after an answer.

    python benchmarks/annotating.py --sentences 5000 --seconds 2

A pool of toy-en sentences, of which 100 are annotated; somebody answers every so many seconds while
the parser learns and chooses in its thread. What is timed is what a page waits for: the answer on
the disk, the sentence estimated anew, and, after the last answer of a round, the next questions.
Beside it, the estimate of sentences of 40 words alone, with nothing learning.
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from deppa_widgets import HeadPicker

import deppa_nb as dp
from deppa_nb.active.session import Session
from deppa_nb.experiments.annotate import parser


def arguments() -> argparse.Namespace:
    words = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    words.add_argument("--sentences", type=int, default=5000)
    words.add_argument("--seconds", type=float, default=2.0, help="between answers")
    words.add_argument("--batch", type=int, default=10)
    words.add_argument("--rounds", type=int, default=20)
    return words.parse_args()


def quantiles(name: str, seconds: list[float]) -> None:
    values = 1000 * np.array(seconds)
    shown = ", ".join(f"{q} % {np.percentile(values, q):7.1f}" for q in (50, 95, 100))
    print(f"{name:42} {shown} ms   (n = {len(values)})")


def answered(picker: HeadPicker, task: dict[str, Any], token: int, head: int) -> float:
    """Answer as a page does; return the seconds until the page has all it needs."""
    event = {
        "what": "head", "sentence": task["sentence"], "token": token, "task": "partial", "new": head
    }  # fmt: skip
    act = {"client": f"{task['sentence']}-{token}", "events": [event]}
    start = time.perf_counter()
    picker.desk.handle({"kind": "acts", "page": "p", "acts": [act]})
    while picker.session.waits:
        time.sleep(0.005)
        picker.desk.handle({"kind": "poll", "page": "p"})
    return time.perf_counter() - start


def main() -> None:
    given = arguments()
    gold = dp.load("toy-en", sizes={"train": given.sentences}).train
    bank = dp.Treebank(tuple(dp.Pool.hiding(gold, seed=100)), "toy-en")
    log = Path(tempfile.mkdtemp(), "log.jsonl")
    session = Session(bank, log, annotator="bench", parser=parser(), batch=given.batch)
    picker = HeadPicker(session)
    start = time.perf_counter()
    session.wait()
    print(f"first questions of {given.sentences:,} sentences: {time.perf_counter() - start:.1f} s")
    picker.desk.handle({"kind": "hello", "page": "p"})
    within, changes, extended = [], [], 0
    while len(changes) < given.rounds:
        task = session.left()[0]
        token = session.open_words(task)[0]
        shown, before = len(session.tasks), session.recorder.round
        head = int(gold[task.query.sentence].heads[token])
        seconds = answered(picker, {"sentence": task.name}, token, head)
        is_change = len(session.tasks) > shown
        (changes if is_change else within).append(seconds)
        extended += is_change and session.recorder.round == before
        time.sleep(max(0.0, given.seconds - seconds))
    quantiles("an answer, saved and estimated anew", within)
    quantiles("the last answer of a round, with new questions", changes)
    print(f"{extended} of {len(changes)} changes went on with the last choice")
    long = [s for s in dp.load("toy-en", sizes={"train": 30000}).train if len(s) == 40][:20]
    long = long or [max(gold, key=len)]
    times = []
    for sentence in long * 5:
        start = time.perf_counter()
        session.model.marginals(sentence, dp.Constraints(sentence.heads * 0 - 1))
        times.append(time.perf_counter() - start)
    quantiles(f"marginals of {len(long[0])} words, alone", times)
    session.close()


if __name__ == "__main__":
    main()
