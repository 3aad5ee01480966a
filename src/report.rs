//! Outcomes, counters and timers; turned into remarks by the pipeline.
