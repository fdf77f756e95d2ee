package dev.prpf.eval.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.eval.score.RunFiles;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.PredictionCost;
import dev.prpf.par.prompt.PromptSettings.ScreenshotForm;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests runs with a reasoner on a server, through the command line. */
class RemoteRunTest {
    private static final int SAMPLES = 70;
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path directory;

    private AtomicInteger queries = new AtomicInteger();
    private volatile int failsAfter = Integer.MAX_VALUE;
    private ChatServer server;
    private Path data;
    private int status;

    private void serve() throws IOException {
        AtomicInteger count = new AtomicInteger();
        queries = count;
        server = new ChatServer(body ->
                count.incrementAndGet() <= failsAfter ? "<recommendations>[]</recommendations>" : ChatServer.DOWN);
    }

    @BeforeEach
    void start() throws IOException {
        serve();
        data = directory.resolve("data.json");
        List<Sample> records = new ArrayList<>();
        for (int i = 0; i < SAMPLES; i++) {
            records.add(new Sample(
                    "s" + i,
                    1,
                    null,
                    null,
                    new DeviceContext("常去火车站", "电量八成", "第" + i),
                    Trajectory.ofTexts(List.of("打开地图")),
                    null));
        }
        SampleWriter.write(data, records.iterator());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private Path out() {
        return directory.resolve("run").resolve("predictions.jsonl");
    }

    private String run(String... more) {
        List<String> all = new ArrayList<>(List.of(
                "run",
                "--data=" + data,
                "--remote=" + CommandRun.CONFIGS.resolve("remote.yaml"),
                "--set=server.urls=[" + server.baseUrl() + "]",
                "--set=server.retries=0",
                "--set=reasoner.prompt.reasoning=none",
                "--set=price={prompt: 0.5, completion: 2}",
                "--gating=off",
                "--compress=off",
                "--store=" + directory.resolve("store")));
        all.addAll(List.of(more));
        if (Stream.of(more).noneMatch(option -> option.startsWith("--out="))) {
            all.add("--out=" + out());
        }
        return execute(all);
    }

    private String execute(List<String> arguments) {
        CommandRun run = CommandRun.of(new EvalCommand(), arguments.toArray(String[]::new));
        status = run.status();
        return run.output();
    }

    @Test
    void theSummaryTellsWhatWasUsed() throws IOException {
        JsonNode summary = JSON.readTree(run("--json"));
        assertThat(status).isZero();
        assertThat(summary.path("reasoned").intValue()).isEqualTo(SAMPLES);
        assertThat(summary.path("malformed").intValue()).isZero();
        assertThat(summary.path("remote").toString())
                .isEqualTo(
                        "{\"answers\":70,\"prompt_tokens\":7000,\"completion_tokens\":700,\"cut\":0,\"too_long\":0,\"refused\":0,"
                                + "\"cost\":0.0049}");
        JsonNode run = JSON.readTree(out().resolveSibling("run.json").toFile());
        assertThat(run.path("reasoner").asText()).startsWith("remote:Qwen/Qwen3.5-9B:");
        assertThat(RunFiles.of(out()).screenshots())
                .as("it reads their text, as runs did before they said it")
                .isNull();
        assertThat(Prediction.read(out())).hasSize(SAMPLES).allSatisfy(prediction -> {
            assertThat(prediction.response()).isEqualTo("<recommendations>[]</recommendations>");
            assertThat(prediction.finish()).isEqualTo(Prediction.Finish.STOP);
            PredictionCost cost = Objects.requireNonNull(prediction.cost());
            assertThat(cost.promptTokens()).isEqualTo(100);
            assertThat(cost.newTokens()).isEqualTo(10);
            assertThat(cost.forwardPasses()).as("a server does not say").isNull();
            assertThat(cost.flops().total()).isNull();
            assertThat(cost.flops().frameEncoder()).isZero();
            assertThat(cost.seconds().decode()).isNull();
            assertThat(Objects.requireNonNull(cost.seconds().total())).isPositive();
        });
        assertThat(summary.path("decoder").isNull()).isTrue();
    }

    @Test
    void aRunWhosePromptsAreAllTooLong_endsWith78AfterItsCounts() throws IOException {
        server.close();
        server = new ChatServer(body -> ChatServer.TOO_LONG);
        assertThat(run("--json")).contains("\"answers\":0", "\"too_long\":70", "\"malformed\":70");
        assertThat(status).isEqualTo(78);
        assertThat(Prediction.read(out())).hasSize(SAMPLES);
    }

    @Test
    void aRunSaysWhatItsPromptsShowOfScreenshots() {
        run("--set=reasoner.prompt.screenshots=both");
        assertThat(status).isZero();
        assertThat(RunFiles.of(out()).screenshots()).isEqualTo(ScreenshotForm.BOTH);
    }

    @Test
    void aServerThatGoesAwayIs69AndTheSameCommandGoesOn() throws IOException {
        failsAfter = 40;
        ByteArrayOutputStream progress = new ByteArrayOutputStream();
        PrintStream err = System.err;
        System.setErr(new PrintStream(progress, true, StandardCharsets.UTF_8));
        try {
            assertThat(run()).contains("out of workers", "run the same command again");
        } finally {
            System.setErr(err);
        }
        assertThat(status).isEqualTo(69);
        int kept = Files.readAllLines(out().resolveSibling("answers.jsonl")).size();
        assertThat(kept).isBetween(25, 40);
        assertThat(progress.toString(StandardCharsets.UTF_8))
                .as("progress counts answers, not whole chunks")
                .contains("eval run: " + kept + "/" + SAMPLES + " in ");

        failsAfter = Integer.MAX_VALUE;
        server.close();
        serve();
        JsonNode summary = JSON.readTree(run("--json", "--set=server.concurrency=2"));
        assertThat(status).isZero();
        assertThat(queries).hasValue(SAMPLES - kept);
        assertThat(summary.path("malformed").intValue()).isZero();
        assertThat(summary.at("/remote/prompt_tokens").intValue()).isEqualTo(SAMPLES * 100);
        assertThat(Prediction.read(out()))
                .filteredOn(prediction ->
                        Objects.requireNonNull(prediction.cost()).seconds().total() == null)
                .as("what the first process was answered")
                .hasSize(kept);
    }

    @Test
    void severalServersGiveWhatOneGivesThoughOneOfThemIsDown() throws IOException {
        run();
        List<Prediction> alone = Prediction.read(out());
        JsonNode facts = JSON.readTree(out().resolveSibling("run.json").toFile());
        Path replicated = directory.resolve("replicated").resolve("predictions.jsonl");
        try (ChatServer down = new ChatServer(body -> ChatServer.DOWN);
                ChatServer third = new ChatServer(body -> "<recommendations>[]</recommendations>")) {
            String urls = down.baseUrl() + "," + server.baseUrl() + "," + third.baseUrl();
            JsonNode summary = JSON.readTree(run("--json", "--set=server.urls=[" + urls + "]", "--out=" + replicated));
            assertThat(status).isZero();
            assertThat(summary.at("/remote/answers").intValue()).isEqualTo(SAMPLES);
            assertThat(down.bodies()).as("it is left alone").hasSizeLessThan(SAMPLES / 2);
        }
        assertThat(Prediction.read(replicated))
                .usingRecursiveComparison()
                .ignoringFields("cost")
                .isEqualTo(alone);
        assertThat(JSON.readTree(replicated.resolveSibling("run.json").toFile()).path("reasoner"))
                .as("who answers is no setting of the run")
                .isEqualTo(facts.path("reasoner"));
    }

    @Test
    void aServerThatIsNoAddressIsRefused() {
        assertThat(run("--set=server.urls=[" + server.baseUrl() + ",node7:8000]"))
                .contains("urls[1] = \"node7:8000\", must be like http://HOST:PORT/v1");
        assertThat(status).isEqualTo(78);
        assertThat(run("--set=server.urls=" + server.baseUrl())).contains("server.urls", "a list");
        assertThat(status).isEqualTo(78);
    }

    @Test
    void otherQuestionsAreAnotherRun() {
        run();
        assertThat(run("--set=reasoner.sampling.temperature=0.7")).contains("another configuration");
        assertThat(status).isEqualTo(78);
    }

    @Test
    void aDryRunAsksNothingAndWritesNothing() throws IOException {
        assertThat(JSON.readTree(run("--dry-run", "--json")).path("reasoner").asText())
                .startsWith("remote:Qwen/Qwen3.5-9B:");
        assertThat(queries).hasValue(0);
        assertThat(out().getParent()).doesNotExist();
    }

    @Test
    void optionsOfTheOtherReasonerAreWrongUsage() {
        assertThat(run("--max-new=7")).contains("--max-new is for --reasoner");
        assertThat(status).isEqualTo(2);
        assertThat(execute(List.of(
                        "run", "--data=" + data, "--reasoner=m", "--set=a=b", "--gating=off", "--out=" + out())))
                .contains("--set overrides keys of a --remote file");
        assertThat(status).isEqualTo(2);
        assertThat(execute(List.of("run", "--data=" + data, "--reasoner=m", "--remote=r", "--out=" + out())))
                .isEmpty();
        assertThat(status).isEqualTo(2);
    }

    @Test
    void aWrongKeyIsNamedWithItsLine() {
        assertThat(run("--set=server.concurrency=0")).contains("concurrency = 0");
        assertThat(status).isEqualTo(78);
        assertThat(run("--set=server.api-key-variable=PRPF_NO_SUCH_KEY"))
                .contains("server.api-key-variable names an environment variable that is not set")
                .doesNotContain("PRPF_NO_SUCH_KEY");
        assertThat(status).isEqualTo(69);
    }
}
