package dev.prpf.par.serve.policy;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The past events that the limits count.
 *
 * @param today interventions since the user's day began
 * @param last time of the last intervention
 * @param rejected time of the last rejection
 */
record History(int today, @Nullable Instant last, @Nullable Instant rejected) {}
