"""3 Card Sic Bo as a table of its own: a shoe of cards in the place of a tumbler."""
