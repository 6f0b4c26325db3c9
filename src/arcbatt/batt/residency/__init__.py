"""The environment whose values stay in the engine between lines, and the cache of what was brought there."""
