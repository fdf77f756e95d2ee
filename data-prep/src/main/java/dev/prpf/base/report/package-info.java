/**
 * Reports a person reads: one {@link dev.prpf.base.report.ReportPage} of {@link dev.prpf.base.report.Block}s, rendered as a
 * self-contained HTML page (no script, no external resource, light and dark, phone and print) and as Markdown.
 *
 * <p>{@link dev.prpf.base.report.BarChart}, {@link dev.prpf.base.report.LineChart} and {@link dev.prpf.base.report.StackedBars} draw
 * SVG that follows the page's colours; {@link dev.prpf.base.report.SvgFile} makes a file of its own of such a drawing.
 *
 * <p>Invariant: every text that comes from data is escaped where it is rendered, never before.
 */
@NullMarked
package dev.prpf.base.report;

import org.jspecify.annotations.NullMarked;
