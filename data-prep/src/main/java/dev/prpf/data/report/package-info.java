/**
 * Reports a person reads: one {@link dev.prpf.data.report.ReportPage} of {@link dev.prpf.data.report.Block}s, rendered as a
 * self-contained HTML page (no script, no external resource, light and dark, phone and print) and as Markdown.
 *
 * <p>{@link dev.prpf.data.report.BarChart}, {@link dev.prpf.data.report.LineChart} and {@link dev.prpf.data.report.StackedBars} draw
 * SVG that follows the page's colours; {@link dev.prpf.data.report.SvgFile} makes a file of its own of such a drawing.
 *
 * <p>Invariant: every text that comes from data is escaped where it is rendered, never before.
 */
@NullMarked
package dev.prpf.data.report;

import org.jspecify.annotations.NullMarked;
