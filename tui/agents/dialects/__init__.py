"""Search tools as other agents know them: their names, parameters and answers over our engine."""
