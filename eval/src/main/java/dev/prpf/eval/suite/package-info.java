/**
 * Suites: public human-labelled data with their honest protocol, our rows beside baselines and published ones.
 *
 * <p>{@code proactivebench} is ProactiveBench's gate task (docs/SUITES.md). Flow: {@link dev.prpf.eval.suite.ProactiveBench} reads
 * {@link dev.prpf.eval.suite.DecisionPoint}s; each {@link dev.prpf.eval.suite.GateTrainer} is trained and scored leaving one trace
 * out, thresholds being chosen on the training traces alone; {@link dev.prpf.eval.suite.SuiteRow}s carry the figures with
 * trace-bootstrap intervals. Invariant: no trace stands on both sides of any split.
 */
@NullMarked
package dev.prpf.eval.suite;

import org.jspecify.annotations.NullMarked;
