"""The files that a command line names for its results."""

import os
from dataclasses import dataclass

from arcbatt.errors import ArcbattError
from arcbatt.files import is_database


@dataclass(frozen=True)
class Files:
    """A file for lines of JSON, one for an archive, and whether the run that they hold goes on."""

    json: str | None = None
    archive: str | None = None
    resume: bool = False

    def __post_init__(self) -> None:
        if self.resume and self.json in (None, "-") and self.archive is None:
            raise ArcbattError("--resume needs the results so far; name their file with --archive or --json")
        if self.json is None or self.json == "-":
            return
        if self.archive is not None and os.path.realpath(self.json) == os.path.realpath(self.archive):
            raise ArcbattError(f"{self.json}: cannot be archive and lines of JSON at once; name two files")
        if is_database(self.json):
            raise ArcbattError(f"{self.json}: is a database, maybe an archive; name another file for --json")

    @property
    def any(self) -> bool:
        """Whether results are written anywhere."""
        return self.json is not None or self.archive is not None
