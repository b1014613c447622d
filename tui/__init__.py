"""Redline: find, read and change code safely."""

__version__ = "0.1.0"
