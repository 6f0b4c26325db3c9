"""An environment whose values stay in the engine between lines, and the cache of uploaded values."""
