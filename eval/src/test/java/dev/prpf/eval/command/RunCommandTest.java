package dev.prpf.eval.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.TraceStep;
import dev.prpf.data.Trajectory;
import dev.prpf.data.io.SampleReader;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.PredictionCost;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.command.ReasonerCommand;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.PromptSettings.PoolRendering;
import dev.prpf.par.prompt.PromptSettings.PromptLayout;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.response.ReasoningMode;
import dev.prpf.par.tokenizer.Tokenizer;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** The reasoner without a perceiver through the command line, with a small random model. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
class RunCommandTest {
    @TempDir
    private static Path directory;

    private static Path data;
    private static Path model;

    private static int status;

    private static String execute(Object group, String... arguments) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream before = System.out;
        ResultStream.redirect(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            status = new CommandLine(group)
                    .setCaseInsensitiveEnumValuesAllowed(true)
                    .setExecutionExceptionHandler((e, c, p) -> {
                        ResultStream.line(String.valueOf(e.getMessage()));
                        return e instanceof PrpfException known
                                ? ExitCode.of(known).status()
                                : 1;
                    })
                    .execute(arguments);
        } finally {
            ResultStream.redirect(before);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static String run(Path out, String... more) {
        return run(out, data, more);
    }

    private static String run(Path out, Path records, String... more) {
        String[] base = {
            "run",
            "--data",
            records.toString(),
            "--reasoner",
            model.toString(),
            "--store",
            directory.resolve("store").toString(),
            "--max-new",
            "4",
            "--no-constrained",
            "--batch-size",
            "2",
            "--out",
            out.toString()
        };
        String[] all = new String[base.length + more.length];
        System.arraycopy(base, 0, all, 0, base.length);
        System.arraycopy(more, 0, all, base.length, more.length);
        return execute(new EvalCommand(), all);
    }

    @BeforeAll
    static void make() {
        data = directory.resolve("data.json");
        List<Sample> records = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            records.add(new Sample(
                    "s" + i,
                    1,
                    null,
                    null,
                    new DeviceContext("常去火车站", "电量八成", "下雨".repeat(i)),
                    Trajectory.ofTexts(List.of("打开地图")),
                    null));
        }
        SampleWriter.write(data, records.iterator());
        model = directory.resolve("model");
        Path config = Path.of(System.getProperty("prpf.root", ".."), "configs", "reasoner-init.yaml");
        execute(
                new ReasonerCommand(),
                "init",
                "--config",
                config.toString(),
                "--text",
                data.toString(),
                "--out",
                model.toString(),
                "--set",
                "model.hidden-size=16",
                "--set",
                "model.heads=2",
                "--set",
                "model.key-value-heads=1",
                "--set",
                "model.layers=1",
                "--set",
                "model.intermediate-size=16");
        assertThat(status).isZero();
        PromptSettings settings = new PromptSettings(
                PromptLayout.PREFIX, PromptWording.BRIEF, PoolRendering.NAMES, false, ReasoningMode.NONE, null);
        try (Tokenizer tokenizer = Tokenizer.load(model)) {
            PromptProvenance.of(settings, ChatTemplates.CHATML, tokenizer.sha256())
                    .write(model);
        }
    }

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

    /** Returns lines without costs, the only part that depends on the other samples of a batch. */
    private static List<String> withoutCosts(Path file) {
        return Prediction.read(file).stream()
                .map(prediction -> JsonRecords.write(prediction.withoutCost()))
                .sorted()
                .toList();
    }

    @Test
    void mergedShardsAreTheWholeRunByteByByteButForCosts() throws IOException {
        Path whole = directory.resolve("whole").resolve("predictions.jsonl");
        run(whole, "--gating", "off", "--compress", "off");
        List<String> merging = new ArrayList<>(List.of("merge", "--json", "--out"));
        Path merged = directory.resolve("merged").resolve("predictions.jsonl");
        merging.add(merged.toString());
        for (int i = 1; i <= 3; i++) {
            Path out = directory.resolve("shard" + i).resolve("predictions.jsonl");
            run(out, "--gating", "off", "--compress", "off", "--shard", i + "/3");
            assertThat(status).isZero();
            merging.add(out.toString());
        }
        JsonNode summary = new ObjectMapper().readTree(execute(new EvalCommand(), merging.toArray(String[]::new)));
        assertThat(status).isZero();
        assertThat(withoutCosts(merged)).hasSize(5).isEqualTo(withoutCosts(whole));
        assertThat(summary.path("samples").intValue()).isEqualTo(5);
        assertThat(summary.at("/decoder/layers").intValue()).isEqualTo(1);
        assertThat(run(
                        directory.resolve("shard1").resolve("predictions.jsonl"),
                        "--gating",
                        "off",
                        "--compress",
                        "off"))
                .contains("shard was \"1/3\" and now is absent");
        assertThat(status).isEqualTo(78);
        assertThat(run(merged, "--gating", "off", "--compress", "off", "--shard", "4/3"))
                .contains("--shard = 4/3, must be I/N");
        assertThat(status).isEqualTo(2);
    }

    private static final String[] DRAWN = {"--gating", "off", "--compress", "off", "--temperature", "1", "--seed"};

    private static String[] drawn(String... more) {
        return Stream.concat(Stream.of(DRAWN), Stream.of(more)).toArray(String[]::new);
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

    /** A file of the same samples, each changed. */
    private static Path changed(String name, UnaryOperator<Sample> change) {
        Path file = directory.resolve(name);
        SampleWriter.write(file, SampleReader.readAll(data).stream().map(change).iterator());
        return file;
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
    void anotherModelOfTheSameNameDoesNotGoOn() throws IOException {
        Path out = directory.resolve("changed").resolve("predictions.jsonl");
        run(out, "--gating", "off", "--compress", "off");
        assertThat(status).isZero();
        Path run = out.resolveSibling("run.json");
        String facts = Files.readString(run);
        String sum = new ObjectMapper().readTree(facts).path("model_sha256").asText();
        assertThat(sum).hasSize(64);
        Files.writeString(run, facts.replace(sum, "0".repeat(64)));
        assertThat(run(out, "--gating", "off", "--compress", "off")).contains("model_sha256");
        assertThat(status).isEqualTo(78);
    }

    @Test
    void aRunOverImagesThatWereChangedDoesNotGoOn() throws IOException {
        Path screens = directory.resolve("changing.json");
        List<Sample> records = new ArrayList<>();
        DeviceContext context = new DeviceContext("常去火车站", "电量八成", "下雨");
        Trajectory shown = new Trajectory(List.of(new TraceStep.Screenshot("changing.png")));
        records.add(new Sample("shown", 1, null, null, context, shown, null));
        SampleWriter.write(screens, records.iterator());
        BufferedImage screen = new BufferedImage(20, 40, BufferedImage.TYPE_INT_RGB);
        Path image = directory.resolve("changing.png");
        ImageIO.write(screen, "png", image.toFile());
        Path out = directory.resolve("changing").resolve("predictions.jsonl");
        String[] arguments = {"--images", directory.toString(), "--gating", "off", "--compress", "off"};
        run(out, screens, arguments);
        assertThat(status).isZero();
        run(out, screens, arguments);
        assertThat(status).as("again").isZero();
        screen.setRGB(3, 3, 0xFFFFFF);
        ImageIO.write(screen, "png", image.toFile());
        assertThat(run(out, screens, arguments)).contains("images_sha256");
        assertThat(status).isEqualTo(78);
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

    @ParameterizedTest
    @CsvSource({"log-odds,0.0,5", "log-odds,1.0,0", "words,0.5,0"})
    void aLanguageModelPerceives(String reads, String threshold, int reasoned) throws IOException {
        Path out = directory.resolve("perceived-" + reads + threshold).resolve("p.jsonl");
        String[] options = {
            "--perceiver-model", model.toString(), "--perceiver-reads", reads, "--threshold", threshold, "--json"
        };
        JsonNode summary = new ObjectMapper().readTree(run(out, options));
        assertThat(status).isZero();
        assertThat(summary.path("reasoned").asInt()).isEqualTo(reasoned);
        boolean unusable = reads.equals("words"); // four tokens are no response
        for (Prediction prediction : Prediction.read(out)) {
            assertThat(prediction.unusablePerception()).isEqualTo(unusable);
            if (!unusable) {
                assertThat(prediction.pTrigger()).isBetween(0.0, 1.0);
                assertThat(prediction.scenarios()).hasSize(14);
            }
            PredictionCost cost = Objects.requireNonNull(prediction.cost());
            assertThat(Objects.requireNonNull(cost.flops().fusion()))
                    .as("the passes of the model that perceives")
                    .isPositive();
            assertThat(cost.promptTokens()).as("the reasoner's alone").matches(n -> (n > 0) == (reasoned > 0));
        }
        JsonNode run =
                new ObjectMapper().readTree(out.resolveSibling("run.json").toFile());
        assertThat(run.path("perceiver").asText()).startsWith(reads + ":local:model:");
        assertThat(run.path("perceiver_model_sha256").asText())
                .isEqualTo(run.path("model_sha256").asText());
        assertThat(run.path("gate").asText()).isEqualTo("tau " + threshold + " (given), no risk control");
        assertThat(Files.readString(out.resolveSibling("config.resolved.yaml")))
                .contains("perceiver:\n  reads: " + reads + "\n  decoding:\n    max-new: 4\n");
        assertThat(summary.path("unusable_perceptions").asInt())
                .isEqualTo(unusable ? summary.path("samples").asInt() : 0);
        JsonNode again = new ObjectMapper().readTree(run(out, options));
        assertThat(status).as("again").isZero();
        assertThat(again.path("unusable_perceptions")).isEqualTo(summary.path("unusable_perceptions"));
    }

    @Test
    void aLanguageModelsThresholdIsAHalf() throws IOException {
        Path out = directory.resolve("half").resolve("p.jsonl");
        run(out, "--perceiver-model", model.toString(), "--compress", "off");
        assertThat(status).isZero();
        JsonNode run =
                new ObjectMapper().readTree(out.resolveSibling("run.json").toFile());
        assertThat(run.path("gate").asText()).isEqualTo("tau 0.5 (default), no risk control");
        assertThat(Prediction.read(out))
                .allMatch(one ->
                        (Objects.requireNonNull(one.pTrigger()) >= 0.5) == (one.route() == Prediction.Route.REASONED));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--perceiver-reads=words|--perceiver-reads needs --perceiver-model",
                "--perceiver-model=m --gating off --compress off|--perceiver-model has no effect with --gating off --compress off",
                "--perceiver-model=m --gate=r --threshold=0.5|--perceiver-model replaces --gate; give one of them",
            })
    void perceiversThatContradictAreRefused(String options, String why) {
        Path out = directory.resolve("contradicted").resolve("p.jsonl");
        String[] given = (options.contains("=m") ? options : options + " --gating off --compress off").split(" ");
        assertThat(run(out, given)).contains(why);
        assertThat(status).isEqualTo(2);
    }

    /** The options of a model in this process are the perceiver's where the reasoner is on a server. */
    @Test
    void aModelHereMayPerceiveForAReasonerOnAServer() throws IOException {
        String[] arguments = {
            "run",
            "--data=" + data,
            "--perceiver-model=" + model,
            "--perceiver-reads=words",
            "--remote=" + Path.of(System.getProperty("prpf.root", ".."), "configs", "remote.yaml"),
            "--max-new=64",
            "--batch-size=2",
            "--dtype=fp32",
            "--constrained",
            "--store=" + directory.resolve("store"),
            "--out=" + directory.resolve("both").resolve("p.jsonl"),
            "--dry-run",
            "--json"
        };
        JsonNode plan = new ObjectMapper().readTree(execute(new EvalCommand(), arguments));
        assertThat(status).isZero();
        assertThat(plan.path("perceiver").asText()).isNotEqualTo("none");
        assertThat(plan.path("reasoner").asText()).startsWith("remote:");

        String[] drawn = Arrays.copyOf(arguments, arguments.length + 1);
        drawn[arguments.length] = "--temperature=1";
        assertThat(execute(new EvalCommand(), drawn))
                .contains("--temperature is for --reasoner; the settings of a reasoner on a server are in")
                .contains("and a perceiver is greedy");
        assertThat(status).isEqualTo(2);
    }

    @Test
    void theGateNeedsAPerceiver() {
        assertThat(run(directory.resolve("gated").resolve("p.jsonl"))).contains("--gate");
        assertThat(status).isEqualTo(2);
        assertThat(directory.resolve("gated")).doesNotExist();
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

    @Test
    void predictionsOfUnknownOriginAreNotContinued() throws IOException {
        Path out = Files.createDirectories(directory.resolve("foreign")).resolve("p.jsonl");
        Files.writeString(out, "{\"id\":\"s0\",\"route\":\"silent\",\"calls\":[]}\n");
        assertThat(run(out, "--gating", "off", "--compress", "off")).contains("no run.json");
        assertThat(status).isEqualTo(2);
    }
}
