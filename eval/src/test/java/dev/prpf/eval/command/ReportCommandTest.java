package dev.prpf.eval.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.cli.CommandProcess;
import dev.prpf.cli.CommandWorker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code eval report} in another process: what scripts see. */
@Tag("slow")
class ReportCommandTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int N = 12;

    private final Path directory = CommandWorker.emptyFolder();

    @BeforeEach
    void writeInputs() throws IOException {
        Files.writeString(
                directory.resolve("pool.json"),
                "{\"book\":{\"name\":\"book\",\"description\":\"d\",\"similar\":[],\"parameters\":{}}}");
        List<String> gold = new ArrayList<>();
        for (int i = 0; i < N; i++) {
            gold.add("{\"benchmark_metadata\":{\"id\":\"s" + i + "\",\"difficulty_level\":" + (1 + i % 3)
                    + "},\"reference_information\":{\"profile\":\"p\",\"phone\":\"d\",\"world\":\"w\",\"trace\":[\"step "
                    + i
                    + "\"]},\"recommendations\":"
                    + (i % 2 == 0
                            ? "[]"
                            : "[{\"instruction\":\"x\",\"functions\":[{\"name\":\"book\",\"parameters\":{}}]}]")
                    + "}");
        }
        Files.writeString(directory.resolve("gold.json"), "[" + String.join(",", gold) + "]");
        run("a", 6, "5");
        run("b", 10, "3");
    }

    /** Writes a run with the first {@code right} predictions correct and the others of the wrong kind. */
    private void run(String name, int right, String shortlist) throws IOException {
        Path run = Files.createDirectories(directory.resolve(name));
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < N; i++) {
            boolean acts = (i % 2 == 1) == (i < right);
            lines.add("{\"id\":\"s" + i
                    + "\",\"route\":\"reasoned\",\"p_trigger\":0.9,\"scenarios\":{},\"response\":\"r\"," + "\"calls\":"
                    + (acts ? "[[{\"name\":\"book\",\"parameters\":{}}]]" : "[]") + "}");
        }
        Files.write(run.resolve("predictions.jsonl"), lines);
        Files.writeString(
                run.resolve("run.json"),
                "{\"command\":\"eval run\",\"arguments\":[\"--data\",\"gold.json\",\"--pool\",\"pool.json\"],\"data_sha256\":\""
                        + AtomicFiles.sha256(directory.resolve("gold.json"))
                        + "\",\"predictions\":\"predictions.jsonl\",\"model_sha256\":\"" + name
                        + "\",\"state\":\"done\"}");
        Files.writeString(
                run.resolve("config.resolved.yaml"), "gate: false\ncompress: true\nshortlist: " + shortlist + "\n");
    }

    private CommandProcess.Result report(String... arguments) {
        List<String> all = new ArrayList<>(List.of("eval", "report"));
        all.addAll(Arrays.asList(arguments));
        return CommandWorker.run(all.toArray(String[]::new));
    }

    @Test
    void runsAreComparedWithoutNamingTheirFiles() throws IOException {
        CommandProcess.Result result = report("old=a", "new=b", "--json", "--out", "report", "--resamples", "200");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        JsonNode json = JSON.readTree(result.stdout());
        assertThat(json.fieldNames())
                .toIterable()
                .containsExactlyInAnyOrder(
                        "n",
                        "units",
                        "cluster_by",
                        "resamples",
                        "seed",
                        "level",
                        "judge",
                        "systems",
                        "comparisons",
                        "differences",
                        "shortlist",
                        "notes");
        assertThat(json.at("/systems/0/name").textValue()).isEqualTo("old");
        assertThat(json.at("/systems/0/runs/0/overall/sr").doubleValue()).isEqualTo(50);
        assertThat(json.at("/systems/0/runs/0/ci/sr").size()).isEqualTo(2);
        assertThat(json.at("/systems/0/over_seeds").isNull()).isTrue();
        JsonNode sr = json.at("/comparisons/0/metrics/sr");
        assertThat(sr.fieldNames()).toIterable().containsExactly("n", "first", "second", "difference", "ci", "mcnemar");
        assertThat(sr.at("/mcnemar/second").intValue()).isEqualTo(4);
        assertThat(sr.at("/mcnemar/p").doubleValue()).isBetween(0.124, 0.126);
        assertThat(json.get("differences").findValuesAsText("fact"))
                .containsExactly("model_sha256", "config.shortlist");
        assertThat(json.get("shortlist").findValuesAsText("k")).containsExactly("3", "5");
        String html = Files.readString(directory.resolve("report/report.html"));
        assertThat(html)
                .contains(
                        "new less old, points",
                        "PRPF Table 9, L1",
                        "published",
                        "this report",
                        "By the size of the candidate pool")
                .doesNotContain("src=\"http", "href=\"http", "@import", "url(");
        assertThat(directory.resolve("report/report.md")).content().startsWith("# 2 systems on 12 samples");
        assertThat(JSON.readTree(directory.resolve("report/report.json").toFile())
                        .at("/provenance/judge")
                        .textValue())
                .isEqualTo("exact");
    }

    @Test
    void severalRunsBehindOneNameAreSeedsAndFilesNeedNoRun() throws IOException {
        Files.copy(directory.resolve("a/predictions.jsonl"), directory.resolve("c.jsonl"));
        CommandProcess.Result result =
                report("seeds=a,b", "c.jsonl", "--gold", "gold.json", "--pool", "pool.json", "--resamples", "50");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        assertThat(result.stdout())
                .contains(
                        "66.67 ± 23.57",
                        "c.jsonl less seeds, points",
                        "Note: c.jsonl: no run.json next to its predictions");
    }

    @Test
    void seedsAreNamedWhereRunsStandAloneAndShownAsMeansWhereSystemsDo() throws IOException {
        CommandProcess.Result result = report("seeds=a,b", "alone=a", "--json", "--out", "report", "--resamples", "50");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        JsonNode shortlist = JSON.readTree(result.stdout()).get("shortlist");
        assertThat(shortlist.findValuesAsText("k")).containsExactly("3", "5", "5");
        assertThat(shortlist.findValuesAsText("name")).containsExactly("seeds #2", "seeds #1", "alone");
        assertThat(directory.resolve("report/report.html"))
                .content()
                .startsWith("<!DOCTYPE html>")
                .contains("2 systems on 12 samples", "seeds #1, n = 12", "seeds #2, n = 12", "alone, n = 12");
        assertThat(directory.resolve("report/report.md"))
                .content()
                .as("next to the published rows")
                .containsPattern("\\*\\*seeds\\*\\* \\| \\*\\*this report\\*\\* \\|.* ± ")
                .contains("| **3** | **seeds #2** | **this report** |");
        for (String run : List.of("seeds #1", "seeds #2", "alone")) {
            try (Stream<Path> files = Files.list(directory.resolve("report").resolve(run))) {
                assertThat(files.map(file -> String.valueOf(file.getFileName()).replaceFirst("_\\d.*", "")))
                        .as(run)
                        .containsExactlyInAnyOrder("results", "samples_gold");
            }
        }
    }

    @Test
    void aMergedRunIsReportedWithoutNamingItsFiles() throws IOException {
        Path run = directory.resolve("a/run.json");
        ObjectNode merged = (ObjectNode) JSON.readTree(run.toFile());
        merged.put("command", "eval merge").set("run_arguments", merged.get("arguments"));
        merged.putArray("arguments").add("--out=a/predictions.jsonl").add("s1/predictions.jsonl");
        Files.writeString(run, merged.toString());
        CommandProcess.Result result = report("a", "b", "--json", "--resamples", "50");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        assertThat(JSON.readTree(result.stdout()).get("differences").findValuesAsText("fact"))
                .containsExactly("model_sha256", "config.shortlist");
    }

    @Test
    void whereAllSamplesAreOfOneSourceThereAreNoIntervalsAndThatIsSaid() throws IOException {
        CommandProcess.Result result = report("a", "b", "--json", "--cluster-by", "profile", "--resamples", "50");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        JsonNode json = JSON.readTree(result.stdout());
        assertThat(json.at("/comparisons/0/metrics/sr/ci").isNull()).isTrue();
        assertThat(json.at("/systems/0/runs/0/ci/sr").isNull()).isTrue();
        assertThat(json.get("notes").toString())
                .contains("All samples come from one source (--cluster-by profile), so there are no intervals.");
    }

    @Test
    void aConfigurationWithAnotherKThanANumberIsRefused() throws IOException {
        Files.writeString(directory.resolve("b/config.resolved.yaml"), "compress: true\nshortlist: many\n");
        refused(65, report("a", "b"), "config.resolved.yaml: shortlist = many, must be a whole number of at least 1");
    }

    private void refused(int exitCode, CommandProcess.Result result, String... parts) {
        assertThat(result.exitCode()).as(result.stderr()).isEqualTo(exitCode);
        assertThat(result.stdout()).isEmpty();
        assertThat(result.stderr()).contains("error: ").contains(parts).doesNotContain("\tat ");
    }

    @Test
    void runsOverOtherDataAndFilesThatHaveChangedAreRefused() throws IOException {
        Path other = directory.resolve("b/run.json");
        Files.writeString(
                other, Files.readString(other).replaceFirst("\"data_sha256\":\"[0-9a-f]{64}", "\"data_sha256\":\"77"));
        refused(
                65,
                report("a", "b", "--json"),
                "cannot compare runs over different data",
                "b/predictions.jsonl is of samples with SHA-256 77");
        Files.writeString(directory.resolve("gold.json"), " ", StandardOpenOption.APPEND);
        refused(65, report("a", "--json"), "gold.json: has changed since the run", "--gold");
        Files.delete(directory.resolve("gold.json"));
        refused(65, report("a", "--json"), "gold.json: does not exist", "--gold");
    }

    @Test
    void namesMustDifferAndWhatIsNotKnownMustBeGiven() throws IOException {
        refused(2, report("x=a", "x=b"), "\"x\" names two systems");
        Files.copy(directory.resolve("a/predictions.jsonl"), directory.resolve("c.jsonl"));
        refused(2, report("c.jsonl"), "no run.json names the file of --data; give it with --gold");
        refused(65, report("nowhere.jsonl", "--gold", "gold.json", "--pool", "pool.json"), "nowhere.jsonl");
        Files.createDirectories(directory.resolve("empty"));
        refused(65, report("empty"), "empty: is not a run directory");
    }
}
