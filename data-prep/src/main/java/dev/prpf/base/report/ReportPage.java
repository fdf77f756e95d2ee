package dev.prpf.base.report;

import dev.prpf.base.files.AtomicFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A report under construction: pieces in reading order, each as HTML and as Markdown. Texts are plain and escaped here. */
public final class ReportPage {
    private final String title;
    private final List<String> html = new ArrayList<>();
    private final List<String> markdown = new ArrayList<>();

    public ReportPage(String title) {
        this.title = title;
    }

    private ReportPage add(String asHtml, String asMarkdown) {
        html.add(asHtml);
        markdown.add(asMarkdown);
        return this;
    }

    /** A section's heading. */
    public ReportPage heading(String text) {
        return add("<h2>" + Html.escape(text) + "</h2>", "## " + Markdown.escape(text));
    }

    public ReportPage paragraph(String text) {
        return add("<p>" + Html.escape(text) + "</p>", Markdown.escape(text));
    }

    /** A remark that must not be missed. */
    public ReportPage note(String text) {
        return add("<p class=\"note\" role=\"note\">" + Html.escape(text) + "</p>", "> " + Markdown.escape(text));
    }

    public ReportPage bullets(List<String> items) {
        return add(Html.around("ul", "", items, item -> "<li>" + Html.escape(item) + "</li>"), Markdown.bullets(items));
    }

    /** The few metrics to see first. */
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

    /** Tables behind one line that opens them. */
    public ReportPage folded(String summary, List<Table> tables) {
        return add(
                "<details>\n<summary>" + Html.escape(summary) + "</summary>\n"
                        + tables.stream().map(Html::table).collect(Collectors.joining("\n")) + "\n</details>",
                tables.stream().map(table -> table.toMarkdown().stripTrailing()).collect(Collectors.joining("\n\n")));
    }

    /** Drawings side by side where the page is wide enough. */
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

    /** Samples to look at. */
    public ReportPage gallery(List<Block.Exhibit> exhibits) {
        return exhibits.isEmpty()
                ? this
                : add(
                        Html.around("div", " class=\"gallery\"", exhibits, Html::exhibit),
                        exhibits.stream().map(Markdown::exhibit).collect(Collectors.joining("\n\n")));
    }

    /** Entries behind one line each, to be chosen by their tags and searched. */
    public ReportPage browser(List<Block.Entry> entries) {
        return entries.isEmpty()
                ? this
                : add(
                        Html.around("div", " class=\"browser\"", entries, Html::entry),
                        entries.stream().map(Markdown::entry).collect(Collectors.joining("\n\n")));
    }

    /** What was done with what, to do it again. */
    public ReportPage provenance(Map<String, String> facts) {
        return add(Html.definitions("provenance", facts), Markdown.definitions(facts));
    }

    /** The page as one self-contained HTML document. */
    public String html() {
        return Html.document(title, String.join("\n", html));
    }

    /** The page as Markdown; drawings and images are named, not shown. */
    public String markdown() {
        return "# " + Markdown.escape(title) + "\n\n" + String.join("\n\n", markdown) + "\n";
    }

    /** Writes {@link #html()}, whole or not at all. */
    public void writeHtml(Path file) {
        AtomicFiles.writeText(file, html());
    }

    /** Writes {@link #markdown()}, whole or not at all. */
    public void writeMarkdown(Path file) {
        AtomicFiles.writeText(file, markdown());
    }
}
