"""What fills the terminal: one module a screen."""
