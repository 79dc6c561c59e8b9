"""What the annotation notebooks replay is what was said, round by round."""

from pathlib import Path

from deppa_nb.active.annotators import GoldOracle
from deppa_nb.active.hindsight import replayed
from deppa_nb.active.log import Event, read_log
from deppa_nb.active.recording import Act
from deppa_nb.active.session import Session
from deppa_nb.active.simulated import play
from deppa_nb.experiments import annotate
from deppa_nb.models.crf import CRFParser

PARSER = CRFParser(1, bits=14, epochs=1, progress=False, threads=1)


def test_a_replayed_log_has_the_rounds_of_the_person(tmp_path: Path) -> None:
    found, path = annotate.material("toy-short"), tmp_path / "anna.jsonl"
    assert found.gold is not None and found.dev is not None
    session = Session(found.bank, path, annotator="anna", parser=PARSER, batch=5, dev=found.dev)
    play(session, GoldOracle(found.gold), rounds=5)
    act = session.recorder.acts(session.recorder.sentences.keys())[-1]
    session.recorder.record([Act("u-1", (Event("undo"),), undo_of=act.client)])
    session.close()
    again = tmp_path / "new" / "me.replay.jsonl"
    for _ in range(2):  # a cell may be run again
        annotate.begin_replay(str(path), again, "me")
        session = Session(found.bank, again, annotator="me", parser=PARSER, dev=found.dev)
        assert annotate.replay_answers(session, str(path), found) == 24
        assert session.left(), "what is asked next can be seen"
        session.close()
    curves = [
        [point for point, _ in replayed(read_log(one), found.bank, PARSER, "pa-gap", dev=found.dev)]
        for one in (path, again)
    ]
    assert curves[0] == curves[1] and [point.round for point in curves[0]] == [*range(7)]
    annotate.begin_replay(annotate.SIMULATED, again, "me")
    assert not again.exists()
