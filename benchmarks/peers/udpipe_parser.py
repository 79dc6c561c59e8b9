"""Train and time UDPipe 1's parser: TRAIN DEV TEST OUT SECONDS.

Words and gold UPOS, projective. Its training cannot be stopped, so one pass tells how many there is
time for; DEV is not used.
"""

import os
import sys
import tempfile

from treebank import read, report, timed, write
from ufal import udpipe

MOST = 30  # iterations
OPTIONS = (
    "iterations={};embedding_upostag=20;embedding_feats=0;embedding_xpostag=0;embedding_form=50;"
    "embedding_lemma=0;embedding_deprel=20;learning_rate=0.01;learning_rate_final=0.001;l2=0.5;"
    "hidden_layer=200;batch_size=10;transition_system=projective;transition_oracle=dynamic;"
    "structured_interval=8;use_gold_tags=1;run=1"
)


def sentences_of(path):
    """Return the sentences of a file as UDPipe holds them."""
    reader, error = udpipe.InputFormat.newConlluInputFormat(), udpipe.ProcessingError()
    with open(path, encoding="utf-8") as file:
        reader.setText(file.read())
    found, sentence = [], udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        found.append(sentence)
        sentence = udpipe.Sentence()
    if error.occurred():
        raise SystemExit(error.message)
    return found


def learn(train, iterations):
    error = udpipe.ProcessingError()
    data = udpipe.Trainer.train(
        "morphodita_parsito", train, [], "none", "none", OPTIONS.format(iterations), error
    )
    if error.occurred():
        raise SystemExit(error.message)
    return data


def loaded(data):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        with open(path, "wb") as file:
            file.write(data)
        return udpipe.Model.load(path)


def parse(model, sentences):
    error = udpipe.ProcessingError()
    for sentence in sentences:
        if not model.parse(sentence, udpipe.Model.DEFAULT, error):
            raise SystemExit(error.message)


def tree(sentence):
    return [(word.head, word.deprel) for word in list(sentence.words)[1:]]


def main():
    train, test = (sentences_of(path) for path in (sys.argv[1], sys.argv[3]))
    data, train_seconds = timed(lambda: learn(train, 1))
    iterations = min(int(float(sys.argv[5]) / train_seconds), MOST)
    if iterations > 1:
        data, train_seconds = timed(lambda: learn(train, iterations))
    model = loaded(data)
    _, parse_seconds = timed(lambda: parse(model, test), rounds=3)
    write(sys.argv[4], read(sys.argv[3]), map(tree, test))
    note = f"UDPipe {udpipe.Version.current().major}, {max(iterations, 1)} iterations"
    report(train_seconds=train_seconds, parse_seconds=parse_seconds, note=note)


if __name__ == "__main__":
    main()
