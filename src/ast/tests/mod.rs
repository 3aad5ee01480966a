//! Tests of loop generation: printed results checked by hand, and every result executed against its domain and schedule.
