"""Every error a user can cause: one class per kind, one line that says what, where, got, expected.

>>> raise FormatError("train.conllu", 412, "HEAD 19 is past the sentence's last token 17")
Traceback (most recent call last):
    ...
deppa_nb.errors.FormatError: train.conllu:412: HEAD 19 is past the sentence's last token 17
"""

from os import PathLike

__all__ = [
    "ArgumentError",
    "CorpusError",
    "DeppaError",
    "EvaluationError",
    "FetchError",
    "FormatError",
    "MissingCorpusError",
    "NoTreeError",
    "ParameterError",
    "PoolError",
    "RunError",
    "TreeError",
    "one_line",
]


class DeppaError(Exception):
    """Base of all errors that are the input's fault; the message is a line for a person."""


class FormatError(DeppaError):
    """A file is not what it should be, at a line that is named."""

    def __init__(self, path: str | PathLike[str], line: int | None, problem: str) -> None:
        self.path, self.line, self.problem = str(path), line, problem
        super().__init__(f"{path}: {problem}" if line is None else f"{path}:{line}: {problem}")

    def __reduce__(self) -> tuple[type, tuple[str, int | None, str]]:
        return type(self), (self.path, self.line, self.problem)


class TreeError(DeppaError):
    """Heads that form no tree."""


class NoTreeError(TreeError):
    """Constraints that no tree satisfies."""


class ArgumentError(DeppaError, ValueError):
    """An array of the wrong shape or with values that make no sense."""


class CorpusError(DeppaError):
    """A corpus that is not known, not complete, or not the one the registry describes."""


class MissingCorpusError(CorpusError):
    """A corpus that is known, but not on this machine."""


class FetchError(CorpusError):
    """A download that did not arrive or is not the file that was registered."""


class EvaluationError(DeppaError):
    """Gold and predicted files that cannot be compared."""


class ParameterError(DeppaError):
    """A parameter that is unknown, of the wrong type or out of range."""


class PoolError(DeppaError):
    """An answer that does not fit what is known of a sentence."""


class RunError(DeppaError):
    """A notebook or a run that failed."""


def one_line(error: BaseException) -> str:
    """Return what an error says, in a line; with its class, unless it is one of ours.

    >>> one_line(KeyError("x")), one_line(RunError("no  way"))
    ("KeyError: 'x'", 'no way')
    """
    text = " ".join(str(error).split())
    known = isinstance(error, DeppaError) and text
    return text if known else f"{type(error).__name__}: {text}".removesuffix(": ")
