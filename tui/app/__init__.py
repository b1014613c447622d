"""The Textual app: screens and widgets over the engine. Nothing below it knows Textual."""
