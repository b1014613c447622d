"""Patches in: a change in any of its usual forms, placed in the files as they are now, becomes a plan."""
