package dev.prpf.base.report;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a {@link ReportPage} is given as a whole; texts are plain, the page escapes them. */
public sealed interface Block {
    /**
     * One metric to see first.
     *
     * @param label what it is
     * @param value as shown
     * @param detail interval, denominator or unit
     */
    record KeyFact(String label, String value, String detail) implements Block {}

    /**
     * A drawing.
     *
     * @param caption what it shows; also its text for a screen reader
     * @param svg an {@code <svg>} element, made by {@link BarChart} or {@link LineChart}
     */
    record Drawing(String caption, String svg) implements Block {}

    /**
     * One of many to browse; folded until it is asked for.
     *
     * @param title what it is
     * @param tags label to value, by which entries are chosen; all entries of a list have the same labels
     * @param images embedded into the page
     * @param facts label to text, in order
     */
    record Entry(String title, Map<String, String> tags, List<Path> images, Map<String, String> facts)
            implements Block {
        public Entry {
            tags = Collections.unmodifiableMap(new LinkedHashMap<>(tags));
            images = List.copyOf(images);
            facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
        }
    }

    /**
     * One sample to look at.
     *
     * @param title the sample's id and kind
     * @param images screenshots, oldest first; embedded into the page
     * @param facts label to text: trace, valid answers, prediction, in order
     * @param right whether the prediction was a success
     */
    record Exhibit(String title, List<Path> images, Map<String, String> facts, boolean right) implements Block {
        public Exhibit {
            images = List.copyOf(images);
            facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
        }
    }
}
