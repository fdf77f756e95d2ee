package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import dev.prpf.base.files.SafeTensors;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The commands of the data group, doctor and runs. */
@Tag("slow")
class DataJsonContractTest extends JsonContract {
    @Test
    void doctor() throws IOException {
        JsonNode json = json("doctor");
        assertThat(keys(json)).containsExactly("ok", "checks");
        assertThat(json.get("ok").booleanValue()).isTrue();
        for (JsonNode check : json.get("checks")) {
            assertThat(keys(check)).containsExactly("group", "name", "state", "essential", "found", "advice");
            assertThat(check.get("state").textValue()).isIn("ok", "warning", "missing");
        }
        assertThat(json.get("checks").findValuesAsText("name"))
                .contains(
                        "jdk",
                        "instruction sets",
                        "gpu",
                        "profile",
                        "onnx runtime",
                        "nd4j backend",
                        "libtorch",
                        "hub cache");
    }

    @Test
    void generate() throws IOException {
        JsonNode json = json(
                "data",
                "generate",
                "--config",
                CONFIGS.resolve("data-generate.yaml").toString(),
                "--set=models.authors=[" + CONFIGS.resolve("remote.yaml") + "]",
                "--set=models.checker=" + CONFIGS.resolve("remote.yaml"),
                "--set=models.candidates=[" + CONFIGS.resolve("remote.yaml") + "]",
                "--set=models.editor=" + CONFIGS.resolve("remote.yaml"),
                "--out=generated",
                "--dry-run");
        assertThat(keys(json))
                .containsExactly(
                        "out", "seeds", "records", "steps", "dropped", "requests", "budget", "usage", "models");
        assertThat(json.get("requests").intValue()).isEqualTo(20 * (3 + 3 * (2 + 1 + 1 + 6 + 4)));
        assertThat(json.get("models").toString()).contains("http://127.0.0.1:8000/v1");
        assertThat(json.get("records").isNull()).isTrue();
    }

    @Test
    void review() throws IOException {
        JsonNode json = json("data", "review", "--data=" + DATA, "--out=reviewed");
        assertThat(keys(json))
                .containsExactly(
                        "records",
                        "accepted",
                        "rejected",
                        "open",
                        "broken",
                        "reviewers",
                        "kappa",
                        "accepted_by",
                        "page");
        assertThat(json.get("accepted").intValue()).isZero();
        assertThat(json.get("kappa").isNull()).isTrue();
        assertThat(directory.resolve("reviewed/review.html")).exists();
    }

    @Test
    void runs() throws IOException {
        assertThat(json("runs", "d").get("runs")).isEmpty();
        Files.createDirectories(directory.resolve("r/x"));
        Files.writeString(
                directory.resolve("r/x/run.json"),
                "{\"command\": \"reasoner sft\", \"arguments\": [\"reasoner\", \"sft\"], \"state\": \"running\"}");
        Files.writeString(directory.resolve("r/x/metrics.jsonl"), "{\"step\": 2, \"loss\": 0.5}\n");
        JsonNode json = json("runs", "r");
        assertThat(keys(json)).containsExactly("directory", "runs");
        JsonNode run = json.at("/runs/0");
        assertThat(keys(run)).containsExactly("run", "command", "state", "step", "metrics", "resume", "problem");
        assertThat(run.get("state").textValue()).isEqualTo("interrupted");
        assertThat(run.get("metrics")).hasToString("{\"loss\":0.5}");
        assertThat(run.get("resume").textValue()).isEqualTo("./prpf reasoner sft --run-dir r/x");
        assertThat(run.get("problem").isNull()).isTrue();
    }

    @Test
    void dataValidateOfAGoodFile() throws IOException {
        JsonNode json = json("data", "validate", "--data", DATA, "--pool", POOL, "--images", "d");
        assertThat(keys(json)).containsExactly("records", "fatal", "warnings", "findings");
        assertThat(json.get("records").intValue()).isEqualTo(24);
        assertThat(json.get("fatal").intValue()).isZero();
        assertThat(json.get("findings").isArray()).isTrue();
    }

    @Test
    void dataValidateNamesADefectWithRecordAndPointer() throws IOException {
        Files.writeString(
                directory.resolve("bad.json"),
                "[{\"benchmark_metadata\":{\"id\":\"x\",\"difficulty_level\":1},\"reference_information\":{\"profile\":\"p\","
                        + "\"phone\":\"d\",\"world\":\"w\",\"trace\":[\"t\"]},\"recommendations\":[{\"instruction\":\"i\","
                        + "\"functions\":[{\"name\":\"no_such_function\",\"parameters\":{}}]}]}]");
        JsonNode json = json(65, "data", "validate", "--data", "bad.json", "--pool", POOL, "--images", "d");
        assertThat(json.get("fatal").intValue()).isEqualTo(1);
        JsonNode finding = json.at("/findings/0");
        assertThat(keys(finding)).containsExactlyInAnyOrder("id", "path", "severity", "rule", "value", "message");
        assertThat(finding.get("id").textValue()).isEqualTo("x");
        assertThat(finding.get("severity").textValue()).isEqualTo("fatal");
        assertThat(finding.get("path").textValue()).startsWith("/recommendations/0/functions/0");
    }

    @Test
    void dataStats() throws IOException {
        JsonNode json = json("data", "stats", "--data", DATA);
        assertThat(json.at("/total/items").intValue()).isEqualTo(24);
    }

    @Test
    void dataExportedToParquetIsReadLikeTheJson() throws IOException {
        JsonNode exported = json("data", "export", "--to", "parquet", "--examples", DATA, "--out", "parquet");
        assertThat(keys(exported))
                .containsExactly(
                        "out",
                        "to",
                        "stage",
                        "records",
                        "test_records",
                        "acting",
                        "silent",
                        "rewritten",
                        "images",
                        "files");
        assertThat(exported.get("stage").textValue()).isEqualTo("records");
        assertThat(exported.get("records").intValue()).isEqualTo(24);
        assertThat(json("data", "stats", "--data", "parquet")).isEqualTo(json("data", "stats", "--data", DATA));
        assertThat(json("data", "validate", "--data", "parquet/train", "--pool", POOL, "--images", "d")
                        .get("fatal")
                        .intValue())
                .isZero();
    }

    @Test
    void dataEncodeTexts() throws IOException {
        Files.writeString(directory.resolve("texts.json"), "[\"打开地图\",\"open the map\"]");
        json("data", "encode", "--texts", "texts.json", "--int8", "--out", "e.safetensors");
        SafeTensors.Entry embeddings = tensor("e.safetensors", "embeddings");
        assertThat(embeddings.dtype()).isEqualTo("F32");
        assertThat(embeddings.shape()).containsExactly(2, 512);
    }

    @Test
    void dataEncodeImages() throws IOException {
        List<String> images;
        try (Stream<Path> files = Files.list(directory.resolve("d/images"))) {
            images = files.map(file -> "images/" + file.getFileName())
                    .sorted()
                    .limit(2)
                    .toList();
        }
        Files.write(directory.resolve("images.json"), JSON.writeValueAsBytes(images));
        json(
                "data",
                "encode",
                "--image-paths=images.json",
                "--images=d",
                "--frame-encoder=ocr",
                "--int8",
                "--out=f.safetensors");
        assertThat(tensor("f.safetensors", "embeddings").shape()).containsExactly(images.size(), 512);
        assertThat(images).isNotEmpty();
    }

    @Test
    void dataHubGet() throws IOException {
        String commit = "c".repeat(40);
        HttpServer hub = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        answer(hub, "/api/models/org/tiny/revision/main", "{\"sha\": \"" + commit + "\"}");
        answer(
                hub,
                "/api/models/org/tiny/tree/" + commit,
                "[{\"type\": \"file\", \"path\": \"a.txt\", \"size\": 6, \"oid\":"
                        + " \"ce013625030ba8dba906f756967f9e9ca394464a\"}]");
        answer(hub, "/org/tiny/resolve/" + commit + "/a.txt", "hello\n");
        hub.start();
        try {
            Map<String, String> environment = Map.of(
                    "HF_ENDPOINT",
                    "http://127.0.0.1:" + hub.getAddress().getPort(),
                    "HF_HOME",
                    directory.resolve("hub-home").toString());
            CommandProcess.Result result = CommandProcess.in(directory)
                    .withEnvironment(environment)
                    .run("data", "hub", "get", "org/tiny", "--json");
            assertThat(result.exitCode()).as(result.stderr()).isZero();
            JsonNode json = JSON.readTree(result.stdout());
            assertThat(keys(json))
                    .containsExactly(
                            "repo", "repo_type", "revision", "commit", "path", "bytes", "missing_bytes", "files");
            assertThat(keys(json.at("/files/0"))).containsExactly("path", "size", "cached");
            assertThat(Path.of(json.get("path").textValue()).resolve("a.txt")).hasContent("hello\n");
        } finally {
            hub.stop(0);
        }
    }

    private static void answer(HttpServer server, String path, String text) {
        server.createContext(path, exchange -> {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
    }

    @Test
    void importedRowsAreCounted() throws IOException {
        Files.writeString(directory.resolve("log.csv"), "event,action\nopens a map,navigate\nrests,\n");
        JsonNode made = json("data", "import", "log.csv", "--out=r.json", "--map=trace=event", "--map=function=action");
        assertThat(keys(made)).containsExactly("records", "silent", "dropped", "out", "next");
        assertThat(made.get("silent").intValue()).isEqualTo(1);
    }

    @Test
    void collectedFeedbackIsCounted() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        answer(
                server,
                "/v1/users/ann/feedback",
                "{\"benchmark_metadata\": {\"id\": \"f\", \"difficulty_level\": 2}, \"reference_information\": {\"profile\": \"\","
                        + " \"phone\": \"\", \"world\": \"\", \"trace\": [\"rests\"]}, \"recommendations\": []}\n");
        server.start();
        String address = "http://127.0.0.1:" + server.getAddress().getPort();
        try {
            JsonNode made = json("data", "feedback", "--server=" + address, "--user=ann", "--out=feedback.json");
            assertThat(keys(made)).containsExactly("records", "accepted", "rejected", "out");
            assertThat(made.get("rejected").intValue()).isEqualTo(1);
        } finally {
            server.stop(0);
        }
    }

    @Test
    void blindCountsImages() throws IOException {
        JsonNode made = json("data", "synth", "--out=seen", "--count=5", "--visual-cues=1");
        assertThat(made.get("images").intValue()).isEqualTo(5);
        JsonNode blind = json("data", "blind", "--images=seen", "--out=unseen");
        assertThat(keys(blind)).containsExactly("images", "out");
        assertThat(blind.get("images").intValue()).isEqualTo(5);
    }

    @Test
    void aDryRunWithJsonIsJsonToo() throws IOException {
        assertThat(keys(json("data", "synth", "--out=never", "--count=3", "--dry-run")))
                .isNotEmpty();
        assertThat(directory.resolve("never")).doesNotExist();
    }
}
