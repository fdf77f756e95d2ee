/**
 * The perceiver (PRPF §3.3): a {@link dev.prpf.mpp.Perceiver} gives each sample a {@link dev.prpf.mpp.Perception}: whether an
 * intervention is due, and which scenarios apply. The scenarios narrow the function pool to a {@link dev.prpf.mpp.CandidatePool}.
 *
 * <p>Packages, each depending only on earlier ones: {@code network} (the network on DL4J), {@code calibration} (from logits to
 * probabilities), {@code gate} (metrics of decisions), {@code linear} (classifiers of texts), {@code split} (train, dev and test
 * samples). Then {@code perceive} (the trained perceiver), {@code ensemble}, {@code threshold}, {@code run} (files and
 * configuration), {@code training}, {@code tables} and {@code command}.
 */
@NullMarked
package dev.prpf.mpp;

import org.jspecify.annotations.NullMarked;
