"""Train and time spaCy's parser: TRAIN DEV TEST OUT SECONDS.

Words, prefixes, suffixes, shapes and gold UPOS; sentences are given. When the seconds
are over, the model is kept that was best on dev after an epoch.
"""

import random
import sys
import time

import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import minibatch
from treebank import DEPREL, FORM, HEAD, UPOS, read, report, timed, write

ATTRIBUTES = ["NORM", "PREFIX", "SUFFIX", "SHAPE", "POS"]
ROWS = [5000, 1000, 2500, 2500, 50]
EMBEDDING = {
    "@architectures": "spacy.MultiHashEmbed.v2",
    "width": 96,
    "attrs": ATTRIBUTES,
    "rows": ROWS,
    "include_static_vectors": False,
}
ENCODER = {
    "@architectures": "spacy.MaxoutWindowEncoder.v2",
    "width": 96,
    "window_size": 1,
    "maxout_pieces": 3,
    "depth": 4,
}
MODEL = {
    "@architectures": "spacy.TransitionBasedParser.v2",
    "state_type": "parser",
    "extra_state_tokens": False,
    "hidden_width": 64,
    "maxout_pieces": 2,
    "use_upper": True,
    "tok2vec": {"@architectures": "spacy.Tok2Vec.v2", "embed": EMBEDDING, "encode": ENCODER},
}


UNIVERSAL = set(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()
)


def example(nlp, rows):
    heads = [int(row[HEAD]) - 1 if row[HEAD] != "0" else m for m, row in enumerate(rows)]
    labels = [row[DEPREL] for row in rows]
    plain = Doc(nlp.vocab, **inputs(rows))
    return Example(plain, Doc(nlp.vocab, **inputs(rows), heads=heads, deps=labels))


def inputs(rows):
    return {
        "words": [row[FORM] for row in rows],
        "pos": [row[UPOS] if row[UPOS] in UNIVERSAL else "X" for row in rows],
        "sent_starts": [m == 0 for m in range(len(rows))],
    }


def parsed(nlp, sentences):
    return list(nlp.pipe((Doc(nlp.vocab, **inputs(rows)) for rows in sentences), batch_size=256))


def tree(doc):
    return [(0 if word.head.i == word.i else word.head.i + 1, word.dep_) for word in doc]


def right(nlp, sentences):
    """Return how many heads are right."""
    gold = [row[HEAD] for rows in sentences for row in rows]
    found = [str(head) for doc in parsed(nlp, sentences) for head, _ in tree(doc)]
    return sum(a == b for a, b in zip(gold, found, strict=True))


def learn(nlp, examples, dev, seconds):
    """Train until the time is over; keep what is best on dev, looked at after each epoch."""
    parser, end = nlp.get_pipe("parser"), time.process_time() + seconds
    optimizer = nlp.initialize(lambda: examples)
    best, kept, epochs = -1, None, 0
    while time.process_time() < end:
        random.shuffle(examples)
        for batch in minibatch(examples, 32):
            nlp.update(batch, drop=0.1, sgd=optimizer)
            if time.process_time() > end:
                break
        epochs += 1
        with nlp.use_params(optimizer.averages):
            if (score := right(nlp, dev)) > best:
                best, kept = score, parser.to_bytes()
    parser.from_bytes(kept)
    return epochs


def main():
    train, dev, test = (read(path) for path in sys.argv[1:4])
    random.seed(1)
    spacy.util.fix_random_seed(1)
    nlp = spacy.blank("xx")
    nlp.add_pipe("parser", config={"model": MODEL, "min_action_freq": 1})
    examples = [example(nlp, rows) for rows in train]
    epochs, train_seconds = timed(lambda: learn(nlp, examples, dev, float(sys.argv[5])))
    docs, parse_seconds = timed(lambda: parsed(nlp, test), rounds=3)
    write(sys.argv[4], test, [tree(doc) for doc in docs])
    note = f"spaCy {spacy.__version__}, {epochs} epochs"
    report(train_seconds=train_seconds, parse_seconds=parse_seconds, note=note)


if __name__ == "__main__":
    main()
