/**
 * Suites of public human-labelled data with their scoring protocols; tables compare our rows with baselines and published ones.
 *
 * <p>A {@link dev.prpf.eval.suite.Suite} is one class, listed in {@link dev.prpf.eval.suite.GateSuite#all} (suites of function
 * calls are in {@code dev.prpf.eval.calls}); see docs/SUITES.md. Flow of a gate suite: a reader (such as
 * {@link dev.prpf.eval.suite.ProactiveBench}) creates {@link dev.prpf.eval.suite.DecisionPoint}s from the files in a
 * {@link dev.prpf.eval.suite.DataFolder}. Each {@link dev.prpf.eval.suite.GateTrainer} is trained and scored on
 * {@link dev.prpf.mpp.ensemble.NestedFolds}; thresholds and ensembles use inner scores only.
 * {@link dev.prpf.eval.suite.SuiteRow}s have metrics with intervals over whole groups. Invariant: no group is on both sides of a
 * split.
 */
@NullMarked
package dev.prpf.eval.suite;

import org.jspecify.annotations.NullMarked;
