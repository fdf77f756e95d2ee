package dev.prpf.eval.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.mpp.ensemble.NestedFolds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContextAgentTest {
    private static final String GOOD =
            "{\"Vision\": \"a man cooks\", \"Audio\": \"\", \"Mobile api data\": [\"noon\"], "
                    + "\"Proactive score\": 4, \"Proactive index\": \"true\", \"Context information\": \"given away\"}";

    @TempDir
    Path folder;

    private List<DecisionPoint> read(String json) throws IOException {
        Files.writeString(folder.resolve("cab_train.json"), json);
        return ContextAgent.read(data());
    }

    private DataFolder data() {
        return new DataFolder(folder, ContextAgent.SUITE.source());
    }

    private void assertRefused(String record, String message) {
        assertThatThrownBy(() -> read("{\"a\": " + GOOD + ", \"b\": " + record + "}"))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining("cab_train.json at /b")
                .hasMessageContaining(message)
                .hasMessageContaining("openaiotlab/ContextAgent at commit 6ef60ce8");
    }

    @Test
    void theReleasedFileHolds600RecordsOf598Groups() {
        List<DecisionPoint> points = ContextAgent.read(RealData.contextAgent());

        assertThat(points).hasSize(600);
        assertThat(points.stream().filter(DecisionPoint::helpNeeded)).hasSize(302);
        assertThat(NestedFolds.positionsByKey(DecisionPoint.groups(points))).hasSize(598);
        NestedFolds folds = ContextAgent.folds(points);
        for (NestedFolds.OuterSplit split : folds.splits()) {
            List<String> held =
                    split.held().stream().map(i -> points.get(i).group()).toList();
            List<String> trained =
                    split.outside().stream().map(i -> points.get(i).group()).toList();
            assertThat(held).hasSizeBetween(119, 121).doesNotContainAnyElementsOf(trained);
        }
    }

    @Test
    void onlyWhatIsPerceivedIsUsed() throws IOException {
        DecisionPoint point = read("{\"a\": " + GOOD + "}").get(0);

        assertThat(point.lastText()).isEqualTo("a man cooks");
        assertThat(point.context()).containsExactly("", "noon", "");
        assertThat(point.words()).isEqualTo("noon\na man cooks").doesNotContain("given away");
        assertThat(point.helpNeeded()).isTrue();
    }

    @Test
    void aScoreOfThreeIsDueAndOfTwoIsNot() throws IOException {
        String three = GOOD.replace(": 4", ": 3").replace("\"true\"", "\"medium\"");
        String two = GOOD.replace(": 4", ": 2").replace("\"true\"", "\"false\"");
        List<DecisionPoint> points = read("{\"a\": " + three + ", \"b\": " + two + "}");

        assertThat(points).extracting(DecisionPoint::helpNeeded).containsExactly(true, false);
        assertThat(points).extracting(DecisionPoint::group).containsExactly("record 0", "record 0");
    }

    @Test
    void recordsOfTheSameWords_shareAGroup() throws IOException {
        String loud = GOOD.replace("a man cooks", "A MAN, cooks! (a man)").replace("[\"noon\"]", "\"Noon.\"");
        String other = GOOD.replace("a man cooks", "烹饪 2 eggs, élan").replace("noon", "3");
        List<DecisionPoint> points = read("{\"a\": " + GOOD + ", \"b\": " + loud + ", \"c\": " + other + ", \"d\": "
                + other.replace("烹饪 2 eggs, élan", "ÉLAN; eggs 2 烹饪") + "}");

        assertThat(points)
                .extracting(DecisionPoint::group)
                .containsExactly("record 0", "record 0", "record 2", "record 2");
    }

    @Test
    void aBadRecordIsNamedWithPlaceValueAndRule() {
        assertRefused(GOOD.replace("\"a man cooks\"", "7"), "/Vision: is 7, must be a text");
        assertRefused(GOOD.replace("a man cooks", " "), "/Vision: is blank");
        assertRefused(GOOD.replace("\"Audio\": \"\", ", ""), "/Audio: is missing, must be a text");
        assertRefused(GOOD.replace("[\"noon\"]", "[12]"), "/Mobile api data: contains 12");
        assertRefused(GOOD.replace("[\"noon\"]", "{}"), "/Mobile api data: is {}");
        assertRefused(GOOD.replace(": 4", ": 6"), "/Proactive score: is 6, must be a whole number from 1 to 5");
        assertRefused(GOOD.replace(": 4", ": 4.0"), "/Proactive score: is 4.0");
        assertRefused(GOOD.replace(": 4", ": 1"), "/Proactive index: is \"true\" with a score of 1");
        assertRefused("[]", "/Vision: is missing");
    }

    @Test
    void aFileThatIsNoObjectOfRecordsIsRefused() {
        assertThatThrownBy(() -> read("[]")).hasMessageContaining("at /: is [], must be an object of records");
        assertThatThrownBy(() -> read("{\"a\": {},\n \"a\": {}}"))
                .hasMessageContaining("line 2: is not JSON (Duplicate");
        assertThatThrownBy(() -> read("{\"a\": ")).hasMessageContaining("is not JSON");
        assertThatThrownBy(
                        () -> ContextAgent.read(new DataFolder(folder.resolve("absent"), ContextAgent.SUITE.source())))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.UNAVAILABLE))
                .hasMessageContaining("cab_train.json is missing");
    }
}
