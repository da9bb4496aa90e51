"""The kinds of figures: their names in options and documents."""

from typing import Final

LINE: Final = "line"
HEATMAP: Final = "heatmap"
BOX: Final = "box"
CDF: Final = "cdf"
KINDS: Final = (LINE, HEATMAP, BOX, CDF)
