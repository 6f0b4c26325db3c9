"""Solvers ranked by demo samples and differs, where user code finds it."""

from arcbatt.engine.scoring.scores import Baseline as Baseline
from arcbatt.engine.scoring.scores import Score as Score
from arcbatt.engine.scoring.scores import Scorer as Scorer
from arcbatt.engine.scoring.scores import Scores as Scores
from arcbatt.engine.scoring.scores import score as score
from arcbatt.engine.scoring.scores import select as select
