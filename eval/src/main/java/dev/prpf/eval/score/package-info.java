/**
 * How good predictions are (PRPF Appendix B.3, C).
 *
 * <p>Flow: gold {@link dev.prpf.data.Sample}s and {@link dev.prpf.par.cascade.Prediction}s go into {@link
 * dev.prpf.eval.score.Scorer}, which makes one {@link dev.prpf.eval.score.SampleScore} a sample; every {@link
 * dev.prpf.eval.score.Metric} is a share or a mean over those, so that the point estimate and its {@link
 * dev.prpf.base.statistics.Bootstrap} interval have one definition. {@link dev.prpf.eval.score.ErrorAnalysis} sorts the same scores into
 * the paper's error categories.
 *
 * <p>Invariants: a sample without a prediction, a prediction without a sample, and an unlabelled sample are refused, never skipped; a
 * metric over nothing does not exist (null), it is not 0.
 */
@NullMarked
package dev.prpf.eval.score;

import org.jspecify.annotations.NullMarked;
