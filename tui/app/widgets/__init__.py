"""Parts of screens. They know neither the screens nor the app."""
