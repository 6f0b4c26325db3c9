"""Forms in which programs are written: functions, one-liners, batts."""
