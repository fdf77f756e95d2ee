/**
 * Scores of imported episodes. {@code eval episodes} imports, shows and scores them; {@link dev.prpf.eval.world.EpisodeScore} is the result. {@code
 * EpisodeMetrics} counts one episode, either as PARE's code counts or strictly.
 *
 * <p>Invariant: a figure that the source does not determine is null, never 0.
 */
@NullMarked
package dev.prpf.eval.world;

import org.jspecify.annotations.NullMarked;
