/**
 * Scores predictions (PRPF Appendix B.3, C).
 *
 * <p>Flow: gold {@link dev.prpf.data.Sample}s and {@link dev.prpf.par.cascade.Prediction}s go into
 * {@link dev.prpf.eval.score.Scorer}, which returns one {@link dev.prpf.eval.score.SampleScore} per sample. Every
 * {@link dev.prpf.eval.score.Metric} is a mean of sample scores, so that estimate and {@link dev.prpf.base.statistics.Bootstrap}
 * interval have one definition. {@link dev.prpf.eval.score.ErrorAnalysis} sorts the scores into the paper's error categories.
 *
 * <p>Invariants: unpaired or unlabelled samples and unpaired predictions are errors, never skipped. A metric without samples is
 * null, not 0.
 */
@NullMarked
package dev.prpf.eval.score;

import org.jspecify.annotations.NullMarked;
