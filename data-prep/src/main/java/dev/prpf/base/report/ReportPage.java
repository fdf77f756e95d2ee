package dev.prpf.base.report;

import dev.prpf.base.files.AtomicFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A report builder: blocks in reading order, rendered as HTML and as Markdown. Texts are plain and escaped here. */
public final class ReportPage {
    private final String title;
    private final List<String> html = new ArrayList<>();
    private final List<String> sections = new ArrayList<>();
    private final List<String> markdown = new ArrayList<>();

    public ReportPage(String title) {
        this.title = title;
    }

    private ReportPage add(String asHtml, String asMarkdown) {
        html.add(asHtml);
        markdown.add(asMarkdown);
        return this;
    }

    /** Adds a section's heading. */
    public ReportPage heading(String text) {
        sections.add(text);
        return add("<h2 id=\"s" + sections.size() + "\">" + Html.escape(text) + "</h2>", "## " + Markdown.escape(text));
    }

    public ReportPage paragraph(String text) {
        return add("<p>" + Html.escape(text) + "</p>", Markdown.escape(text));
    }

    /** Adds a highlighted note. */
    public ReportPage note(String text) {
        return add("<p class=\"note\" role=\"note\">" + Html.escape(text) + "</p>", "> " + Markdown.escape(text));
    }

    public ReportPage bullets(List<String> items) {
        return add(Html.around("ul", "", items, item -> "<li>" + Html.escape(item) + "</li>"), Markdown.bullets(items));
    }

    /** Adds the headline metrics. */
    public ReportPage keyFacts(List<Block.KeyFact> facts) {
        return add(
                Html.around("dl", " class=\"facts\"", facts, Html::fact),
                Markdown.bullets(facts.stream()
                        .map(fact -> fact.label() + ": " + fact.value() + " (" + fact.detail() + ")")
                        .toList()));
    }

    public ReportPage table(Table table) {
        return add(Html.table(table), table.toMarkdown().stripTrailing());
    }

    /** Adds tables that are folded under a summary line. */
    public ReportPage folded(String summary, List<Table> tables) {
        return add(
                "<details>\n<summary>" + Html.escape(summary) + "</summary>\n"
                        + tables.stream().map(Html::table).collect(Collectors.joining("\n")) + "\n</details>",
                tables.stream().map(table -> table.toMarkdown().stripTrailing()).collect(Collectors.joining("\n\n")));
    }

    /** Adds drawings, side by side on a wide page. */
    public ReportPage drawings(List<Block.Drawing> drawings) {
        return drawings.isEmpty()
                ? this
                : add(
                        Html.around("div", " class=\"drawings\"", drawings, Html::figure),
                        drawings.stream()
                                .map(drawing -> "*Figure: " + Markdown.escape(drawing.caption())
                                        + " (drawn in the HTML report)*")
                                .collect(Collectors.joining("\n\n")));
    }

    /** Adds a gallery of samples. */
    public ReportPage gallery(List<Block.Exhibit> exhibits) {
        return exhibits.isEmpty()
                ? this
                : add(
                        Html.around("div", " class=\"gallery\"", exhibits, Html::exhibit),
                        exhibits.stream().map(Markdown::exhibit).collect(Collectors.joining("\n\n")));
    }

    /** Adds folded entries that can be searched and filtered by tags. */
    public ReportPage browser(List<Block.Entry> entries) {
        return entries.isEmpty()
                ? this
                : add(
                        Html.around("div", " class=\"browser\"", entries, Html::entry),
                        entries.stream().map(Markdown::entry).collect(Collectors.joining("\n\n")));
    }

    /** Adds the facts needed to reproduce the report. */
    public ReportPage provenance(Map<String, String> facts) {
        return add(Html.definitions("provenance", facts), Markdown.definitions(facts));
    }

    /** Returns the page as one self-contained HTML document. */
    public String html() {
        return Html.document(title, Html.contents(sections) + String.join("\n", html));
    }

    /** Returns the page as Markdown; drawings and images are only named. */
    public String markdown() {
        return "# " + Markdown.escape(title) + "\n\n" + String.join("\n\n", markdown) + "\n";
    }

    /** Writes the HTML document atomically. */
    public void writeHtml(Path file) {
        AtomicFiles.writeText(file, html());
    }

    /** Writes NAME.md and NAME.html, each whole or not at all. */
    public void write(Path directory, String name) {
        AtomicFiles.writeText(directory.resolve(name + ".md"), markdown());
        writeHtml(directory.resolve(name + ".html"));
    }

    /** Renders parts of a page as Markdown. */
    static final class Markdown {
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
}
