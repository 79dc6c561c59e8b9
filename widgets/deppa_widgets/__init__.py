"""Widgets with which a person annotates in a notebook."""
