"""Exact inference over trees and label sequences: arrays in, arrays out, compiled by numba.

Kernels trust their arguments; whoever calls them from Python checks shapes and values first
(`deppa_nb.models`). Scores are ``scores[head, dependent]`` with 0 the root, and minus infinity
forbids: forced heads and forbidden arcs are scores too (`constraints`).

================  ==========================================================================
first_order       projective trees with arc scores: log Z, marginals, the best tree
second_order      the same with adjacent siblings; `items` tells how charts and parts are laid out
forest            all projective trees as a hypergraph: the log domain, samples
kbest             the k best trees of a forest, lazily; `labelled_kbest`: with labels
arborescence      the best and the second-best spanning arborescence; `lawler`: the k best
matrix_tree       log Z and marginals over all trees; `tree_samples`: samples
chain             label sequences: log Z, marginals; `chain_paths`: best, k best, samples
slots             what features look at; `scoring`, `listed`: scores of all parts, of some parts
batches           scores, sums and best trees of many sentences; `learning`: steps from forests
labelling         labels of arcs, given the tree; `tagging`: tags of words
transition        states of a transition-based parser; `transition_limits`: what constraints allow
actions           the best trees of a beam of states, steps of a perceptron
margin            steps of MIRA from the k best labelled trees
derivations       shallow trees action by action: contexts, decision trees, beam search
edits             edit distance of sequences of parsing events
brown             clusters of words by what stands next to them
entropy           of any of these distributions
================  ==========================================================================

What begins with an underscore serves the others: `_jit` compiles, `_rows` has the inner loops,
`_float` the exponential, `_beam` the search; `_memory` asks for memory ahead, `_threads` lets
threads meet.
"""
