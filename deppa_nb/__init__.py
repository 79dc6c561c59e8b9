"""Active learning for parsing with partial annotation.

>>> import deppa_nb as dp
>>> sentence = dp.Sentence.of(["Fish", "swim"], heads=[2, -1])
>>> sentence.is_full
False
"""

from importlib.metadata import version

import lazy_loader

__version__ = version("deppa_nb")

# What the package offers is listed in __init__.pyi and imported when first used: the command line
# answers at once, and a notebook pays for what it needs.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
