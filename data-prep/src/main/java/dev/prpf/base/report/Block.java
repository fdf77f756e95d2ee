package dev.prpf.base.report;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One piece of a {@link ReportPage}; texts are plain, the renderings escape them. */
public sealed interface Block {
    /** A section's heading. */
    record Heading(String text) implements Block {}

    /** Running text. */
    record Paragraph(String text) implements Block {}

    /** A remark that must not be missed. */
    record Note(String text) implements Block {}

    /** A list. */
    record Bullets(List<String> items) implements Block {
        public Bullets {
            items = List.copyOf(items);
        }
    }

    /** The few figures to see first. */
    record KeyFacts(List<KeyFact> facts) implements Block {
        public KeyFacts {
            facts = List.copyOf(facts);
        }
    }

    /**
     * One figure to see first.
     *
     * @param label what it is
     * @param value as shown
     * @param detail interval, denominator or unit
     */
    record KeyFact(String label, String value, String detail) {}

    /**
     * A drawing.
     *
     * @param caption what it shows; also its text for a screen reader
     * @param svg an {@code <svg>} element, made by {@link BarChart} or {@link LineChart}
     */
    record Drawing(String caption, String svg) implements Block {}

    /** Drawings side by side where the page is wide enough. */
    record Drawings(List<Drawing> drawings) implements Block {
        public Drawings {
            drawings = List.copyOf(drawings);
        }
    }

    /** Samples to look at. */
    record Gallery(List<Exhibit> exhibits) implements Block {
        public Gallery {
            exhibits = List.copyOf(exhibits);
        }
    }

    /**
     * One sample to look at.
     *
     * @param title the sample's id and kind
     * @param pictures screenshots, oldest first; embedded into the page
     * @param facts label to text: trace, valid answers, prediction, in order
     * @param right whether the prediction was a success
     */
    record Exhibit(String title, List<Path> pictures, Map<String, String> facts, boolean right) {
        public Exhibit {
            pictures = List.copyOf(pictures);
            facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
        }
    }

    /** What was done with what, to do it again. */
    record Provenance(Map<String, String> facts) implements Block {
        public Provenance {
            facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
        }
    }

    /** A table as a block. */
    record Tabular(Table table) implements Block {}
}
