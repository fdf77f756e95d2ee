package dev.prpf.base.report;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A block of a {@link ReportPage}; texts are plain, the page escapes them. */
public sealed interface Block {
    /**
     * A headline metric of the page.
     *
     * @param detail interval, denominator or unit
     */
    record KeyFact(String label, String value, String detail) implements Block {}

    /**
     * A drawing with a caption.
     *
     * @param caption the description; also the text for a screen reader
     * @param svg an {@code <svg>} element, made by {@link BarChart} or {@link LineChart}
     */
    record Drawing(String caption, String svg) implements Block {}

    /**
     * One of many entries to browse; folded until opened.
     *
     * @param tags label to value, for filtering; all entries of a list have the same labels
     * @param images embedded into the page
     */
    record Entry(String title, Map<String, String> tags, List<Path> images, Map<String, String> facts)
            implements Block {}

    /**
     * One sample in a gallery.
     *
     * @param title the sample's id and kind
     * @param images screenshots, oldest first; embedded into the page
     * @param facts label to text: trace, valid answers, prediction, in order
     * @param right whether the prediction was correct
     */
    record Exhibit(String title, List<Path> images, Map<String, String> facts, boolean right) implements Block {}
}
