"""Active learning: what to ask, whom, what it costs, what an answer does to the learner."""
