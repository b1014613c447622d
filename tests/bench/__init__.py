"""Measurements beside those of other programs, taken in one run because machines are noisy."""
