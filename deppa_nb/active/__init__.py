"""Active learning: what to ask, who answers, what it costs, and the log of what people did."""
