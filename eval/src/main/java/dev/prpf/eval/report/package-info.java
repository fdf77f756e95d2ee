/**
 * Reports a person reads: one {@link dev.prpf.eval.report.ReportPage} of {@link dev.prpf.eval.report.Block}s, rendered as a
 * self-contained HTML page (no script, no external resource, light and dark, phone and print) and as Markdown.
 *
 * <p>{@link dev.prpf.eval.report.ScoreReport} fills a page from {@link dev.prpf.eval.score.Scores}, {@link
 * dev.prpf.eval.report.PipelineReport} from a whole pipeline's products. {@link dev.prpf.eval.report.BarChart} and {@link
 * dev.prpf.eval.report.LineChart} draw SVG that follows the page's colours.
 *
 * <p>Invariant: every text that comes from data is escaped where it is rendered, never before.
 */
@NullMarked
package dev.prpf.eval.report;

import org.jspecify.annotations.NullMarked;
