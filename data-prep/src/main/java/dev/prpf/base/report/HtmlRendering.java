package dev.prpf.base.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;

/** A page as one HTML document. */
final class HtmlRendering {
    private HtmlRendering() {}

    static String render(ReportPage page) {
        String title = Html.escape(page.title());
        return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>" + title
                + "</title>\n<style>\n" + style() + "</style>\n</head>\n<body>\n<main>\n<h1>" + title + "</h1>\n"
                + page.blocks().stream().map(HtmlRendering::block).collect(Collectors.joining("\n"))
                + "\n</main>\n</body>\n</html>\n";
    }

    /** The page's style sheet. */
    static String style() {
        try (InputStream css = HtmlRendering.class.getResourceAsStream("page.css")) {
            if (css == null) {
                throw new IllegalStateException("page.css is missing beside " + HtmlRendering.class.getName());
            }
            return new String(css.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String block(Block block) {
        if (block instanceof Block.Heading heading) {
            return "<h2>" + Html.escape(heading.text()) + "</h2>";
        }
        if (block instanceof Block.Paragraph paragraph) {
            return "<p>" + Html.escape(paragraph.text()) + "</p>";
        }
        if (block instanceof Block.Note note) {
            return "<p class=\"note\" role=\"note\">" + Html.escape(note.text()) + "</p>";
        }
        if (block instanceof Block.Bullets bullets) {
            return bullets.items().stream()
                    .map(item -> "<li>" + Html.escape(item) + "</li>")
                    .collect(Collectors.joining("\n", "<ul>\n", "\n</ul>"));
        }
        if (block instanceof Block.KeyFacts facts) {
            return facts.facts().stream()
                    .map(HtmlRendering::fact)
                    .collect(Collectors.joining("\n", "<dl class=\"facts\">\n", "\n</dl>"));
        }
        if (block instanceof Block.Tabular tabular) {
            return table(tabular.table());
        }
        if (block instanceof Block.Drawing drawing) {
            return figure(drawing);
        }
        if (block instanceof Block.Drawings drawings) {
            return drawings.drawings().stream()
                    .map(HtmlRendering::figure)
                    .collect(Collectors.joining("\n", "<div class=\"drawings\">\n", "\n</div>"));
        }
        if (block instanceof Block.Gallery gallery) {
            return gallery.exhibits().stream()
                    .map(HtmlRendering::exhibit)
                    .collect(Collectors.joining("\n", "<div class=\"gallery\">\n", "\n</div>"));
        }
        return definitions("provenance", ((Block.Provenance) block).facts());
    }

    private static String fact(Block.KeyFact fact) {
        return "<div><dt>" + Html.escape(fact.label()) + "</dt><dd class=\"value\">" + Html.escape(fact.value())
                + "</dd><dd class=\"detail\">" + Html.escape(fact.detail()) + "</dd></div>";
    }

    private static String figure(Block.Drawing drawing) {
        return "<figure>" + drawing.svg() + "<figcaption>" + Html.escape(drawing.caption()) + "</figcaption></figure>";
    }

    private static String table(Table table) {
        String caption = Html.escape(table.caption());
        StringBuilder html = new StringBuilder("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
        html.append(caption).append("\"><table><caption>").append(caption).append("</caption>\n<thead><tr>");
        table.columns().forEach(column -> html.append("<th scope=\"col\">")
                .append(Html.escape(column))
                .append("</th>"));
        html.append("</tr></thead>\n<tbody>\n");
        table.rows().forEach(row -> html.append(row(row)));
        return html.append("</tbody></table></div>").toString();
    }

    private static String row(Table.Row row) {
        StringBuilder html = new StringBuilder(row.emphasised() ? "<tr class=\"emphasised\">" : "<tr>");
        for (int c = 0; c < row.cells().size(); c++) {
            String cell = Html.escape(row.cells().get(c));
            html.append(c == 0 ? "<th scope=\"row\">" + cell + "</th>" : "<td>" + cell + "</td>");
        }
        return html.append("</tr>\n").toString();
    }

    private static String exhibit(Block.Exhibit exhibit) {
        String verdict =
                exhibit.right() ? "<span class=\"right\">✓ right</span>" : "<span class=\"wrong\">✗ wrong</span>";
        String pictures = exhibit.pictures().isEmpty()
                ? ""
                : exhibit.pictures().stream()
                        .map(EmbeddedPicture::img)
                        .collect(Collectors.joining("", "<div class=\"pictures\" tabindex=\"0\">", "</div>"));
        return "<article><h3>" + Html.escape(exhibit.title()) + "</h3><p class=\"verdict\">" + verdict + "</p>"
                + pictures + definitions("facts-of-sample", exhibit.facts()) + "</article>";
    }

    private static String definitions(String style, Map<String, String> facts) {
        return facts.entrySet().stream()
                .map(fact -> "<dt>" + Html.escape(fact.getKey()) + "</dt><dd>" + Html.escape(fact.getValue()) + "</dd>")
                .collect(Collectors.joining("\n", "<dl class=\"" + style + "\">\n", "\n</dl>"));
    }
}
