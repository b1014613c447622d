"""The tools, one a module. A module put here is found by itself."""
