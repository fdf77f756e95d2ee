/**
 * Functional equivalence of call sequences (PRPF eq. 29). {@link dev.prpf.eval.judge.Judge} is the interface, {@link
 * dev.prpf.eval.judge.JudgeOptions} opens one: {@link dev.prpf.eval.judge.Judge.ExactJudge} compares normal forms, {@link dev.prpf.eval.judge.LlmJudge}
 * asks a language model, on a server or in this process.
 *
 * <p>Flow: {@link dev.prpf.eval.judge.Judge.Case}s become {@link dev.prpf.eval.judge.Judge.Verdict}s, in order; those of one sample become its
 * {@link dev.prpf.eval.judge.SampleVerdict}, a line of {@code verdicts.jsonl}; two such files have an {@link dev.prpf.eval.judge.Agreement}.
 *
 * <p>Invariants: an abstention is never a "no". An unreachable server is an exception, never a verdict. Every answer of a model is in the
 * journal before it is read.
 */
@NullMarked
package dev.prpf.eval.judge;

import org.jspecify.annotations.NullMarked;
