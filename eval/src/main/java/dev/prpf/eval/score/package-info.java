/**
 * Scores predictions (PRPF Appendix B.3, C).
 *
 * <p>Flow: gold {@link dev.prpf.data.Sample}s and {@link dev.prpf.par.cascade.Prediction}s go into
 * {@link dev.prpf.eval.score.Scorer}, which returns one {@link dev.prpf.eval.score.SampleScore} per sample. Every
 * {@link dev.prpf.eval.score.Metric} is a mean of sample scores, so that estimate and {@link dev.prpf.base.statistics.Bootstrap}
 * interval have one definition. {@link dev.prpf.eval.score.ErrorAnalysis} sorts the scores into the paper's error categories.
 *
 * <p>Systems are compared on the same samples: {@link dev.prpf.eval.score.RunFiles} names predictions and the run that made them.
 * Their scores are in {@link dev.prpf.eval.score.SystemScores}, with a run for each seed. {@link
 * dev.prpf.eval.score.RunReport} compares all pairs, {@code McNemar} tests a pair, and {@code Holm} adjusts several p-values.
 *
 * <p>Invariants: the interval of a difference comes from pairs, never from two intervals. Unpaired or unlabelled
 * samples and unpaired predictions are errors, never skipped. A metric without samples is null, not 0.
 */
@NullMarked
package dev.prpf.eval.score;

import org.jspecify.annotations.NullMarked;
