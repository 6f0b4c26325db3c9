"""Running the bodies of a user's own ops: Python code that may raise, hang, print and give anything."""
