/**
 * Function-calling suites: requests with their own functions, answered by any reasoner and judged by the rules of their sources.
 *
 * <p>A {@link dev.prpf.eval.calls.CallSuite} is one class and its place in {@link dev.prpf.eval.calls.CallSuite#all}. Flow: its reader makes
 * {@link dev.prpf.eval.calls.CallTask}s of the files; {@link dev.prpf.eval.calls.CallRun} has a reasoner answer them, restartably;
 * {@link dev.prpf.eval.calls.CallScoring} judges answers, of a run or of a file, with each task's {@link dev.prpf.eval.calls.CallRule}, beside
 * baselines. Invariant: a malformed answer is wrong everywhere, and every task has one answer.
 */
@NullMarked
package dev.prpf.eval.calls;

import org.jspecify.annotations.NullMarked;
