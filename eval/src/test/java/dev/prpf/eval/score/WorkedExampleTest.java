package dev.prpf.eval.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.data.BestMatch;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.eval.judge.Judge;
import dev.prpf.eval.score.ErrorAnalysis.ErrorCategory;
import dev.prpf.eval.score.ErrorAnalysis.MismatchPattern;
import dev.prpf.eval.score.ErrorAnalysis.Outcome;
import dev.prpf.par.cascade.Prediction;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Compares all metrics of thirty samples with values calculated by hand, worked-30.md. */
class WorkedExampleTest {
    private static final List<Map<String, String>> SAMPLES = new ArrayList<>();
    private static final List<Map<String, String>> VALUES = new ArrayList<>();

    @BeforeAll
    static void read() throws IOException {
        try (InputStream in =
                Objects.requireNonNull(WorkedExampleTest.class.getResourceAsStream("worked-30.md"), "worked-30.md")) {
            List<List<String>> rows = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith("|") && !line.startsWith("|---"))
                    .map(line -> Arrays.stream(line.substring(1).split("\\|"))
                            .map(String::strip)
                            .toList())
                    .toList();
            List<String> head = List.of();
            for (List<String> row : rows) {
                if (row.contains("id") || row.contains("pointer")) {
                    head = row;
                } else {
                    Map<String, String> cells = new LinkedHashMap<>();
                    for (int c = 0; c < row.size(); c++) {
                        cells.put(head.get(c), row.get(c));
                    }
                    (head.contains("id") ? SAMPLES : VALUES).add(cells);
                }
            }
        }
    }

    private static String cell(Map<String, String> row, String column) {
        return Objects.requireNonNullElse(row.get(column), "");
    }

    private static List<FunctionCall> calls(String notation) {
        if (notation.equals("-")) {
            return List.of();
        }
        return Arrays.stream(notation.split(" ")).map(WorkedExampleTest::call).toList();
    }

    private static FunctionCall call(String notation) {
        int open = notation.indexOf("(x=");
        return open < 0
                ? new FunctionCall(notation, Map.of())
                : new FunctionCall(
                        notation.substring(0, open),
                        Map.of("x", new TextNode(notation.substring(open + 3, notation.length() - 1))));
    }

    private static Sample sample(Map<String, String> row) {
        Trajectory trajectory = cell(row, "mod").equals("T")
                ? Trajectory.ofTexts(List.of("moment " + cell(row, "id")))
                : new Trajectory(List.of(new TraceStep.Screenshot(cell(row, "id") + ".png")));
        List<Recommendation> answers = Arrays.stream(cell(row, "answers").split(" / "))
                .map(answer -> new Recommendation("", calls(answer)))
                .toList();
        return new Sample(
                cell(row, "id"),
                Integer.parseInt(cell(row, "L")),
                "test",
                cell(row, "scenario"),
                Cases.CONTEXT,
                trajectory,
                answers);
    }

    private static Prediction prediction(Map<String, String> row) {
        String id = cell(row, "id");
        String predicted = cell(row, "predicted");
        if (cell(row, "route").equals("g")) {
            return Cases.gated(id);
        }
        return predicted.equals("!") ? Cases.malformed(id) : Cases.reasoned(id, calls(predicted));
    }

    private static Scores scores() {
        List<Sample> gold = SAMPLES.stream().map(WorkedExampleTest::sample).toList();
        Map<String, Prediction> predictions = Pairing.of(
                gold,
                "gold",
                SAMPLES.stream().map(WorkedExampleTest::prediction).toList(),
                "predictions");
        return new Scorer(ScenarioCatalogReader.shipped(), Judge.standard(), new Bootstrap(50, 1, 95))
                .score(gold, predictions, Cases.pool("a", "b", "c", "d", "e", "f"));
    }

    private static double fraction(String notation) {
        String[] parts = notation.split("/", 2);
        return Double.parseDouble(parts[0]) / (parts.length == 1 ? 1 : Double.parseDouble(parts[1]));
    }

    private static String kind(SampleScore score) {
        ErrorCategory category = ErrorCategory.of(score);
        if (category == null) {
            return "";
        }
        @Nullable List<String> predicted = score.predicted();
        return category == ErrorCategory.NON_EMPTY_MISMATCH
                ? MismatchPattern.of(
                                Objects.requireNonNull(predicted), score.match().answer())
                        .key()
                : category.key();
    }

    @Test
    void bothTablesAreRead() {
        assertThat(SAMPLES).hasSize(30);
        assertThat(VALUES).hasSizeGreaterThan(100);
    }

    @TestFactory
    Stream<DynamicTest> everySampleIsScoredAsByHand() {
        List<SampleScore> scores = scores().samples();
        return SAMPLES.stream()
                .map(row -> DynamicTest.dynamicTest("sample " + cell(row, "id"), () -> {
                    SampleScore score = scores.get(Integer.parseInt(cell(row, "id")) - 1);
                    BestMatch match = score.match();
                    assertThat(match.answer()).isEqualTo(BestMatch.names(calls(cell(row, "match"))));
                    assertThat(match.exact()).isEqualTo(cell(row, "TA").equals("1"));
                    assertThat(score.success()).isEqualTo(cell(row, "SR").equals("1"));
                    assertThat(match.overlap().precision()).isCloseTo(fraction(cell(row, "P")), within(1e-12));
                    assertThat(match.overlap().recall()).isCloseTo(fraction(cell(row, "R")), within(1e-12));
                    assertThat(match.overlap().f1()).isCloseTo(fraction(cell(row, "F1")), within(1e-12));
                    assertThat(Outcome.of(score).key()).isEqualTo(cell(row, "outcome"));
                    assertThat(kind(score)).isEqualTo(cell(row, "kind"));
                }));
    }

    @TestFactory
    Stream<DynamicTest> everyMetricIsTheOneWorkedOutByHand() {
        JsonNode json = JsonRecords.tree(scores());
        return VALUES.stream()
                .map(row -> DynamicTest.dynamicTest(cell(row, "pointer"), () -> {
                    JsonNode value = json.at(cell(row, "pointer"));
                    if (cell(row, "value").equals("null")) {
                        assertThat(value.isNull()).isTrue();
                    } else {
                        assertThat(value.isNumber()).as("%s is there", value).isTrue();
                        assertThat(value.doubleValue())
                                .as(cell(row, "working"))
                                .isCloseTo(Double.parseDouble(cell(row, "value")), within(5e-5));
                    }
                }));
    }
}
