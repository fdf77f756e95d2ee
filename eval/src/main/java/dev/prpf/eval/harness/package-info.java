/**
 * Scores in the files of lm-evaluation-harness 0.4 (EleutherAI), for programs that read those: {@link dev.prpf.eval.harness.HarnessFiles}
 * writes {@code results_DATE.json} and {@code samples_TASK_DATE.jsonl} of one system. {@link dev.prpf.eval.harness.HarnessSample} is a line of
 * the second, {@link dev.prpf.eval.harness.HarnessResults} the first.
 *
 * <p>Invariants: metrics are fractions from 0 to 1 as there; a metric's result is the mean over the lines that have it.
 */
@NullMarked
package dev.prpf.eval.harness;

import org.jspecify.annotations.NullMarked;
