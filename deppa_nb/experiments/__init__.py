"""Experiments: validated parameters in, tidy data frames out."""
