"""Sentences, trees, sequences and slots: read, written, checked, counted, found by name."""
