package dev.prpf.eval.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.eval.calls.MadeTasks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A function-calling suite answered by a server, through the command line. */
class SuiteRemoteTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ANSWER =
            "<recommendations>[{\"instruction\":\"\",\"function\":[{\"name\":\"song\",\"parameters\":"
                    + "{\"title\":\"Blue Moon\"}}]}]</recommendations>";

    @TempDir
    private Path directory;

    private final AtomicInteger queries = new AtomicInteger();
    private volatile int failsAfter = Integer.MAX_VALUE;
    private ChatServer server;
    private int status;

    @BeforeEach
    void start() throws IOException {
        MadeTasks.bfcl(directory);
        server = new ChatServer(this::answer);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private String answer(JsonNode body) {
        boolean up =
                queries.incrementAndGet() <= failsAfter && ChatServer.last(body).contains("Play the song Blue Moon.");
        return up ? ANSWER : ChatServer.DOWN;
    }

    private String run(String... more) {
        List<String> all = new ArrayList<>(List.of(
                "suite",
                "bfcl",
                "--data=" + directory,
                "--remote=" + CommandRun.CONFIGS.resolve("remote.yaml"),
                "--set=server.urls=[" + server.baseUrl() + "]",
                "--set=server.retries=0",
                "--set=server.concurrency=1", // so that each answer is saved before the next request
                "--set=reasoner.prompt.reasoning=none",
                "--run-dir=" + directory.resolve("run"),
                "--json"));
        all.addAll(List.of(more));
        CommandRun run = CommandRun.of(new EvalCommand(), all.toArray(String[]::new));
        status = run.status();
        return run.output();
    }

    @Test
    void itsAnswersAreScoredAndKept() throws IOException {
        JsonNode result = JSON.readTree(run());

        assertThat(status).isZero();
        assertThat(queries).hasValue(6);
        assertThat(result.path("reasoner").asText()).startsWith("remote:Qwen/Qwen3.5-9B:");
        JsonNode ours = result.path("rows").path(0);
        assertThat(ours.path("accuracy").doubleValue())
                .as("the two simple ones of six")
                .isBetween(33.3, 33.4);
        assertThat(ours.path("ftr").doubleValue()).isEqualTo(100);
        assertThat(Files.readAllLines(directory.resolve("run/answers.jsonl"))).hasSize(6);
        assertThat(JSON.readTree(run())).isEqualTo(result);
        assertThat(queries).as("no answer is asked for twice").hasValue(6);
    }

    /** Its tasks have none. */
    @Test
    void aSuiteSaysNothingOfScreenshots() throws IOException {
        run("--set=reasoner.prompt.screenshots=both");
        assertThat(status).isZero();
        assertThat(JSON.readTree(directory.resolve("run/run.json").toFile()).has("prompt_hash"))
                .isTrue();
        assertThat(JSON.readTree(directory.resolve("run/run.json").toFile()).has("prompt_screenshots"))
                .isFalse();
    }

    @Test
    void aServerThatGoesAwayIs69AndTheSameCommandGoesOn() throws IOException {
        failsAfter = 3;
        assertThat(run()).contains("out of workers");
        assertThat(status).isEqualTo(69);
        int kept = Files.readAllLines(directory.resolve("run/answers.jsonl")).size();
        assertThat(kept).isBetween(1, 3);
        queries.set(0);
        failsAfter = Integer.MAX_VALUE;

        assertThat(JSON.readTree(run()).path("n").intValue()).isEqualTo(6);
        assertThat(status).isZero();
        assertThat(queries).hasValue(6 - kept);
        assertThat(run("--set=reasoner.sampling.temperature=0.7")).contains("another configuration");
        assertThat(status).isEqualTo(78);
    }
}
