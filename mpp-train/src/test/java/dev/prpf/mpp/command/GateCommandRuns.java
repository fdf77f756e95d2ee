package dev.prpf.mpp.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Base of the command tests: runs, captured output, and a few short texts as data. */
abstract class GateCommandRuns {
    static final ObjectMapper JSON = new ObjectMapper();
    static final Path CONFIG = Path.of(System.getProperty("prpf.root", ".."), "configs", "gate.yaml");
    static final String RECORD =
            """
            {"benchmark_metadata":{"id":"%s","difficulty_level":1,"split":"train"},
             "reference_information":{"profile":"%s","phone":"电量充足","world":"晴天","trace":["%s"]},"recommendations":%s}""";
    static final String ACTS =
            "[{\"instruction\":\"打车\",\"functions\":[{\"name\":\"book_transport\",\"parameters\":{}}]}]";

    @TempDir
    static Path directory;

    static final ByteArrayOutputStream BYTES = new ByteArrayOutputStream();

    @BeforeAll
    static void redirect() {
        ResultStream.redirect(new PrintStream(BYTES, true, StandardCharsets.UTF_8));
    }

    @AfterAll
    static void restore() {
        ResultStream.redirect(System.out);
    }

    static int run(String... arguments) {
        BYTES.reset();
        return new CommandLine(new GateCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((exception, command, parsed) -> {
                    if (exception instanceof PrpfException known) {
                        message = String.valueOf(known.getMessage());
                        return ExitCode.of(known).status();
                    }
                    throw exception;
                })
                .execute(arguments);
    }

    static String message = "";

    static JsonNode output() throws IOException {
        return JSON.readTree(BYTES.toString(StandardCharsets.UTF_8));
    }

    static Path data(String name, int n, boolean labelled) throws IOException {
        return data(name, "s", n, labelled);
    }

    static Path data(String name, String prefix, int n, boolean labelled) throws IOException {
        List<String> records = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            boolean acts = i % 3 != 0;
            String trace = acts ? "打开地图，搜索去机场的路线" : "锁屏，手机放在桌上";
            String record = RECORD.formatted(prefix + i, "用户" + prefix + i, trace, acts ? ACTS : "[]");
            records.add(labelled ? record : record.replaceAll(",\"recommendations\":.*", "}"));
        }
        return Files.writeString(directory.resolve(name), "[" + String.join(",\n", records) + "]");
    }

    static String[] train(Path data, Path run, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "train", "--config", CONFIG.toString(), "--data", data.toString(), "--run-dir", run.toString()));
        arguments.addAll(List.of("--store", directory.resolve("store").toString(), "--json"));
        for (String small : List.of(
                "network.dimension=32",
                "network.layers=1",
                "network.feed-forward=64",
                "optimizer.learning-rate=0.003",
                "training.epochs=6",
                "encoder.precision=int8")) {
            arguments.addAll(List.of("--set", small));
        }
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }
}
