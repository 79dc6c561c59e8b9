"""Estimators and what they share: distributions over trees and label sequences."""
