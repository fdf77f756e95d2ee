/**
 * Episodes: what happened between a user, an assistant and a phone, step by step, in one format for all sources. An {@link
 * dev.prpf.data.episode.Episode} is a header and {@link dev.prpf.data.episode.EpisodeStep}s. {@link dev.prpf.data.episode.EpisodeFile} reads and
 * writes them as JSON Lines. An {@link dev.prpf.data.episode.Episode.Source} converts the files of a benchmark.
 *
 * <p>Invariants: steps are numbered from 0, time does not run back unless the clock is {@code order}, and the last step is the end.
 * Prompts and answers of models are not part of an episode.
 */
@NullMarked
package dev.prpf.data.episode;

import org.jspecify.annotations.NullMarked;
