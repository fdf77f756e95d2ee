package dev.prpf.base.report;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.Resource;
import dev.prpf.base.image.EncodedImage;
import dev.prpf.base.image.Pixels;
import dev.prpf.base.json.JsonRecords;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.commons.codec.digest.DigestUtils;
import org.apache.commons.text.StringEscapeUtils;

/** Renders parts of a page as HTML that is also XML. */
final class Html {
    private static final Pattern FORBIDDEN =
            Pattern.compile("[^\\t\\n\\r\\x20-\\x{D7FF}\\x{E000}-\\x{FFFD}\\x{10000}-\\x{10FFFF}]");

    /** Maximum width of an image in pixels. */
    private static final int WIDEST = 360;

    private Html() {}

    /** Escapes text or an attribute's value: markup characters become entities, characters that XML forbids U+FFFD. */
    static String escape(String text) {
        return StringEscapeUtils.escapeXml10(FORBIDDEN.matcher(text).replaceAll("\uFFFD"));
    }

    /** Returns links to the sections of a page, numbered from 1; nothing for fewer than three. */
    static String contents(List<String> sections) {
        if (sections.size() < 3) {
            return "";
        }
        StringBuilder links = new StringBuilder("<nav aria-label=\"Contents\">\n<ul>\n");
        for (int i = 0; i < sections.size(); i++) {
            links.append("<li><a href=\"#s")
                    .append(i + 1)
                    .append("\">")
                    .append(escape(sections.get(i)))
                    .append("</a></li>\n");
        }
        return links.append("</ul>\n</nav>\n").toString();
    }

    static String document(String title, String content) {
        return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>" + escape(title)
                + "</title>\n" + policy() + "<style>\n" + style() + "</style>\n</head>\n<body>\n<main>\n<h1>"
                + escape(title)
                + "</h1>\n" + content + "\n</main>\n<script>" + script() + "</script>\n</body>\n</html>\n";
    }

    /** Returns the content security policy: no requests, and no script except the page's own. */
    private static String policy() {
        byte[] hash = DigestUtils.sha256(script().getBytes(StandardCharsets.UTF_8));
        return "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src"
                + " 'unsafe-inline'; script-src 'sha256-" + Base64.getEncoder().encodeToString(hash) + "'\"/>\n";
    }

    static String style() {
        return Resource.text(Html.class, "page.css");
    }

    /** Returns the script that sorts and filters tables and entries. It must be valid XML: no less-than, no ampersand. */
    private static String script() {
        return Resource.text(Html.class, "page.js");
    }

    /** Wraps one line per value in an element. */
    static <T> String around(String tag, String attributes, Collection<T> values, Function<T, String> piece) {
        return values.stream()
                .map(piece)
                .collect(Collectors.joining("\n", "<" + tag + attributes + ">\n", "\n</" + tag + ">"));
    }

    static String fact(Block.KeyFact fact) {
        return "<div><dt>" + escape(fact.label()) + "</dt><dd class=\"value\">" + escape(fact.value())
                + "</dd><dd class=\"detail\">" + escape(fact.detail()) + "</dd></div>";
    }

    static String figure(Block.Drawing drawing) {
        return "<figure>" + drawing.svg() + "<figcaption>" + escape(drawing.caption()) + "</figcaption></figure>";
    }

    static String table(Table table) {
        String caption = escape(table.caption());
        String head = table.columns().stream()
                .map(column -> "<th scope=\"col\">" + escape(column) + "</th>")
                .collect(Collectors.joining("", "<thead><tr>", "</tr></thead>\n"));
        return "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" + caption + "\"><table><caption>"
                + caption + "</caption>\n" + head + around("tbody", "", table.rows(), Html::row) + "</table></div>";
    }

    private static String row(Table.Row row) {
        StringBuilder html = new StringBuilder(row.emphasised() ? "<tr class=\"emphasised\">" : "<tr>");
        for (int c = 0; c < row.cells().size(); c++) {
            String cell = escape(row.cells().get(c));
            html.append(c == 0 ? "<th scope=\"row\">" + cell + "</th>" : "<td>" + cell + "</td>");
        }
        return html.append("</tr>").toString();
    }

    static String entry(Block.Entry entry) {
        String tags = entry.tags().values().stream()
                .map(tag -> "<span class=\"tag\">" + escape(tag) + "</span>")
                .collect(Collectors.joining(" "));
        String images = entry.images().isEmpty()
                ? ""
                : around("div", " class=\"images\" tabindex=\"0\"", entry.images(), Html::img);
        return "<details class=\"entry\" data-tags=\"" + escape(JsonRecords.write(entry.tags())) + "\"><summary>"
                + escape(entry.title()) + " " + tags + "</summary>" + images
                + definitions("facts-of-sample", entry.facts()) + "</details>";
    }

    static String exhibit(Block.Exhibit exhibit) {
        String verdict =
                exhibit.right() ? "<span class=\"right\">✓ right</span>" : "<span class=\"wrong\">✗ wrong</span>";
        String images = exhibit.images().isEmpty()
                ? ""
                : around("div", " class=\"images\" tabindex=\"0\"", exhibit.images(), Html::img);
        return "<article><h3>" + escape(exhibit.title()) + "</h3><p class=\"verdict\">" + verdict + "</p>" + images
                + definitions("facts-of-sample", exhibit.facts()) + "</article>";
    }

    static String definitions(String style, Map<String, String> facts) {
        return around(
                "dl",
                " class=\"" + style + "\"",
                facts.entrySet(),
                fact -> "<dt>" + escape(fact.getKey()) + "</dt><dd>" + escape(fact.getValue()) + "</dd>");
    }

    /** Returns an {@code <img>} with embedded data, or a note if the file cannot be read. */
    private static String img(Path file) {
        String name = Html.escape(file.getFileName().toString());
        try {
            byte[] png = shrunk(EncodedImage.of(file).pixels()).png();
            return "<img alt=\"screenshot " + name + "\" src=\"data:image/png;base64,"
                    + Base64.getEncoder().encodeToString(png) + "\"/>";
        } catch (PrpfException unreadable) {
            return "<p>image " + name + " cannot be read</p>";
        }
    }

    private static Pixels shrunk(Pixels image) {
        if (image.width() <= WIDEST) {
            return image;
        }
        int height = Math.max(1, image.height() * WIDEST / image.width());
        BufferedImage small = new BufferedImage(WIDEST, height, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = small.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
        graphics.drawImage(image.image(), 0, 0, WIDEST, height, null);
        graphics.dispose();
        return Pixels.of(small);
    }
}
