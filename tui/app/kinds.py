"""The kinds of things in a source text that have a colour of their own; each is a style `syntax-KIND`."""

KINDS = ("keyword", "string", "comment", "number", "function", "type", "operator")
