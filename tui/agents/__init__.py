"""What agents talk to: tools over the engine that people use."""
