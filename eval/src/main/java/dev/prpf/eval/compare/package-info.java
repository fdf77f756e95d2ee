/**
 * Any number of systems on the same samples beside each other.
 *
 * <p>Flow: a {@link dev.prpf.eval.compare.RunFiles} names a set of predictions and the run that made it; scored, it is a run of a {@link
 * dev.prpf.eval.compare.SystemScores}, of which several with other seeds make one system. {@link dev.prpf.eval.compare.RunReport} compares
 * all pairs of systems and says by {@link dev.prpf.eval.compare.Provenance} what differs in how they were made.
 *
 * <p>Invariants: all systems are scored on the same samples in the same order; a difference has its interval from pairs, never from two
 * intervals.
 */
@NullMarked
package dev.prpf.eval.compare;

import org.jspecify.annotations.NullMarked;
