package dev.prpf.base.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.report.LineChart.Axes;
import dev.prpf.base.report.LineChart.Line;
import dev.prpf.base.report.LineChart.Point;
import dev.prpf.base.statistics.Interval;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

class ReportPageTest {
    private static final String NASTY = "<script>alert(\"x\")</script> & 'q' \u0007 武汉 | * _";

    @TempDir
    Path directory;

    /** Parses the page as XML; pages use the common syntax of HTML and XML, so that this finds every error. */
    static Document parsed(String html) {
        try {
            String xml = html.replaceFirst("<!DOCTYPE html>", "");
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
        } catch (Exception e) {
            throw new AssertionError("the page is not well formed", e);
        }
    }

    /** First columns have the names of systems, which must be readable on a phone. */
    @Test
    void noWordOfAFirstColumnIsBroken() throws IOException {
        assertThat(Pattern.compile("th:first-child \\{[^}]*}")
                        .matcher(everything().html())
                        .results()
                        .map(MatchResult::group))
                .hasSizeGreaterThan(1)
                .noneMatch(rule -> rule.contains("anywhere") || rule.contains("break-all"));
    }

    private ReportPage everything() throws IOException {
        Path image = directory.resolve("<wide>.png");
        ImageIO.write(new BufferedImage(900, 300, BufferedImage.TYPE_INT_RGB), "png", image.toFile());
        Path broken = Files.writeString(directory.resolve("broken.png"), "no image");
        String bars = BarChart.svg(
                NASTY,
                List.of(NASTY, "FTR"),
                Map.of(NASTY, List.of(new BarChart.Bar(40.0, new Interval(30, 55)), new BarChart.Bar(null, null))));
        return new ReportPage(NASTY)
                .heading(NASTY)
                .paragraph(NASTY)
                .note(NASTY)
                .bullets(List.of(NASTY))
                .keyFacts(List.of(new Block.KeyFact(NASTY, NASTY, NASTY)))
                .table(new Table(NASTY, List.of(NASTY, "n"), List.of(new Table.Row(List.of(NASTY, ""), true))))
                .drawings(List.of(new Block.Drawing(NASTY, bars)))
                .folded(NASTY, List.of(new Table(NASTY, List.of(NASTY), List.of())))
                .browser(
                        List.of(new Block.Entry(NASTY, Map.of("outcome", NASTY), List.of(image), Map.of(NASTY, NASTY))))
                .gallery(List.of(new Block.Exhibit(NASTY, List.of(image, broken), Map.of(NASTY, NASTY), false)))
                .provenance(Map.of(NASTY, NASTY));
    }

    @Test
    void nothingFromTheDataBecomesMarkup() throws IOException {
        Document page = parsed(everything().html());
        assertThat(page.getElementsByTagName("script").getLength())
                .as("the page's own alone")
                .isEqualTo(1);
        assertThat(page.getElementsByTagName("script").item(0).getTextContent()).doesNotContain("alert");
        assertThat(page.getElementsByTagName("h2").item(0).getTextContent())
                .isEqualTo(NASTY.replace('\u0007', '\uFFFD'));
        assertThat(page.getElementsByTagName("table").getLength()).isEqualTo(2);
    }

    @Test
    void noScriptRunsButThePagesOwnWhateverStandsInTheData() throws Exception {
        Document page = parsed(everything().html());
        String script = page.getElementsByTagName("script").item(0).getTextContent();
        String hash = Base64.getEncoder()
                .encodeToString(MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8)));
        Element policy = (Element) page.getElementsByTagName("meta").item(2);
        assertThat(policy.getAttribute("http-equiv")).isEqualTo("Content-Security-Policy");
        assertThat(policy.getAttribute("content"))
                .contains("default-src 'none'", "img-src data:", "script-src 'sha256-" + hash + "'");
    }

    @Test
    void anEntryIsFoldedAndCarriesItsTags() throws IOException {
        Document page = parsed(everything().html());
        Element entry = (Element) page.getElementsByTagName("details").item(1);
        assertThat(entry.getAttribute("class")).isEqualTo("entry");
        assertThat(new ObjectMapper()
                        .readTree(entry.getAttribute("data-tags"))
                        .get("outcome")
                        .textValue())
                .isEqualTo(NASTY);
        assertThat(entry.getElementsByTagName("summary").item(0).getTextContent())
                .startsWith("<script>");
        assertThat(entry.getElementsByTagName("img").getLength()).isEqualTo(1);
        assertThat(new ReportPage("none").browser(List.of()).html()).doesNotContain("class=\"browser\"");
    }

    @Test
    void thePageNeedsNoOtherFile() throws IOException {
        String html = everything().html();
        assertThat(html).contains("data:image/png;base64,").doesNotContain("refresh", "<link", "@import", "url(");
        assertThat(html.replace("http://www.w3.org/2000/svg", "")).doesNotContain("http://", "https://");
    }

    @Test
    void aWideImageIsShrunkAndABrokenOneSaysSo() throws IOException {
        Document page = parsed(everything().html());
        Element image = (Element) page.getElementsByTagName("img").item(0);
        byte[] png = java.util.Base64.getDecoder()
                .decode(image.getAttribute("src").substring("data:image/png;base64,".length()));
        assertThat(ImageIO.read(new ByteArrayInputStream(png)).getWidth()).isEqualTo(360);
        assertThat(page.getDocumentElement().getTextContent()).contains("image broken.png cannot be read");
    }

    @Test
    void tablesAndDrawingsSpeakToScreenReaders() throws IOException {
        Document page = parsed(everything().html());
        Element table = (Element) page.getElementsByTagName("table").item(0);
        assertThat(table.getElementsByTagName("caption").getLength()).isEqualTo(1);
        assertThat(((Element) table.getElementsByTagName("th").item(0)).getAttribute("scope"))
                .isEqualTo("col");
        Element svg = (Element) page.getElementsByTagName("svg").item(0);
        assertThat(svg.getAttribute("role")).isEqualTo("img");
        assertThat(svg.getAttribute("aria-label")).isNotBlank();
    }

    @Test
    void markdownEscapesItsOwnMarkup() throws IOException {
        String markdown = everything().markdown();
        assertThat(markdown).startsWith("# \\<script\\>").contains("\\|", "\\*", "\\_", "> ", "| --- | ---: |");
        assertThat(markdown).doesNotContain("<script>");
    }

    @Test
    void aTablesRowsHaveItsColumns() {
        assertThatThrownBy(() -> new Table("t", List.of("a", "b"), List.of(Table.Row.of(List.of("x")))))
                .hasMessageContaining("2 columns")
                .hasMessageContaining("has 1");
    }

    @Test
    void aTableForATerminalIsAligned() {
        Table table = new Table(
                "c",
                List.of("name", "n"),
                List.of(Table.Row.of(List.of("a", "10")), Table.Row.of(List.of("bcdef", "2"))));
        assertThat(table.toText()).isEqualTo("c\nname    n\na      10\nbcdef   2\n");
    }

    @Test
    void barsHaveTheLengthOfTheirFigureAndMissingOnesSayWhy() {
        String svg = BarChart.svg(
                "d",
                List.of("SR", "FTR"),
                Map.of("g", List.of(new BarChart.Bar(50.0, null), new BarChart.Bar(null, null))));
        assertThat(svg).contains("width=\"154.0\"", ">50.0<", "no such sample");
    }

    @Test
    void linesSpanTheirAxes() {
        String svg = LineChart.svg(
                "d",
                new Axes("x", 0.0, 100.0, 2.0),
                List.of(new Line("a", List.of(new Point(1, 0), new Point(3, 100), new Point(2, Double.NaN)))));
        assertThat(svg).contains("points=\"46.0,214.0 350.0,26.0\"", "class=\"mark\"");
    }

    @Test
    void aChartWithoutPointsIsABug() {
        assertThatThrownBy(() -> LineChart.svg("d", new Axes("x", null, null, null), List.of()))
                .hasMessageContaining("nothing to draw");
    }

    @Test
    void aDrawingOnItsOwnCarriesItsColours() {
        String svg = LineChart.svg(
                "d", new Axes("x", null, null, 1.0), List.of(new Line("a", List.of(new Point(0, 0), new Point(1, 1)))));
        String file = SvgFile.standalone(svg);
        Document document = parsed(file);
        assertThat(document.getDocumentElement().getTagName()).isEqualTo("svg");
        assertThat(document.getElementsByTagName("style").item(0).getTextContent())
                .contains(".l0 { stroke: #0a6fc2; }", ".mark { stroke: #1b1f24;")
                .doesNotContain("var(");
        assertThat(document.getElementsByTagName("polyline").getLength()).isEqualTo(1);
    }
}
