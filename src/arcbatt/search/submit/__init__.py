"""Submissions: given programs run on all tasks, and the best two outputs of each test input are handed in."""
