package dev.prpf.eval.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.PredictionCost;
import dev.prpf.par.prompt.PromptProvenance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** The reasoner without a perceiver through the command line, with a small random model. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
class RunCommandTest extends RunCommandRuns {
    @Test
    void missingImagesAreNamedBeforeAnythingIsLoaded() {
        Path screens = directory.resolve("screens.json");
        List<Sample> records = new ArrayList<>();
        records.add(new Sample(
                "shown",
                1,
                null,
                null,
                new DeviceContext("常去火车站", "电量八成", "下雨"),
                new Trajectory(List.of(new TraceStep.Screenshot("gone.png"))),
                null));
        SampleWriter.write(screens, records.iterator());
        Path out = directory.resolve("images/p.jsonl");
        String printed = execute(
                new EvalCommand(),
                "run",
                "--data",
                screens.toString(),
                "--images",
                directory.toString(),
                "--reasoner",
                directory.resolve("no-model").toString(),
                "--gating",
                "off",
                "--compress",
                "off",
                "--out",
                out.toString());
        assertThat(status).isEqualTo(65);
        assertThat(printed).contains("sample shown: image " + directory.resolve("gone.png") + " does not exist");
        assertThat(out).doesNotExist();
    }

    @Test
    void aConstrainedRunHasNoMalformedResponse() {
        String summary = execute(
                new EvalCommand(),
                "run",
                "--data",
                data.toString(),
                "--reasoner",
                model.toString(),
                "--store",
                directory.resolve("store").toString(),
                "--max-new",
                "40",
                "--gating",
                "off",
                "--compress",
                "off",
                "--constrained",
                "--json",
                "--out",
                directory.resolve("constrained").resolve("predictions.jsonl").toString());
        assertThat(status).isZero();
        assertThat(summary.replace(" ", "")).contains("\"reasoned\":5,").contains("\"malformed\":0,");
    }

    @Test
    void theBaselineRunsAndItsSummaryIsOneJsonObject() throws IOException {
        Path out = directory.resolve("baseline").resolve("predictions.jsonl");
        JsonNode summary = new ObjectMapper().readTree(run(out, "--gating", "off", "--compress", "off", "--json"));
        assertThat(status).isZero();
        assertThat(summary.path("samples").asInt()).isEqualTo(5);
        assertThat(summary.path("reasoned").asInt()).isEqualTo(5);
        assertThat(out.resolveSibling("config.resolved.yaml"))
                .content()
                .isEqualTo(
                        """
                gate: false
                compress: false
                shortlist: 5
                threshold: 0.0
                without: []
                perceiver: null
                local:
                  max-new: 4
                  batch-size: 2
                  dtype: fp32
                  constrained: false
                  sampling: null
                remote: null
                """);
        List<Prediction> predictions = Prediction.read(out);
        assertThat(predictions).extracting(Prediction::id).containsExactly("s0", "s1", "s2", "s3", "s4");
        assertThat(predictions).allMatch(prediction -> prediction.pTrigger() == null && prediction.response() != null);
        JsonNode run =
                new ObjectMapper().readTree(out.resolveSibling("run.json").toFile());
        assertThat(run.path("command").asText()).isEqualTo("eval run");
        assertThat(run.path("reasoner").asText()).startsWith("local:model:");
        assertThat(run.path("prompt_hash").asText())
                .isEqualTo(PromptProvenance.read(model).promptHash());
        assertThat(run.path("without")).isEmpty();
        byte[] before = Files.readAllBytes(out);
        run(out, "--gating", "off", "--compress", "off");
        assertThat(status).isZero();
        assertThat(Files.readAllBytes(out)).isEqualTo(before);
        assertThat(run(out, "--gating", "off", "--compress", "off", "--shortlist", "3"))
                .contains("another configuration");
        assertThat(status).isEqualTo(78);
    }

    private static List<@Nullable String> responses(Path file) {
        assertThat(status).isZero();
        return Prediction.read(file).stream()
                .sorted(Comparator.comparing(Prediction::id))
                .map(Prediction::response)
                .toList();
    }

    @Test
    void drawnResponsesHangOnTheSeedAndTheSamplesIdAlone() throws IOException {
        Path one = directory.resolve("drawn1").resolve("p.jsonl");
        run(one, drawn("1", "--top-p", "0.7"));
        List<@Nullable String> first = responses(one);
        assertThat(Files.readString(one.resolveSibling("config.resolved.yaml")))
                .contains("  sampling:\n    temperature: 1.0\n    top-p: 0.7\n    seed: 1\n");
        Path other = directory.resolve("drawn3").resolve("p.jsonl");
        run(other, drawn("2", "--top-p", "0.7"));
        assertThat(responses(other)).as("with another seed").isNotEqualTo(first);
        List<String> lines = Files.readAllLines(one);
        Files.write(one, lines.subList(0, 2));
        run(one, drawn("1", "--top-p", "0.7"));
        assertThat(responses(one)).as("resumed").isEqualTo(first);
        List<@Nullable String> sharded = new ArrayList<>();
        for (int i = 1; i <= 2; i++) {
            Path shard = directory.resolve("drawnshard" + i).resolve("p.jsonl");
            run(shard, drawn("1", "--top-p", "0.7", "--shard", i + "/2"));
            sharded.addAll(responses(shard));
        }
        assertThat(sharded).as("sharded, in other batches").containsExactlyInAnyOrderElementsOf(first);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--seed=3|--seed has no effect at --temperature 0, which is greedy",
                "--top-p=0.7|--top-p has no effect at --temperature 0",
                "--temperature=-1|--temperature = -1.0 must be at least 0; 0 is greedy",
                "--temperature=1 --top-p=0|--top-p = 0.0 must be in (0, 1]",
                "--without=weather|Invalid value for option '--without'"
            })
    void whatCannotDecodeSoIsRefused(String options, String why) {
        Path out = directory.resolve("undrawn").resolve("p.jsonl");
        List<String> more = new ArrayList<>(List.of("--gating", "off", "--compress", "off"));
        more.addAll(List.of(options.split(" ")));
        String printed = run(out, more.toArray(String[]::new));
        assertThat(status).isEqualTo(2);
        assertThat(out.getParent()).doesNotExist();
        if (!options.contains("without")) { // picocli says that on standard error
            assertThat(printed).contains(why);
        }
    }

    @Test
    void whatIsTakenAwayIsAsIfItHadBeenBlank() throws IOException {
        Path without = directory.resolve("without").resolve("p.jsonl");
        run(without, "--gating", "off", "--compress", "off", "--without", "world", "--without", "profile");
        Path blank = directory.resolve("blank").resolve("p.jsonl");
        Path blanked = changed(
                "blank.json",
                sample -> sample.with(
                        new DeviceContext("", sample.context().phone(), ""), sample.trajectory(), sample.answers()));
        run(blank, blanked, "--gating", "off", "--compress", "off");
        assertThat(withoutCosts(without)).hasSize(5).isEqualTo(withoutCosts(blank));
        JsonNode run =
                new ObjectMapper().readTree(without.resolveSibling("run.json").toFile());
        assertThat(run.path("without")).extracting(JsonNode::asText).containsExactly("profile", "world");
        assertThat(run(without, "--gating", "off", "--compress", "off")).contains("without");
        assertThat(status).isEqualTo(78);
    }

    @Test
    void withoutTheTraceNoImageIsNeeded() {
        Path screens = changed(
                "unseen.json",
                sample -> sample.with(
                        sample.context(), new Trajectory(List.of(new TraceStep.Screenshot("gone.png"))), null));
        Path out = directory.resolve("unseen").resolve("p.jsonl");
        String[] all = {"--images", directory.toString(), "--gating", "off", "--compress", "off", "--without", "trace"};
        run(out, screens, all);
        assertThat(responses(out)).hasSize(5);
    }

    @Test
    void everyPredictionSaysWhatItCostAndARunSaysItsMemory() throws IOException {
        Path out = directory.resolve("costed").resolve("predictions.jsonl");
        JsonNode summary = new ObjectMapper().readTree(run(out, "--gating", "off", "--compress", "off", "--json"));
        assertThat(summary.path("peak_memory_mb").doubleValue()).isPositive();
        assertThat(summary.path("reasoner_device_reserved_mb").isNull())
                .as("no card")
                .isTrue();
        assertThat(summary.path("device_memory_unknown").asText()).isEqualTo("libtorch works on the processor");
        assertThat(summary.path("perceiver_memory_mb").isNull())
                .as("no perceiver")
                .isTrue();
        assertThat(summary.path("cut").intValue())
                .isEqualTo(summary.path("cut_ids").size())
                .isPositive();
        for (Prediction prediction : Prediction.read(out)) {
            PredictionCost cost = Objects.requireNonNull(prediction.cost());
            assertThat(cost.newTokens()).isBetween(1, 4);
            assertThat(cost.forwardPasses()).isPositive();
            assertThat(cost.flops().fusion()).as("no perceiver ran").isZero();
            assertThat(Objects.requireNonNull(cost.flops().prefill())).isPositive();
            assertThat(Objects.requireNonNull(cost.seconds().total())).isPositive();
        }
        String table = execute(
                new EvalCommand(),
                "efficiency",
                "--predictions",
                "single=" + out,
                "--predictions",
                "again=" + out,
                "--out",
                directory.resolve("costed").resolve("report").toString());
        assertThat(status).isZero();
        assertThat(table).contains("GFLOP a sample by part", "single", "again", "No reasoner ran on a CUDA device");
        assertThat(directory.resolve("costed/report/efficiency.html")).isNotEmptyFile();
        assertThat(execute(new EvalCommand(), "efficiency", "--predictions", "x=" + out, "--predictions", "x=" + out))
                .contains("--predictions names two rows x");
        assertThat(status).isEqualTo(2);
        assertThat(execute(new EvalCommand(), "efficiency", "--predictions", out.toString()))
                .contains("must be NAME=RUN");
        assertThat(status).isEqualTo(2);
    }

    @Test
    void responsesMayHaveAsManyTokensAsThePapers() {
        assertThat(new CommandLine(new RunCommand())
                        .getCommandSpec()
                        .findOption("--max-new")
                        .defaultValue())
                .isEqualTo("1024");
    }

    @Test
    void aDryRunIsOneJsonObjectAndRunsNothing() throws IOException {
        Path out = directory.resolve("dry").resolve("predictions.jsonl");
        JsonNode plan =
                new ObjectMapper().readTree(run(out, "--gating", "off", "--compress", "off", "--dry-run", "--json"));
        assertThat(status).isZero();
        assertThat(plan.path("dry_run").asBoolean()).isTrue();
        assertThat(plan.path("perceiver").asText()).isEqualTo("none");
        assertThat(out.getParent()).doesNotExist();
    }

    @Test
    void settingsOutOfRangeAreNamed() {
        assertThat(run(
                        directory.resolve("x").resolve("p.jsonl"),
                        "--gating",
                        "off",
                        "--compress",
                        "off",
                        "--shortlist",
                        "0"))
                .contains("--shortlist = 0");
        assertThat(status).isEqualTo(2);
        assertThat(run(directory.resolve("x").resolve("p.jsonl"), "--threshold", "1.5"))
                .contains("--threshold = 1.5");
        assertThat(status).isEqualTo(2);
    }
}
