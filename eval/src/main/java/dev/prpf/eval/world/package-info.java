/**
 * Episodes of scenarios and traces: {@code eval world} plays scenarios, {@code eval episodes} imports, shows and scores episodes. {@code EpisodeRunner} lets a user
 * and an assistant take turns; {@code WorldRun} plays many episodes into one file. {@link dev.prpf.eval.world.EpisodeScore} is a score. {@code
 * EpisodeMetrics} counts one episode, either as PARE's code counts or strictly; {@code DayMetrics} counts goals and offers.
 *
 * <p>Invariants: a figure that the source does not determine is null, never 0. Equal seeds give equal files but for measured seconds, also after a stop.
 */
@NullMarked
package dev.prpf.eval.world;

import org.jspecify.annotations.NullMarked;
