package dev.prpf.base.report;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Renders parts of a page as Markdown. */
final class Markdown {
    private Markdown() {}

    /** Escapes markup characters and joins lines. */
    static String escape(String text) {
        return text.replaceAll("([\\\\`*_|<>\\[\\]])", "\\\\$1").replaceAll("\\R", " ");
    }

    static String bullets(List<String> items) {
        return items.stream().map(item -> "- " + escape(item)).collect(Collectors.joining("\n"));
    }

    static String definitions(Map<String, String> facts) {
        return bullets(facts.entrySet().stream()
                .map(fact -> fact.getKey() + ": " + fact.getValue())
                .toList());
    }

    static String entry(Block.Entry entry) {
        String tags = String.join(", ", entry.tags().values());
        return "### " + escape(entry.title() + ": " + tags) + "\n\n" + definitions(entry.facts());
    }

    static String exhibit(Block.Exhibit exhibit) {
        int images = exhibit.images().size();
        return "### " + escape(exhibit.title()) + (exhibit.right() ? " (right)" : " (wrong)") + "\n\n"
                + (images == 0 ? "" : "- images: " + images + "\n") + definitions(exhibit.facts());
    }
}
