"""The names that the engine knows, and how people read and write them."""
