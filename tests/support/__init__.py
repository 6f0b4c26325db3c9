"""What several test modules share: cases, small work, stand-ins, oracles. Imported as `support.<module>`."""
