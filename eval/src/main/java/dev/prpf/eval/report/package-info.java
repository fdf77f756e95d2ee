/**
 * The pages of {@code eval}: {@link dev.prpf.eval.report.ScoreReport} fills a {@link dev.prpf.base.report.ReportPage} from {@link
 * dev.prpf.eval.score.Scores}, {@link dev.prpf.eval.report.PipelineReport} from a whole pipeline's products.
 */
@NullMarked
package dev.prpf.eval.report;

import org.jspecify.annotations.NullMarked;
