package dev.prpf.base.report;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A page as Markdown. */
final class MarkdownRendering {
    private MarkdownRendering() {}

    static String render(ReportPage page) {
        return page.blocks().stream()
                .map(MarkdownRendering::block)
                .collect(Collectors.joining("\n\n", "# " + escape(page.title()) + "\n\n", "\n"));
    }

    /** Text that stays text: markup characters escaped, one line. */
    static String escape(String text) {
        return text.replaceAll("([\\\\`*_|<>\\[\\]])", "\\\\$1").replaceAll("\\R", " ");
    }

    private static String block(Block block) {
        if (block instanceof Block.Heading heading) {
            return "## " + escape(heading.text());
        }
        if (block instanceof Block.Paragraph paragraph) {
            return escape(paragraph.text());
        }
        if (block instanceof Block.Note note) {
            return "> " + escape(note.text());
        }
        if (block instanceof Block.Bullets bullets) {
            return bullets(bullets.items());
        }
        if (block instanceof Block.KeyFacts facts) {
            return bullets(facts.facts().stream()
                    .map(fact -> fact.label() + ": " + fact.value() + " (" + fact.detail() + ")")
                    .toList());
        }
        if (block instanceof Block.Tabular tabular) {
            return tabular.table().toMarkdown().stripTrailing();
        }
        if (block instanceof Block.Drawing drawing) {
            return "*Figure: " + escape(drawing.caption()) + " (drawn in the HTML report)*";
        }
        if (block instanceof Block.Drawings drawings) {
            return drawings.drawings().stream().map(MarkdownRendering::block).collect(Collectors.joining("\n\n"));
        }
        if (block instanceof Block.Gallery gallery) {
            return gallery.exhibits().stream().map(MarkdownRendering::exhibit).collect(Collectors.joining("\n\n"));
        }
        return definitions(((Block.Provenance) block).facts());
    }

    private static String exhibit(Block.Exhibit exhibit) {
        String pictures = exhibit.pictures().isEmpty()
                ? ""
                : "- pictures: " + exhibit.pictures().size() + "\n";
        return "### " + escape(exhibit.title()) + (exhibit.right() ? " (right)" : " (wrong)") + "\n\n" + pictures
                + definitions(exhibit.facts());
    }

    private static String definitions(Map<String, String> facts) {
        return facts.entrySet().stream()
                .map(fact -> "- " + escape(fact.getKey()) + ": " + escape(fact.getValue()))
                .collect(Collectors.joining("\n"));
    }

    private static String bullets(List<String> items) {
        return items.stream().map(item -> "- " + escape(item)).collect(Collectors.joining("\n"));
    }
}
