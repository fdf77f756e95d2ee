package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.prpf.base.files.SafeTensors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/**
 * Checks the output for scripts: with {@code --json} standard output holds one JSON object with the documented keys and nothing else. The
 * commands run in another process, on a small data set that {@code data synth} makes.
 */
@Tag("slow")
abstract class JsonContract {
    static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    static final String DATA = "d/benchmark_zh.json";
    static final String POOL = "d/function_pool.json";
    static final Path CONFIGS = Path.of(System.getProperty("prpf.root", "..")).resolve("configs");

    static Path directory;

    @BeforeAll
    static void aSmallDataSet() throws IOException {
        directory = CommandWorker.emptyFolder();
        JsonNode made =
                json("data", "synth", "--out", "d", "--count", "24", "--seed", "3", "--multimodal-share", "0.1");
        assertThat(made.get("records").intValue()).isEqualTo(24);
    }

    static CommandProcess.Result run(String... arguments) {
        return CommandWorker.run(arguments);
    }

    /** Runs a command with {@code --json}; it must succeed and write one JSON object. */
    static JsonNode json(String... arguments) throws IOException {
        return json(0, arguments);
    }

    static JsonNode json(int exitCode, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.add("--json");
        CommandProcess.Result result = run(all.toArray(String[]::new));
        assertThat(result.exitCode()).as("%s: %s", all, result.stderr()).isEqualTo(exitCode);
        JsonNode json = JSON.readTree(result.stdout());
        assertThat(json.isObject())
                .as("stdout of %s is \"%s\"", all, result.stdout())
                .isTrue();
        return json;
    }

    static List<String> keys(JsonNode object) {
        List<String> keys = new ArrayList<>();
        object.fieldNames().forEachRemaining(keys::add);
        return keys;
    }

    /** Makes one model for all tests of the process, and a copy of it for this test. */
    static void aSmallModel(String out) throws IOException {
        Path made = directory.resolve("small-model");
        if (!Files.exists(made)) {
            init("small-model");
        }
        Files.createDirectory(directory.resolve(out));
        try (Stream<Path> files = Files.list(made)) {
            for (Path file : files.toList()) {
                Files.copy(file, directory.resolve(out).resolve(file.getFileName()));
            }
        }
    }

    private static void init(String out) throws IOException {
        json(
                "reasoner",
                "init",
                "--config",
                CONFIGS.resolve("reasoner-init.yaml").toString(),
                "--set=model.hidden-size=32",
                "--set=model.intermediate-size=64",
                "--set=model.layers=1",
                "--set=model.heads=2",
                "--set=model.key-value-heads=1",
                "--text=" + DATA,
                "--out=" + out);
    }

    static SafeTensors.Entry tensor(String file, String name) throws IOException {
        try (SafeTensors tensors = SafeTensors.open(directory.resolve(file))) {
            return tensors.entry(name);
        }
    }
}
