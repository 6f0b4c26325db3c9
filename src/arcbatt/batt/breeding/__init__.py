"""Making a population of batts, and counting what it did."""
