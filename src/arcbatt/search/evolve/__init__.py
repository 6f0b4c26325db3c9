"""Breeding: programs are edited and crossed, judged on a task, and the best of them are bred again."""
