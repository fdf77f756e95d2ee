/**
 * Comparison of systems on the same samples.
 *
 * <p>Flow: a {@link dev.prpf.eval.compare.RunFiles} names a set of predictions and the run that made it. Scored, it is one of the {@link
 * dev.prpf.eval.compare.SystemScores}, which hold a run for each seed. {@link dev.prpf.eval.compare.RunReport} compares all pairs of systems and
 * lists differences in their {@link dev.prpf.eval.compare.Provenance}. {@code McNemar} tests a pair, {@code Holm} adjusts several p-values.
 *
 * <p>Invariants: all systems are scored on the same samples in the same order; a difference has its interval from pairs, never from two
 * intervals.
 */
@NullMarked
package dev.prpf.eval.compare;

import org.jspecify.annotations.NullMarked;
