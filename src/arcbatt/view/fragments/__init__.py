"""Objects as fragments of HTML, by subject; all that is large is bounded."""
