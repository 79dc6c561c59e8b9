"""Notebooks run without a person, and what they leave behind."""
