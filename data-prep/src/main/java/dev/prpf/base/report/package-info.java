/**
 * Reports for people: a {@link dev.prpf.base.report.ReportPage} of {@link dev.prpf.base.report.Block}s, rendered as
 * self-contained HTML (no external resource, light and dark, phone and print) and as Markdown.
 *
 * <p>{@link dev.prpf.base.report.BarChart}, {@link dev.prpf.base.report.LineChart} and {@link dev.prpf.base.report.StackedBars}
 * draw SVG in the page's colours; {@link dev.prpf.base.report.SvgFile} writes a drawing to a file.
 *
 * <p>Invariant: every text that comes from data is escaped where it is rendered, never before.
 */
@NullMarked
package dev.prpf.base.report;

import org.jspecify.annotations.NullMarked;
