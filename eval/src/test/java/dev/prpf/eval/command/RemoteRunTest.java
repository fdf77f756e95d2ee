package dev.prpf.eval.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.PredictionCost;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A run whose reasoner is on a server, through the command line. */
class RemoteRunTest {
    private static final int SAMPLES = 70;
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path directory;

    private AtomicInteger queries = new AtomicInteger();
    private volatile int failsAfter = Integer.MAX_VALUE;
    private HttpServer server;
    private Path data;
    private int status;

    private void serve() throws IOException {
        queries = new AtomicInteger();
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        AtomicInteger count = queries;
        server.createContext("/v1/chat/completions", exchange -> answer(exchange, count));
        server.start();
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
        server.stop(0);
    }

    private void answer(HttpExchange exchange, AtomicInteger count) throws IOException {
        boolean up = count.incrementAndGet() <= failsAfter;
        byte[] body = (up
                        ? "{\"choices\":[{\"message\":{\"content\":\"<recommendations>[]</recommendations>\"},\"finish_reason\":\"stop\"}],"
                                + "\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":10}}"
                        : "{\"error\":{\"message\":\"out of workers\"}}")
                .getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(up ? 200 : 503, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private Path out() {
        return directory.resolve("run").resolve("predictions.jsonl");
    }

    private String run(String... more) {
        List<String> all = new ArrayList<>(List.of(
                "run",
                "--data=" + data,
                "--remote=" + Path.of(System.getProperty("prpf.root", ".."), "configs", "remote.yaml"),
                "--set=server.base-url=http://127.0.0.1:" + server.getAddress().getPort() + "/v1",
                "--set=server.retries=0",
                "--set=reasoner.prompt.reasoning=none",
                "--set=price={prompt: 0.5, completion: 2}",
                "--gate=off",
                "--compress=off",
                "--store=" + directory.resolve("store"),
                "--out=" + out()));
        all.addAll(List.of(more));
        return execute(all);
    }

    private String execute(List<String> arguments) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream before = System.out;
        ResultStream.redirect(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            status = new CommandLine(new EvalCommand())
                    .setCaseInsensitiveEnumValuesAllowed(true)
                    .setExecutionExceptionHandler((e, c, p) -> {
                        ResultStream.line(String.valueOf(e.getMessage()));
                        return e instanceof PrpfException known
                                ? ExitCode.of(known).status()
                                : 1;
                    })
                    .execute(arguments.toArray(String[]::new));
        } finally {
            ResultStream.redirect(before);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void theSummaryTellsWhatWasUsed() throws IOException {
        JsonNode summary = JSON.readTree(run("--json"));
        assertThat(status).isZero();
        assertThat(summary.path("reasoned").intValue()).isEqualTo(SAMPLES);
        assertThat(summary.path("malformed").intValue()).isZero();
        assertThat(summary.path("remote").toString())
                .isEqualTo("{\"answers\":70,\"prompt_tokens\":70000,\"completion_tokens\":700,\"cut\":0,\"too_long\":0,"
                        + "\"cost\":0.0364}");
        JsonNode run = JSON.readTree(out().resolveSibling("run.json").toFile());
        assertThat(run.path("reasoner").asText()).startsWith("remote:Qwen/Qwen3.5-9B:");
        assertThat(Prediction.read(out())).hasSize(SAMPLES).allSatisfy(prediction -> {
            assertThat(prediction.response()).isEqualTo("<recommendations>[]</recommendations>");
            assertThat(prediction.finish()).isEqualTo(Prediction.Finish.STOP);
            PredictionCost cost = Objects.requireNonNull(prediction.cost());
            assertThat(cost.promptTokens()).isEqualTo(1_000);
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
        server.stop(0);
        serve();
        JsonNode summary = JSON.readTree(run("--json", "--set=server.concurrency=2"));
        assertThat(status).isZero();
        assertThat(queries).hasValue(SAMPLES - kept);
        assertThat(summary.path("malformed").intValue()).isZero();
        assertThat(summary.at("/remote/prompt_tokens").intValue()).isEqualTo(SAMPLES * 1000);
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
        assertThat(run("--max-new=7")).contains("--max-new is for --par");
        assertThat(status).isEqualTo(2);
        assertThat(execute(List.of("run", "--data=" + data, "--par=m", "--set=a=b", "--gate=off", "--out=" + out())))
                .contains("--set overrides keys of a --remote file");
        assertThat(status).isEqualTo(2);
        assertThat(execute(List.of("run", "--data=" + data, "--par=m", "--remote=r", "--out=" + out())))
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
