"""Objects as fragments of HTML, by subject; the size of every fragment is bounded."""
