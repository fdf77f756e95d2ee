package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code par bench} with the prompts of an SFT set, on a random model. */
@Tag("slow")
class BenchWorkloadsTest {
    private static final int LIMIT = 3;

    @TempDir
    private static Path folder;

    private static Path model;
    private static Path set;

    @BeforeAll
    static void makeModelAndSet() {
        SmallWorld world = SmallWorld.in(folder);
        model = world.model();
        set = folder.resolve("sft.jsonl");
        String config = "--config=" + SmallWorld.CONFIGS.resolve("data-sft.yaml");
        assertThat(new CommandLine(new SftSetCommand())
                        .execute(
                                config, "--data=" + world.data(), "--store=" + folder.resolve("store"), "--out=" + set))
                .isZero();
        SmallWorld.run(
                0,
                List.of(
                        "adopt",
                        "--config=" + SmallWorld.CONFIGS.resolve("par-adopt.yaml"),
                        "--set=prompt.wording=brief",
                        "--set=prompt.pool=names",
                        "--model=" + model));
    }

    private static List<String> bench(String... more) {
        List<String> arguments =
                new ArrayList<>(List.of("bench", "--dtype=fp32", "--batch=1,2", "--prompt=4", "--new=4", "--rounds=1"));
        arguments.addAll(List.of(more));
        return arguments;
    }

    private static List<String> responses(String... more) {
        List<String> arguments = bench("--model=" + model, "--examples=" + set, "--limit=" + LIMIT);
        arguments.addAll(List.of(more));
        return arguments;
    }

    @Test
    void eachWayToWriteHasARowAndForcedTokensTakeFewerPasses() throws IOException {
        JsonNode json = new ObjectMapper().readTree(SmallWorld.run(0, responses("--lookup=3", "--json")));

        assertThat(json.path("scheduler")).isEmpty();
        JsonNode rows = json.path("responses");
        assertThat(rows)
                .extracting(row -> row.path("constrained") + " " + row.path("batch") + " " + row.path("jump_forward")
                        + " " + row.path("prompt_lookup"))
                .containsExactly(
                        "true 1 false 0",
                        "true 1 false 3",
                        "true 1 true 0",
                        "true 1 true 3",
                        "true 2 false 0",
                        "true 2 false 3",
                        "true 2 true 0",
                        "true 2 true 3",
                        "false 1 false 0",
                        "false 1 false 3",
                        "false 2 false 0",
                        "false 2 false 3");
        for (JsonNode row : rows) {
            assertRow(row);
        }
    }

    private static void assertRow(JsonNode row) {
        assertThat(row.fieldNames())
                .toIterable()
                .containsExactly(
                        "dtype",
                        "batch",
                        "constrained",
                        "jump_forward",
                        "prompt_lookup",
                        "sequences",
                        "tokens",
                        "passes_per_token",
                        "seconds",
                        "of_plain",
                        "not_plain",
                        "not_alone");
        assertThat(row.path("sequences").intValue()).isEqualTo(LIMIT);
        assertThat(row.path("tokens").intValue()).isGreaterThanOrEqualTo(LIMIT);
        assertThat(row.path("seconds").path("median").doubleValue()).isPositive();
        assertThat(row.path("of_plain").path("median").doubleValue()).isPositive();
        assertThat(row.path("not_plain").intValue()).as(row.toString()).isZero();
        assertThat(row.path("not_alone").intValue()).as(row.toString()).isZero();
        double passes = row.path("passes_per_token").doubleValue();
        if (row.path("jump_forward").booleanValue()) {
            assertThat(passes).isPositive().isLessThan(1);
        } else if (row.path("prompt_lookup").intValue() == 0) {
            assertThat(passes).as("a pass writes one token").isEqualTo(1);
        } else {
            assertThat(passes).isPositive().isLessThanOrEqualTo(1);
        }
    }

    @Test
    void forPeopleThereIsATable() {
        assertThat(SmallWorld.run(0, responses("--lookup=3")))
                .contains("passes/token", "not alone")
                .containsPattern("fp32 +2 +true +true +3 +0\\.[0-9]{3} ");
    }

    @Test
    void examplesNeedAModelAndThePoolNeedsExamples() {
        assertThat(SmallWorld.run(2, bench("--shape=135m", "--examples=" + set)))
                .contains("--examples " + set + " goes with --model");
        assertThat(SmallWorld.run(2, bench("--model=" + model, "--pool=p.json")))
                .contains("--pool p.json goes with --examples");
    }

    @Test
    void nothingToMeasureIsRefused() {
        assertThat(SmallWorld.run(2, bench("--model=" + model, "--examples=" + set, "--limit=0")))
                .contains("--limit = 0, must be at least 1");
        assertThat(SmallWorld.run(2, responses("--lookup=0"))).contains("--lookup = 0, must be at least 1");
    }

    @Test
    void anExampleSetThatIsNotThereIsNamed() {
        Path none = folder.resolve("none.jsonl");
        assertThat(SmallWorld.run(65, bench("--model=" + model, "--examples=" + none)))
                .contains(none + ": cannot be read");
    }
}
