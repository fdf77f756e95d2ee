/**
 * Suites: public human-labelled data with their honest protocol, our rows beside baselines and published ones.
 *
 * <p>{@code proactivebench}, {@code contextagent} and {@code knowu} (docs/SUITES.md). Flow: a reader ({@link dev.prpf.eval.suite.ProactiveBench},
 * {@link dev.prpf.eval.suite.ContextAgent}, {@link dev.prpf.eval.suite.KnowU}) makes {@link dev.prpf.eval.suite.DecisionPoint}s; each
 * {@link dev.prpf.eval.suite.GateTrainer} is trained and scored on nested folds, thresholds and mixtures being made of inner scores alone;
 * {@link dev.prpf.eval.suite.SuiteRow}s carry the figures with intervals over whole groups and the lead of ours on the same draws.
 * Invariant: nothing of a group stands on both sides of any split.
 */
@NullMarked
package dev.prpf.eval.suite;

import org.jspecify.annotations.NullMarked;
