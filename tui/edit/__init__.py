"""Changing: plan, replacement, line edits, diff, apply, journal, undo. Only `apply` writes files."""
