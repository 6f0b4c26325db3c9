"""The files that a command line names for its results."""

from dataclasses import dataclass

from arcbatt.errors import ArcbattError


@dataclass(frozen=True)
class Files:
    """A file for lines of JSON, one for an archive, and whether the run that they hold goes on."""

    json: str | None = None
    archive: str | None = None
    resume: bool = False

    def __post_init__(self) -> None:
        if self.resume and self.json in (None, "-") and self.archive is None:
            raise ArcbattError("--resume needs the results so far; name their file with --archive or --json")

    @property
    def any(self) -> bool:
        """Whether results are written anywhere."""
        return self.json is not None or self.archive is not None
