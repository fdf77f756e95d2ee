package dev.prpf.eval.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.par.command.ReasonerCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code eval score --judge} and {@code eval judges}, through the command line. */
@Tag("slow")
class ScoreJudgeTest {
    private static final Path CONFIGS = CommandRun.CONFIGS;
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path directory;

    private ChatServer server;
    private int status;

    @BeforeEach
    void writeInputs() throws IOException {
        server = new ChatServer(ScoreJudgeTest::sensible);
        write(
                "pool.json",
                "{\"book\":{\"name\":\"book\",\"description\":\"订票\",\"similar\":[],\"parameters\":{\"to\":{\"description\":"
                        + "\"到达\",\"type\":\"string\",\"must_fill\":\"required\",\"value\":\"non-enumerable\"}}}}");
        List<String> records = new ArrayList<>(List.of(record("silent", "")));
        for (String id : List.of("equal", "other", "same", "unclear", "malformed")) {
            records.add(record(id, "{\"instruction\":\"订票\",\"functions\":[" + call("武汉站") + "]}"));
        }
        write("gold.json", "[" + String.join(",", records) + "]");
        write(
                "p.jsonl",
                prediction("silent", "[]"),
                prediction("equal", "[[" + call("武汉站") + "]]"),
                prediction("other", "[[" + call("武昌站") + "]]"),
                prediction("same", "[[" + call("武汉火车站") + "]]"),
                prediction("unclear", "[[" + call("车站") + "]]"),
                prediction("malformed", "null"));
    }

    private static String record(String id, String answer) {
        return "{\"benchmark_metadata\":{\"id\":\"" + id + "\",\"difficulty_level\":1},\"reference_information\":{"
                + "\"profile\":\"p\",\"phone\":\"d\",\"world\":\"w\",\"trace\":[\"打开应用\"]},\"recommendations\":["
                + answer
                + "]}";
    }

    private static String call(String to) {
        return "{\"name\":\"book\",\"parameters\":{\"to\":\"" + to + "\"}}";
    }

    private static String prediction(String id, String calls) {
        return "{\"id\":\"" + id
                + "\",\"route\":\"reasoned\",\"p_trigger\":0.9,\"scenarios\":{},\"response\":\"r\",\"calls\":" + calls
                + "}";
    }

    private void write(String name, String... lines) throws IOException {
        Files.writeString(directory.resolve(name), String.join("\n", lines) + "\n");
    }

    private void serve(Function<JsonNode, String> says) throws IOException {
        stop();
        server = new ChatServer(says);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** Answers like a careful model. */
    private static String sensible(JsonNode body) {
        String prediction = ChatServer.last(body).replaceAll("(?s).*\"prediction\":", "");
        if (prediction.contains("武昌站")) {
            return ChatServer.verdict("车站不同", "false");
        }
        return prediction.contains("武汉火车站")
                ? ChatServer.verdict("同一车站", "true")
                : ChatServer.verdict("没有说哪个车站", "null");
    }

    private String execute(Object group, String... arguments) {
        CommandRun run = CommandRun.of(group, arguments);
        status = run.status();
        return run.output();
    }

    private String score(String... more) {
        List<String> all = new ArrayList<>(List.of(
                "score",
                "--gold=" + directory.resolve("gold.json"),
                "--pool=" + directory.resolve("pool.json"),
                "--predictions=" + directory.resolve("p.jsonl"),
                "--resamples=50"));
        all.addAll(List.of(more));
        return execute(new EvalCommand(), all.toArray(String[]::new));
    }

    private String scoreOnServer(String out, String... more) {
        List<String> all = new ArrayList<>(List.of(
                "--judge=llm:" + CONFIGS.resolve("judge-llm.yaml"),
                "--set=server.urls=[" + server.baseUrl() + "]",
                "--set=server.retries=0",
                "--set=server.concurrency=1",
                "--out=" + directory.resolve(out)));
        all.addAll(List.of(more));
        return score(all.toArray(String[]::new));
    }

    @Test
    void exactJudge_verdictsAreWrittenWithTheReport() throws IOException {
        JsonNode scores = JSON.readTree(score("--judge=exact", "--out=" + directory.resolve("exact"), "--json"));
        assertThat(status).isZero();
        assertThat(scores.path("judge").asText()).isEqualTo("exact");
        assertThat(scores.at("/overall/sr").doubleValue()).isEqualTo(100.0 / 3);
        assertThat(scores.path("verdicts").toString()).isEqualTo("{\"n\":4,\"abstained\":0}");
        assertThat(Files.readAllLines(directory.resolve("exact/verdicts.jsonl")))
                .hasSize(4)
                .startsWith(
                        "{\"id\":\"equal\",\"equivalent\":true,\"reason\":\"equal calls\"}",
                        "{\"id\":\"other\",\"equivalent\":false,\"reason\":\"book: to = \\\"武昌站\\\", the answer has"
                                + " \\\"武汉站\\\"\"}");
    }

    @Test
    void aModelOnAServerJudges() throws IOException {
        JsonNode scores = JSON.readTree(scoreOnServer("llm", "--json"));
        assertThat(status).isZero();
        assertThat(scores.path("judge").asText()).startsWith("llm:Qwen/Qwen3.5-9B:");
        assertThat(scores.path("verdicts").toString()).isEqualTo("{\"n\":4,\"abstained\":1}");
        assertThat(scores.at("/overall/n_abstained").intValue()).isEqualTo(1);
        assertThat(scores.at("/overall/sr").doubleValue())
                .as("silent, equal and same of the 5 that were decided")
                .isEqualTo(60.0);
        assertThat(scores.at("/overall/sr_act").doubleValue()).isEqualTo(50.0);
        assertThat(scores.at("/overall/type_acc").doubleValue()).isEqualTo(500.0 / 6);
        assertThat(Files.readAllLines(directory.resolve("llm/verdicts.jsonl")))
                .containsExactly(
                        "{\"id\":\"equal\",\"equivalent\":true,\"reason\":\"equal calls; the model was not asked\"}",
                        "{\"id\":\"other\",\"equivalent\":false,\"reason\":\"车站不同\"}",
                        "{\"id\":\"same\",\"equivalent\":true,\"reason\":\"同一车站\"}",
                        "{\"id\":\"unclear\",\"equivalent\":null,\"reason\":\"没有说哪个车站\"}");
        JsonNode report = JSON.readTree(directory.resolve("llm/report.json").toFile());
        assertThat(report.at("/provenance/judge usage").asText()).contains("\"answers\":3,\"prompt_tokens\":300");
        assertThat(Files.readString(directory.resolve("llm/report.md")))
                .contains("The judge abstained on 1 of the 4 samples that it received; SR excludes them.");

        String text = scoreOnServer("llm");
        assertThat(status).isZero();
        assertThat(text).contains("judge: llm:Qwen/Qwen3.5-9B:");
        assertThat(server.bodies()).as("the same again asks nothing").hasSize(3);
    }

    @Test
    void twoJudgesAreCompared() throws IOException {
        scoreOnServer("llm");
        score("--out=" + directory.resolve("exact"));
        String exact = directory.resolve("exact/verdicts.jsonl").toString();
        String llm = directory.resolve("llm/verdicts.jsonl").toString();
        JsonNode agreement = JSON.readTree(execute(new EvalCommand(), "judges", exact, llm, "--json"));
        assertThat(status).isZero();
        assertThat(agreement.path("n").intValue()).isEqualTo(3);
        assertThat(agreement.at("/abstained/b").intValue()).isEqualTo(1);
        assertThat(agreement.path("kappa").doubleValue())
                .as("p_o = 2/3, p_e = 4/9")
                .isEqualTo(0.4, within());
        assertThat(agreement.path("dissent").toString())
                .isEqualTo(
                        "[{\"id\":\"same\",\"a\":false,\"b\":true,\"a_reason\":\"book: to = \\\"武汉火车站\\\", the answer has"
                                + " \\\"武汉站\\\"\",\"b_reason\":\"同一车站\"}]");
        String text = execute(new EvalCommand(), "judges", exact, llm);
        assertThat(text).contains("n 3, agreement 66.67 %, kappa 0.400 [", "abstained: A 0, B 1, both 0", "同一车站");
    }

    private static Offset<Double> within() {
        return Offset.offset(1e-9);
    }

    private String[] onServer(String command, String out, String... more) {
        List<String> all = new ArrayList<>(List.of(
                command,
                "--gold=" + directory.resolve("gold.json"),
                "--pool=" + directory.resolve("pool.json"),
                "--resamples=50",
                "--judge=llm:" + CONFIGS.resolve("judge-llm.yaml"),
                "--set=server.urls=[" + server.baseUrl() + "]",
                "--set=server.retries=0",
                "--out=" + directory.resolve(out)));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    @Test
    void aReportOfRunsAsksTheJudgeToo() throws IOException {
        String run = "a=" + directory.resolve("p.jsonl");
        JsonNode report = JSON.readTree(execute(new EvalCommand(), onServer("report", "r", run, "--json")));
        assertThat(status).isZero();
        assertThat(report.path("judge").asText()).startsWith("llm:Qwen/Qwen3.5-9B:");
        assertThat(report.at("/systems/0/runs/0/overall/sr").doubleValue()).isEqualTo(60.0);
        assertThat(report.path("notes").toString())
                .contains("a: the judge abstained on 1 of the 4 samples that it received; SR excludes them.");
        JsonNode page = JSON.readTree(directory.resolve("r/report.json").toFile());
        assertThat(page.at("/provenance/judge usage").asText()).contains("\"answers\":3");
        execute(new EvalCommand(), onServer("report", "r", run));
        assertThat(server.bodies()).as("the same again asks nothing").hasSize(3);
        assertThat(execute(new EvalCommand(), "report", run, "--judge=gemini"))
                .contains("--judge gemini: must be exact");
        assertThat(status).isEqualTo(2);
    }

    @Test
    void aComparisonAsksTheJudgeToo() throws IOException {
        String predictions = directory.resolve("p.jsonl").toString();
        JsonNode compared = JSON.readTree(execute(
                new EvalCommand(),
                onServer(
                        "compare",
                        "c",
                        "--before=" + predictions,
                        "--after=" + predictions,
                        "--reasoning=none",
                        "--json")));
        assertThat(status).isZero();
        assertThat(compared.path("judge").asText()).startsWith("llm:Qwen/Qwen3.5-9B:");
        assertThat(compared.at("/sr/before").doubleValue()).isEqualTo(60.0);
        assertThat(compared.at("/sr/n").intValue()).isEqualTo(5);
        assertThat(server.bodies()).hasSize(3);
        assertThat(JSON.readTree(directory.resolve("c/compare.json").toFile())).isEqualTo(compared);
        assertThat(directory.resolve("c/judge-answers.jsonl")).isNotEmptyFile();
    }

    @Test
    void aJudgeThatGoesAwayIs69WritesNoReportAndIsGoneOnWith() throws IOException {
        serve(body -> server.bodies().size() > 1 ? ChatServer.DOWN : sensible(body));
        assertThat(scoreOnServer("llm")).contains("the answers so far are saved");
        assertThat(status).isEqualTo(69);
        assertThat(directory.resolve("llm/verdicts.jsonl")).doesNotExist();
        assertThat(Files.readAllLines(directory.resolve("llm/judge-answers.jsonl")))
                .hasSize(1);
        serve(ScoreJudgeTest::sensible);
        scoreOnServer("llm");
        assertThat(status).isZero();
        assertThat(server.bodies()).hasSize(2);
    }

    @Test
    void aJudgeOfJunkDecidesNothing() throws IOException {
        serve(body -> "Yes!");
        JsonNode scores = JSON.readTree(scoreOnServer("llm", "--json"));
        assertThat(scores.path("verdicts").toString()).isEqualTo("{\"n\":4,\"abstained\":3}");
        assertThat(scores.at("/overall/sr").doubleValue()).as("2 of 3").isEqualTo(200.0 / 3);
        assertThat(scores.at("/errors/outcomes/text/unjudged").intValue()).isEqualTo(3);
        assertThat(server.bodies()).as("each is sent back once").hasSize(6);
    }

    @Test
    void aModelInThisProcessJudges() throws IOException {
        Path model = directory.resolve("model");
        execute(
                new ReasonerCommand(),
                "init",
                "--config=" + CONFIGS.resolve("reasoner-init.yaml"),
                "--text=" + directory.resolve("gold.json"),
                "--out=" + model,
                "--set=model.hidden-size=16",
                "--set=model.heads=2",
                "--set=model.key-value-heads=1",
                "--set=model.layers=1",
                "--set=model.intermediate-size=16",
                "--set=model.max-positions=8192");
        assertThat(status).isZero();
        String[] arguments = {
            "--judge=local:" + CONFIGS.resolve("judge-local.yaml"),
            "--set=model=" + model,
            "--set=max-new=8",
            "--set=batch-size=2",
            "--set=dtype=fp32",
            "--out=" + directory.resolve("local"),
            "--json"
        };
        JsonNode scores = JSON.readTree(score(arguments));
        assertThat(status).isZero();
        assertThat(scores.path("judge").asText()).matches("llm:local:model:[0-9a-f]{12}:fp32:[0-9a-f]{12}");
        assertThat(scores.path("verdicts").toString())
                .as("random weights write no verdict, and that is no \"no\"")
                .isEqualTo("{\"n\":4,\"abstained\":3}");
        Path answers = directory.resolve("local/judge-answers.jsonl");
        List<String> kept = Files.readAllLines(answers);
        assertThat(kept)
                .as("each answer, and each to what was sent back")
                .hasSize(6)
                .allSatisfy(line -> assertThat(
                                JSON.readTree(line).path("completion_tokens").intValue())
                        .isBetween(1, 8));
        assertThat(Files.readAllLines(directory.resolve("local/verdicts.jsonl")))
                .filteredOn(line -> line.contains("null"))
                .hasSize(3)
                .allSatisfy(line -> assertThat(line).contains("no verdict: "));
        score(arguments);
        assertThat(Files.readAllLines(answers)).isEqualTo(kept);
    }

    @Test
    void aPromptTooLongForTheModelIsAnAbstention() throws IOException {
        Path model = directory.resolve("model");
        execute(
                new ReasonerCommand(),
                "init",
                "--config=" + CONFIGS.resolve("reasoner-init.yaml"),
                "--text=" + directory.resolve("gold.json"),
                "--out=" + model,
                "--set=model.hidden-size=16",
                "--set=model.heads=2",
                "--set=model.key-value-heads=1",
                "--set=model.layers=1",
                "--set=model.intermediate-size=16",
                "--set=model.max-positions=64");
        score(
                "--judge=local:" + CONFIGS.resolve("judge-local.yaml"),
                "--set=model=" + model,
                "--set=dtype=fp32",
                "--out=" + directory.resolve("local"));
        assertThat(status).isZero();
        assertThat(Files.readAllLines(directory.resolve("local/verdicts.jsonl")))
                .filteredOn(line -> line.contains("\"equivalent\":null"))
                .hasSize(3)
                .allSatisfy(line -> assertThat(line).contains("too long for the model: it has", "64 positions"));
    }

    @Test
    void wrongChoicesAreNamed() {
        assertThat(score("--judge=gemini")).contains("--judge gemini: must be exact, llm:FILE");
        assertThat(status).isEqualTo(2);
        assertThat(score("--judge=llm:")).contains("--judge llm:: must be exact");
        assertThat(status).isEqualTo(2);
        assertThat(score("--judge=llm:" + CONFIGS.resolve("judge-llm.yaml")))
                .contains("kept in the report's folder", "name that folder with --out");
        assertThat(status).isEqualTo(2);
        assertThat(score("--set=a=b")).contains("--judge exact has none");
        assertThat(status).isEqualTo(2);
        String out = "--out=" + directory.resolve("o");
        assertThat(score("--judge=llm:nowhere.yaml", out)).contains("nowhere.yaml: no such file");
        assertThat(status).isEqualTo(78);
        assertThat(score("--judge=llm:" + CONFIGS.resolve("remote.yaml"), out))
                .contains("reasoner: is not a known key");
        assertThat(status).isEqualTo(78);
        assertThat(score("--judge=local:" + CONFIGS.resolve("judge-local.yaml"), "--set=model=nowhere", out))
                .contains("nowhere: config.json is missing");
        assertThat(status).isEqualTo(69);
        assertThat(score(
                        "--judge=llm:" + CONFIGS.resolve("judge-llm.yaml"),
                        "--set=server.api-key-variable=PRPF_NO_SUCH_KEY",
                        out))
                .contains("names an environment variable that is not set");
        assertThat(status).isEqualTo(69);
    }

    @Test
    void verdictsOnOtherSamplesAre65() throws IOException {
        write("a.jsonl", "{\"id\":\"x\",\"equivalent\":true,\"reason\":\"\"}");
        write("b.jsonl", "{\"id\":\"y\",\"equivalent\":true,\"reason\":\"\"}");
        assertThat(execute(
                        new EvalCommand(),
                        "judges",
                        directory.resolve("a.jsonl").toString(),
                        directory.resolve("b.jsonl").toString()))
                .contains("the second file lacks 1 ids of the other: x");
        assertThat(status).isEqualTo(65);
        assertThat(execute(new EvalCommand(), "judges", "nowhere.jsonl", "b.jsonl"))
                .contains("nowhere.jsonl");
        assertThat(status).isEqualTo(65);
    }
}
