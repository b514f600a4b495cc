"""Text for people: tables, analyses, rules and games in progress."""

from gops.display.analysis import analysis_text, mix_text
from gops.display.game import bids_text, outcome_text, round_text, scores_text
from gops.display.rules import rules_text
from gops.display.text import bar, card_name, suit_of, table

__all__ = [
    "analysis_text",
    "bar",
    "bids_text",
    "card_name",
    "mix_text",
    "outcome_text",
    "round_text",
    "rules_text",
    "scores_text",
    "suit_of",
    "table",
]
