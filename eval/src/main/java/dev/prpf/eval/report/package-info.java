/**
 * The pages of {@code eval}: {@link dev.prpf.eval.report.ScoreReport} fills a {@link dev.prpf.base.report.ReportPage} from {@link
 * dev.prpf.eval.score.Scores}, {@link dev.prpf.eval.report.RunReportPage} from several runs, {@link dev.prpf.eval.report.PipelineReport} from a
 * whole pipeline's products. {@link dev.prpf.eval.report.PublishedResults} are the papers' numbers, shown next to ours and marked; {@link
 * dev.prpf.eval.report.FailureList} selects failures to browse.
 */
@NullMarked
package dev.prpf.eval.report;

import org.jspecify.annotations.NullMarked;
