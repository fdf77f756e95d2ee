package dev.prpf.eval.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.eval.suite.ProactiveBenchTasks.ProposalHeads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProactiveBenchTasksTest {
    @TempDir
    Path folder;

    private DataFolder made() throws IOException {
        MadeBenchmarks.proactiveBench(folder);
        return DataFolder.of(ProactiveBenchTasks.SUITE, folder, Map.of());
    }

    private static SuiteResult result(ProactiveBenchTasks tasks) {
        List<DecisionPoint> points = tasks.proposals().stream()
                .map(ProactiveBenchTasks.Proposal::point)
                .toList();
        return tasks.result(BaselineGates.naiveBayes(), EventVectors.of(points, LetterEncoder.LETTERS));
    }

    private static SuiteRow row(SuiteResult.SuiteTable table, String name) {
        return MadePoints.rows(table).stream()
                .filter(row -> row.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aProposalIsOneRowWithItsTaskAsContext() throws IOException {
        List<ProactiveBenchTasks.Proposal> proposals =
                ProactiveBenchTasks.read(made()).proposals();

        assertThat(proposals).hasSize(78 + 4);
        assertThat(proposals).filteredOn(ProactiveBenchTasks.Proposal::test).hasSize(4);
        assertThat(proposals.get(0).point().context()).hasSize(3);
        assertThat(proposals.get(0).task()).startsWith("Find ");
        assertThat(proposals.get(0).point().words()).startsWith("Find ");
        assertThat(proposals.get(1).proposesTask()).isFalse();
        assertThat(proposals.get(1).point().helpNeeded())
                .as("nothing is right where nothing is due")
                .isNotEqualTo(proposals.get(1).helpNeeded());
    }

    @Test
    void theLookupKnowsEveryTestRowThatStandsInTheTrainingFileToo() throws IOException {
        SuiteRow lookup = row(
                result(ProactiveBenchTasks.read(made())).primary(),
                "lookup of the training rows, released split (leaks)");

        assertThat(lookup.accuracy()).isEqualTo(100.0);
        assertThat(lookup.auc()).isNull();
    }

    @Test
    void theTablesHoldBothSplitsAndThePublishedFigures() throws IOException {
        SuiteResult result = result(ProactiveBenchTasks.read(made()));

        assertThat(MadePoints.rows(result.primary()))
                .extracting(SuiteRow::name)
                .contains(
                        "MPP, two heads, one trace held out",
                        "TF-IDF + LR, one head, one trace held out",
                        "MPP, two heads, released split (leaks)",
                        "the paper's reward model, released split (leaks)");
        assertThat(MadePoints.rows(result.primary()))
                .filteredOn(SuiteRow::primary)
                .singleElement()
                .satisfies(row -> assertThat(row.n()).isEqualTo(4));
        assertThat(result.secondary()).singleElement().satisfies(table -> assertThat(table.n())
                .isEqualTo(39 + 2));
        assertThat(result.notes().get(0)).startsWith("Agreement of the primary row by released category: ");
    }

    @Test
    void theJsonHasBothTables() throws IOException {
        JsonNode json = JsonRecords.tree(result(ProactiveBenchTasks.read(made())));

        assertThat(json.path("n").asInt()).isEqualTo(4);
        assertThat(json.at("/secondary/0/n").asInt()).isEqualTo(41);
        assertThat(json.at("/secondary/0/rows")).isNotEmpty();
        assertThat(json.path("rows"))
                .filteredOn(row -> row.path("kind").asText().equals("published"))
                .hasSize(5)
                .allSatisfy(row -> {
                    assertThat(row.path("n").asInt()).isEqualTo(120);
                    assertThat(row.path("auc").isNull()).isTrue();
                });
    }

    @Test
    void eachHeadSeesItsOwnRowsAlone() throws IOException {
        List<DecisionPoint> points = ProactiveBenchTasks.read(made()).proposals().stream()
                .map(ProactiveBenchTasks.Proposal::point)
                .toList();
        GateTrainer counting = training -> test -> {
            assertThat(training.stream().map(point -> point.context().isEmpty()).distinct())
                    .hasSize(1);
            assertThat(test).allSatisfy(point -> assertThat(point.context().isEmpty())
                    .isEqualTo(training.get(0).context().isEmpty()));
            return test.stream().mapToDouble(point -> training.size()).toArray();
        };

        double[] scores = ProposalHeads.two(counting).train(points).score(points);

        assertThat(scores).hasSize(82).containsOnly(41);
    }

    @Test
    void aRowWithoutVerdictIsRefusedWithFileLineAndKey() throws IOException {
        DataFolder data = made();
        Path file = data.find("reward_data").resolve("test_data.jsonl");
        Files.writeString(file, Files.readString(file).replaceFirst("\"valid\":(true|false)", "\"valid\":null"));
        assertThatThrownBy(() -> ProactiveBenchTasks.read(data))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining("test_data.jsonl at line 1/valid: is null, must be true or false");
        Files.writeString(file, "");
        assertThatThrownBy(() -> ProactiveBenchTasks.read(data)).hasMessageContaining("holds no rows");
    }

    @Test
    void theReleasedRowsAreAllRead() {
        ProactiveBenchTasks tasks = ProactiveBenchTasks.read(RealData.proactiveBench());

        assertThat(tasks.proposals()).hasSize(1749);
        assertThat(tasks.proposals())
                .filteredOn(ProactiveBenchTasks.Proposal::test)
                .hasSize(120);
    }

    /** Takes half a minute of CPU time; the same test on synthetic rows is {@link #theTablesHoldBothSplitsAndThePublishedFigures}. */
    @Test
    @Tag("nightly")
    void theReleasedRowsComeOutAsDocumented() {
        SuiteResult result = result(ProactiveBenchTasks.read(RealData.proactiveBench()));

        SuiteResult.SuiteTable table = result.primary();
        assertThat(f1(table, "always")).isEqualTo(66.67, within(0.01));
        assertThat(f1(table, "TF-IDF + LR, two heads, one trace held out")).isEqualTo(67.24, within(1.0));
        assertThat(f1(table, "TF-IDF + LR, two heads, released split (leaks)")).isEqualTo(67.69, within(1.0));
        assertThat(f1(table, "lookup of the training rows, released split (leaks)"))
                .isEqualTo(86.44, within(0.01));
        assertThat(result.secondary().get(0).n()).isEqualTo(1447);
    }

    private static double f1(SuiteResult.SuiteTable table, String name) {
        return Objects.requireNonNull(row(table, name).f1());
    }
}
