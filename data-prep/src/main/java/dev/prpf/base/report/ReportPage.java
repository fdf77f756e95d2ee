package dev.prpf.base.report;

import dev.prpf.base.files.AtomicFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A report under construction: blocks in reading order, rendered as HTML and as Markdown. */
public final class ReportPage {
    private final String title;
    private final List<Block> blocks = new ArrayList<>();

    public ReportPage(String title) {
        this.title = title;
    }

    public ReportPage heading(String text) {
        return add(new Block.Heading(text));
    }

    public ReportPage paragraph(String text) {
        return add(new Block.Paragraph(text));
    }

    public ReportPage note(String text) {
        return add(new Block.Note(text));
    }

    public ReportPage bullets(List<String> items) {
        return add(new Block.Bullets(items));
    }

    public ReportPage keyFacts(List<Block.KeyFact> facts) {
        return add(new Block.KeyFacts(facts));
    }

    public ReportPage table(Table table) {
        return add(new Block.Tabular(table));
    }

    public ReportPage drawings(List<Block.Drawing> drawings) {
        return drawings.isEmpty() ? this : add(new Block.Drawings(drawings));
    }

    public ReportPage gallery(List<Block.Exhibit> exhibits) {
        return exhibits.isEmpty() ? this : add(new Block.Gallery(exhibits));
    }

    public ReportPage provenance(Map<String, String> facts) {
        return add(new Block.Provenance(facts));
    }

    /** Adds any block. */
    public ReportPage add(Block block) {
        blocks.add(block);
        return this;
    }

    public String title() {
        return title;
    }

    public List<Block> blocks() {
        return List.copyOf(blocks);
    }

    /** The page as one self-contained HTML document. */
    public String html() {
        return HtmlRendering.render(this);
    }

    /** The page as Markdown; drawings and pictures are named, not shown. */
    public String markdown() {
        return MarkdownRendering.render(this);
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
