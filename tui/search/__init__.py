"""Finding: pattern, globs, ignore rules, walk, decoding and scan. Knows nothing of screens."""
