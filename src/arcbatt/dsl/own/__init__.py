"""Running the bodies of user-defined ops: Python code that may raise, hang, print and return anything."""
