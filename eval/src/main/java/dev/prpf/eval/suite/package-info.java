/**
 * Suites: public human-labelled data with their honest protocol, our rows beside baselines and published ones.
 *
 * <p>A {@link dev.prpf.eval.suite.Suite} is one class and its place in a list ({@link dev.prpf.eval.suite.GateSuite#all}; suites of function
 * calls are {@code dev.prpf.eval.calls}); see docs/SUITES.md. Flow of those that
 * score a gate: a reader ({@link dev.prpf.eval.suite.ProactiveBench}, {@link dev.prpf.eval.suite.ContextAgent}, {@link
 * dev.prpf.eval.suite.KnowU}) makes {@link dev.prpf.eval.suite.DecisionPoint}s of the files in a {@link dev.prpf.eval.suite.DataFolder}; each
 * {@link dev.prpf.eval.suite.GateTrainer} is trained and scored on {@link dev.prpf.mpp.ensemble.NestedFolds}, thresholds and ensembles being
 * made of inner scores alone; {@link dev.prpf.eval.suite.SuiteRow}s carry the metrics with intervals over whole groups and the lead of ours
 * on the same draws. Invariant: nothing of a group stands on both sides of any split.
 */
@NullMarked
package dev.prpf.eval.suite;

import org.jspecify.annotations.NullMarked;
