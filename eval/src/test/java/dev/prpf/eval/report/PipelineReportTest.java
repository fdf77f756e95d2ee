package dev.prpf.eval.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.report.Block;
import dev.prpf.base.report.ReportPage;
import dev.prpf.base.report.TrainingCurves;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScenarioCatalog.Scenario;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.eval.report.PipelineReport.GateMetrics;
import dev.prpf.eval.report.PipelineReport.Limitations;
import dev.prpf.eval.score.BaselinePredictions;
import dev.prpf.eval.score.Pairing;
import dev.prpf.eval.score.Scorer;
import dev.prpf.eval.score.Scores;
import dev.prpf.mpp.tables.ThresholdReport;
import dev.prpf.mpp.threshold.TriggerThreshold;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.Prediction.Route;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

class PipelineReportTest {
    private static final List<FunctionCall> RIGHT =
            List.of(new FunctionCall("book", Map.of("city", new TextNode("武汉"))));
    private static final List<FunctionCall> OTHER_CITY =
            List.of(new FunctionCall("book", Map.of("city", new TextNode("北京"))));
    private static final FunctionPool POOL =
            new FunctionPool(List.of(new FunctionSpec("book", "books", List.of(), List.of())));
    private static final ScenarioCatalog CATALOG =
            new ScenarioCatalog(List.of(new Scenario("Transportation", "交通")), Map.of("book", "Transportation"));

    @TempDir
    Path directory;

    private static Sample sample(int i) {
        Trajectory trajectory = i % 2 == 0
                ? Trajectory.ofTexts(List.of("打开地图", "搜索 <车站>"))
                : new Trajectory(List.of(new TraceStep.Screenshot("p.png"), new TraceStep.Caption("返回")));
        List<Recommendation> answers = i % 3 == 0 ? List.of() : List.of(new Recommendation("订票", RIGHT));
        return new Sample("s" + i, 1 + i % 3, "test", null, new DeviceContext("a", "b", "c"), trajectory, answers);
    }

    private static Prediction prediction(int i) {
        return switch (i % 6) {
            case 0 -> new Prediction("s" + i, Route.SILENT, 0.1, Map.of(), null, List.of());
            case 1, 2 -> new Prediction("s" + i, Route.REASONED, 0.9, Map.of(), "r", List.of(RIGHT));
            case 3 -> new Prediction("s" + i, Route.REASONED, 0.6, Map.of(), "r", List.of(RIGHT));
            case 4 -> new Prediction("s" + i, Route.REASONED, 0.7, Map.of(), "r", List.of(OTHER_CITY));
            default -> new Prediction("s" + i, Route.REASONED, 0.8, Map.of(), "no grammar", null);
        };
    }

    private static final List<Sample> GOLD =
            IntStream.range(0, 60).mapToObj(PipelineReportTest::sample).toList();
    private static final Map<String, Prediction> PREDICTIONS = Pairing.of(
            GOLD,
            "g",
            IntStream.range(0, 60).mapToObj(PipelineReportTest::prediction).toList(),
            "p");

    private static Scores score(Map<String, Prediction> predictions) {
        return Scorer.standard(CATALOG).score(GOLD, predictions, POOL);
    }

    private Path run() throws IOException {
        List<String> lines = new ArrayList<>();
        for (int step = 1; step <= 20; step++) {
            lines.add("{\"step\":" + step + ",\"train_loss\":" + 2.0 / step + ",\"epoch\":\"x\"}");
        }
        Files.write(directory.resolve("metrics.jsonl"), lines);
        return directory;
    }

    private ReportPage page() throws IOException {
        Scores cascade = score(PREDICTIONS);
        List<TriggerThreshold.Point> curve = IntStream.rangeClosed(5, 95)
                .mapToObj(t -> new TriggerThreshold.Point(t / 100.0, 100 - t / 2.0, t))
                .toList();
        Map<String, Scores> systems = new LinkedHashMap<>();
        systems.put("cascade", cascade);
        systems.put("always_silent", score(Pairing.of(GOLD, "g", BaselinePredictions.alwaysSilent(GOLD), "p")));
        Map<String, GateMetrics> gates = new LinkedHashMap<>();
        gates.put("perceiver", new GateMetrics(90, 80));
        gates.put("tfidf_lr", new GateMetrics(91, 81));
        return new PipelineReport(systems, gates, Map.of("synth", 1.5, "encode", 4.5))
                .page(
                        "Quickstart",
                        "The data are synthetic: these numbers are no benchmark.",
                        List.of("It has seen nothing but generated text."))
                .heading("Training")
                .drawings(TrainingCurves.drawing("Loss", run(), List.of("train_loss", "dev_loss")))
                .drawings(List.of(
                        ThresholdReport.drawing(new TriggerThreshold(0.5, 75, 50, "recall >= 75", curve, null, null))))
                .heading("Samples")
                .gallery(SampleGallery.of(GOLD, PREDICTIONS, cascade, null, 1))
                .provenance(Map.of("seed", "42"));
    }

    private static Document parsed(String html) {
        try {
            String xml = html.replaceFirst("<!DOCTYPE html>", "");
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
        } catch (Exception e) {
            throw new AssertionError("the page is not well formed", e);
        }
    }

    @Test
    void thePageHoldsEveryPiece() throws IOException {
        String html = page().html();
        String text = parsed(html).getDocumentElement().getTextContent();
        assertThat(text)
                .contains(
                        "synthetic",
                        "cascade",
                        "always_silent",
                        "tfidf_lr",
                        "Limitations",
                        "Training",
                        "train_loss",
                        "threshold τ",
                        "Samples",
                        "搜索 <车站>",
                        "silence, by the gate",
                        "malformed: no grammar",
                        "encode",
                        "75.0",
                        "nothing but generated text",
                        "seed");
        assertThat(html).doesNotContain("dev_loss");
    }

    @Test
    void theLimitationsFollowFromTheMetrics() throws IOException {
        assertThat(Limitations.of(score(PREDICTIONS)))
                .anySatisfy(s -> assertThat(s).contains("Of 40 samples that need help it gets 50.0 % right"))
                .anySatisfy(s -> assertThat(s).contains("interrupts in 50.0 % of the 20 samples that need no help"))
                .anySatisfy(s -> assertThat(s).contains("In 10 samples it names the right functions"))
                .anySatisfy(s -> assertThat(s).contains("10 of 60 responses do not follow the grammar"))
                .anySatisfy(s -> assertThat(s).contains("50.0 % of text samples and 50.0 % of multimodal samples"))
                .anySatisfy(s -> assertThat(s)
                        .matches("Weakest scenario of those with at least \\d+ samples that need help:"
                                + " Transportation, right in 50\\.0 % of 40\\."));
        assertThat(page().markdown()).contains("tfidf\\_lr is as good as the perceiver or better");
    }

    @Test
    void theGalleryShowsEveryOutcomeRightAndWrong() {
        List<Block.Exhibit> exhibits = SampleGallery.of(GOLD, PREDICTIONS, score(PREDICTIONS), null, 1);
        assertThat(exhibits).extracting(Block.Exhibit::right).contains(true, false);
        assertThat(exhibits).extracting(Block.Exhibit::title).anyMatch(t -> t.contains("Argument error"));
        assertThat(exhibits).hasSizeLessThanOrEqualTo(8);
    }

    @Test
    void aScreenshotOutsideTheImageRootIsRefusedAndNeverEmbedded() throws IOException {
        Path images = Files.createDirectories(directory.resolve("images"));
        Files.copy(Path.of(System.getProperty("prpf.root", ".."), "README.md"), directory.resolve("secret.png"));
        Sample outside = new Sample(
                "s1",
                1,
                "test",
                null,
                new DeviceContext("a", "b", "c"),
                new Trajectory(List.of(new TraceStep.Screenshot("../secret.png"))),
                List.of());
        Map<String, Prediction> one = Map.of("s1", new Prediction("s1", Route.SILENT, 0.1, Map.of(), null, List.of()));
        Scores scores = Scorer.standard(null).score(List.of(outside), one, POOL);

        assertThatThrownBy(() -> SampleGallery.of(List.of(outside), one, scores, images, 1))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining("sample s1: image ../secret.png lies outside the image root " + images);
    }

    @Test
    void withoutASystemThereIsNothingToReport() {
        assertThatThrownBy(() -> new PipelineReport(Map.of(), Map.of(), Map.of()))
                .hasMessageContaining("needs at least one system");
    }

    @Test
    void curvesOfARunWithoutTheValueAreLeftOut() throws IOException {
        assertThat(TrainingCurves.drawing("c", run(), List.of("nothing"))).isEmpty();
        assertThat(TrainingCurves.keys(run())).containsExactly("train_loss");
    }

    @Test
    void thePageCanBeWrittenToLookAt() throws IOException {
        Path file =
                Path.of(System.getProperty("prpf.look", directory.toString())).resolve("pipeline.html");
        page().writeHtml(file);
        assertThat(file).content().endsWith("</html>\n");
    }
}
