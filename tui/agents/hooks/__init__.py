"""Agents that edit files themselves: their edits caught before they are made, and reviewed."""
