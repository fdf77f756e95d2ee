/**
 * The perceiver (PRPF §3.3): a {@link dev.prpf.mpp.Perceiver} gives each sample a {@link dev.prpf.mpp.Perception} (whether an
 * intervention is due, and which scenarios apply), whose scenarios narrow the function pool to a {@link dev.prpf.mpp.CandidatePool}.
 *
 * <p>Rooms, each knowing only those before it: {@code network} (the network on DL4J; ND4J arrays stay there), {@code calibration} (from
 * logits to probabilities), {@code gate} (metrics of decisions), {@code split} (what each sample is used for), {@code perceive} (the
 * trained perceiver, also one frame at a time), {@code threshold} (τ and its rules), {@code run} (a run's files and configuration), {@code training}, {@code tables}
 * (what the paper reports), {@code bench}, {@code command}.
 */
@NullMarked
package dev.prpf.mpp;

import org.jspecify.annotations.NullMarked;
