package dev.prpf.par.serve.policy;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What limits are counted from.
 *
 * @param today interventions since the user's day began
 * @param last the last intervention
 * @param rejected the last rejection
 */
record History(int today, @Nullable Instant last, @Nullable Instant rejected) {}
