"""Raw text that is cut into words: a sentence a line, spaces between words."""

from pathlib import Path

from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.corpus.textfile import PathLike, lines
from deppa_nb.errors import CorpusError

__all__ = ["read_tokens"]


def read_tokens(path: PathLike) -> Treebank:
    r"""Return the sentences of a text file, nothing of which is annotated.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "my.txt")
    >>> _ = path.write_text("Fish swim .\n\nBirds fly .\n")
    >>> [sentence.text for sentence in read_tokens(path)]
    ['Fish swim .', 'Birds fly .']
    """
    name = Path(path).stem
    sentences = [
        Sentence.of(words, sent_id=f"{name}-{number}")
        for number, line in lines(path)
        if (words := line.split())
    ]
    if not sentences:
        raise CorpusError(f"{path}: no words in it")
    return Treebank(tuple(sentences), name, path=str(path))
