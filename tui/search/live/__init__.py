"""The live search session: the workspace's text kept in memory, and every keystroke answered from it."""
