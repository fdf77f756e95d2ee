/**
 * Function-calling suites: requests with their own functions, answered by any reasoner and judged by the rules of their sources.
 *
 * <p>A {@link dev.prpf.eval.calls.CallSuite} is one class, listed in {@link dev.prpf.eval.calls.CallSuite#all}. Flow: its reader
 * creates {@link dev.prpf.eval.calls.CallTask}s from the files. {@link dev.prpf.eval.calls.CallRun} lets a reasoner answer them
 * and can resume. {@link dev.prpf.eval.calls.CallScoring} judges the answers of a run or a file by each task's
 * {@link dev.prpf.eval.calls.CallTask.CallRule} and adds baselines. Invariant: a malformed answer is always wrong, and every task has one
 * answer.
 */
@NullMarked
package dev.prpf.eval.calls;

import org.jspecify.annotations.NullMarked;
