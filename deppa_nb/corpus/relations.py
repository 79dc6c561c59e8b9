"""The relations of Universal Dependencies 2, offered where no others are known."""

__all__ = ["RELATIONS"]

RELATIONS = tuple(
    "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse aux cop "
    "mark nmod appos nummod acl amod det clf case conj cc fixed flat compound list parataxis "
    "orphan goeswith reparandum punct root dep".split()
)
"""All 37."""
