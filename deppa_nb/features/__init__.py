"""Features: templates over atoms of tokens, hashed once for each token."""
