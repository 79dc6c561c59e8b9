"""`deppa train`, `deppa parse` and `deppa tag`: parsers and taggers in files."""

import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from deppa_nb.corpus.sentence import Sentence

__all__ = ["parse", "tag", "train", "treebank_file"]

# As in `models.parsers`, which takes long to import.
MODELS = ("crf", "mira", "mst", "matrix-tree", "transition")
_CHUNK = 1024  # sentences in memory at a time
_output = click.Path(dir_okay=False, writable=True)


@click.command()
@click.argument("model", metavar="OUT.npz", type=_output)
@click.argument("trees", metavar="TRAIN")
@click.option("--dev", help="Full trees on which to decide when to stop: a file or a corpus.")
@click.option(
    "--model",
    "kind",
    type=click.Choice([*MODELS, "tagger"]),
    default="crf",
    show_default=True,
    help="crf, mira, transition: projective; mst, matrix-tree: arcs may cross; mira, mst: by the "
    "margin; transition: with a beam.",
)
@click.option(
    "--order", type=click.IntRange(1, 2), help="Of crf and mira: 1 for arcs, 2 for siblings too."
)
@click.option("--beam", type=click.IntRange(1), help="Of transition: how many states are kept.")
@click.option("--labels", is_flag=True, default=None, help="Learn labels too.")
@click.option("--column", type=click.Choice(["upos", "xpos"]), help="Of tagger: which tags.")
@click.option("--epochs", type=click.IntRange(1), help="Passes over the sentences.")
@click.option("--bits", type=click.IntRange(10, 30), help="The table has 2**BITS weights.")
@click.option("--rate", type=click.FloatRange(0), help="Length of a step.")
@click.option("--pruning", type=click.FloatRange(0, 1), help="Look only at arcs that are likelier.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True)
@click.option("--threads", type=click.IntRange(1), help="All processors if not given.")
def train(
    model: str,
    trees: str,
    dev: str | None,
    kind: str,
    seed: int,
    threads: int | None,
    **given: Any,
) -> None:
    """Learn a parser or a tagger from TRAIN and write it to OUT.npz.

    TRAIN and DEV are CoNLL-U files or names of corpora (`deppa data list`), of which the splits
    train and dev are taken; NAME:SPLIT names another. Trees may be partial: words whose head is _
    are open.
    """
    from deppa_nb.corpus.conllu import read_conllu
    from deppa_nb.models.parsers import PARSERS
    from deppa_nb.models.tagger import Tagger

    options = {name: value for name, value in given.items() if value is not None}
    chosen = Tagger if kind == "tagger" else PARSERS[kind]
    parser: Any = chosen(rng=seed, threads=threads, progress=sys.stderr.isatty())
    for name in options:
        if name not in parser.get_params():
            raise click.UsageError(f"--{name} is no option of --model {kind}")
    parser.set_params(**options)
    bank = read_conllu(treebank_file(trees, "train"))
    held_out = read_conllu(treebank_file(dev, "dev")) if dev else None
    if isinstance(parser, Tagger):
        parser.fit(bank).save(model)
        found = f", {parser.accuracy(held_out):.2f}% right on {dev}" if held_out else ""
        click.echo(f"{model}: {len(parser.tags_)} tags in {len(bank):,} sentences{found}")
        return
    parser.fit(bank, dev=held_out)
    parser.save(model)
    for what, changed in (
        ("arcs moved up, so that trees are projective", parser.forests_.lifted),
        ("heads left open that no tree of the parser has", parser.forests_.dropped),
    ):
        if changed:
            ids = ", ".join([*list(changed)[:5], *(["..."] if len(changed) > 5 else [])])
            line = f"{what}: {sum(changed.values())} in {len(changed)} sentences ({ids})"
            click.echo(line, err=True)
    epochs = parser.history_
    best = f", UAS {max(epoch['dev_uas'] for epoch in epochs):.2f} on {dev}" if dev else ""
    click.echo(f"{model}: {bank.n_annotated:,} heads in {len(bank):,} sentences{best}")


@click.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@click.argument("sentences", metavar="IN")
@click.option("-o", "--output", type=_output, required=True, help="Where to.")
@click.option("--keep-heads", is_flag=True, help="Heads and labels given in IN stay.")
@click.option("--nbest", type=click.IntRange(1), metavar="K", help="K trees for each sentence.")
@click.option("--marginals", is_flag=True, help="Write p(arc) into MISC: Marginal=0.9876.")
@click.option(
    "--decoder",
    type=click.Choice(["viterbi", "mbr"]),
    help="The best tree, or the one with most expected right arcs; else as learned.",
)
@click.option("--threads", type=click.IntRange(1), help="All processors if not given.")
def parse(
    model: str,
    sentences: str,
    output: str,
    keep_heads: bool,
    nbest: int | None,
    marginals: bool,
    decoder: str | None,
    threads: int | None,
) -> None:
    """Parse IN with a MODEL that `deppa train` wrote.

    IN is a CoNLL-U file or the name of a corpus, of which the split test is taken; NAME:SPLIT names
    another. Comments, MISC, multiword tokens and empty nodes are kept. With --nbest, the trees of a
    sentence follow each other, the best first, with comments rank and log_prob (of mst, mira
    and transition: score); of a parser by mira, two trees that differ in a label are two.
    """
    from tqdm.auto import tqdm

    from deppa_nb.corpus.conllu import iter_conllu, write_conllu
    from deppa_nb.models.parsers import load_parser
    from deppa_nb.models.parsing import completed

    parser = load_parser(model).set_params(threads=threads)
    if decoder and "decoder" not in parser.get_params():
        raise click.UsageError(f"--decoder: {type(parser).__name__} has one decoder alone")
    if decoder:
        parser.set_params(decoder=decoder)
    path = treebank_file(sentences, "test")

    def given_up(sentence: "Sentence", words: list[int]) -> None:
        problem = f"no tree of this parser has all its heads, those of words {words} are given up"
        click.echo(f"{path}:{sentence.line}: sentence {sentence.sent_id}: {problem}", err=True)

    found = completed(
        parser,
        iter_conllu(path),
        keep_heads=keep_heads,
        nbest=nbest,
        marginals=marginals,
        report=given_up,
    )
    write_conllu(output, tqdm(found, Path(path).name, unit=" trees", disable=None))


@click.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@click.argument("sentences", metavar="IN")
@click.option("-o", "--output", type=_output, required=True, help="Where to.")
@click.option("--threads", type=click.IntRange(1), help="All processors if not given.")
def tag(model: str, sentences: str, output: str, threads: int | None) -> None:
    """Tag IN with a MODEL that `deppa train --model tagger` wrote.

    IN is a CoNLL-U file or the name of a corpus, of which the split test is taken; NAME:SPLIT names
    another. All but the tags is kept.
    """
    from tqdm.auto import tqdm

    from deppa_nb.corpus.conllu import iter_conllu, write_conllu
    from deppa_nb.corpus.sentence import Treebank
    from deppa_nb.models.tagger import Tagger

    tagger = Tagger.load(model).set_params(threads=threads)
    path = treebank_file(sentences, "test")
    rest = iter_conllu(path)
    chunks = iter(lambda: Treebank(tuple(islice(rest, _CHUNK))), Treebank(()))
    found = (sentence for chunk in chunks for sentence in tagger.predict(chunk))
    write_conllu(output, tqdm(found, Path(path).name, unit=" sentences", disable=None))


def treebank_file(text: str, split: str) -> str:
    """Return a file's path as it is, or the file of a corpus's split: NAME or NAME:SPLIT."""
    if Path(text).exists() and not Path(text).is_dir():
        return text
    from deppa_nb.corpus.registry import load
    from deppa_nb.errors import CorpusError

    name, colon, named = text.rpartition(":")
    corpus, split = (load(name), named) if colon else (load(text), split)
    if corpus.kind != "treebank":
        raise CorpusError(f"{corpus.name} has no trees (it is a {corpus.kind} corpus)")
    if split not in corpus.files:
        raise CorpusError(f"{corpus.name} has no split {split!r}, it has {', '.join(corpus.files)}")
    return str(corpus.files[split])
