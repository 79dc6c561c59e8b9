"""Exact inference over trees and label sequences: arrays in, arrays out, compiled by numba.

Kernels trust their arguments; whoever calls them from Python checks shapes and values first.
Scores are ``scores[head, dependent]`` with 0 the root, and minus infinity forbids.
"""
