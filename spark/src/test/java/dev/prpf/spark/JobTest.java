package dev.prpf.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.command.ResultStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** A session of two threads for all tests of the process, in which a task may fail three times; with inputs and captured output. */
@Tag("slow")
abstract class JobTest {
    static final SparkSession SPARK = SparkSession.builder()
            .master("local[2,4]")
            .config("spark.ui.enabled", false)
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.default.parallelism", 3)
            .config("spark.sql.shuffle.partitions", 3)
            .getOrCreate();

    static final String POOL =
            """
            {"book": {"name": "book", "description": "d", "similar": ["find"], "parameters": {
               "from": {"description": "f", "type": "string", "must_fill": "required", "value": "non-enumerable"},
               "seats": {"description": "s", "type": "int", "must_fill": "optional", "value": "non-enumerable"}}},
             "find": {"name": "find", "description": "f", "similar": [], "parameters": {}}}""";
    static final String BOOK =
            "[{\"instruction\":\"订票\",\"functions\":[{\"name\":\"book\",\"parameters\":{\"from\":\"武汉\",\"seats\":2}}]}]";

    @TempDir
    Path directory;

    private String printed = "";
    private String stderr = "";

    @BeforeEach
    void writePool() throws IOException {
        write("pool.json", POOL);
    }

    final Path write(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.resolveSibling("."));
        return Files.writeString(file, text);
    }

    /** Writes lines to one file for the single-machine commands and to a folder of files for the jobs. */
    final void writeLines(String name, List<String> lines) throws IOException {
        write(name + ".jsonl", String.join("\n", lines) + "\n");
        int cut = lines.size() / 3;
        write(name + "/part-0.jsonl", String.join("\n", lines.subList(0, cut)) + "\n\n");
        write(name + "/part-1.jsonl", String.join("\r\n", lines.subList(cut, 2 * cut)));
        write(name + "/below/part-2.jsonl", "");
        write(name + "/part-2.jsonl", String.join("\n", lines.subList(2 * cut, lines.size())) + "\n");
        write(name + "/_SUCCESS", "no record");
    }

    static String record(String id, int difficulty, String trace, String answers) {
        return ("{\"benchmark_metadata\":{\"id\":\"%s\",\"difficulty_level\":%d,\"split\":\"test\"},"
                        + "\"reference_information\":{\"profile\":\"p\",\"phone\":\"d\",\"world\":\"w\",\"trace\":[%s]},"
                        + "\"recommendations\":%s}")
                .formatted(id, difficulty, trace, answers);
    }

    /** Returns valid samples of both modalities, acting and silent. */
    static List<String> records(int count) {
        List<String> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String trace = i % 5 == 0 ? "{\"source\":\"picture\",\"picture\":\"a.png\"}" : "\"step " + i + "\"";
            records.add(record("s" + i, 1 + i % 3, trace, i % 3 == 0 ? "[]" : BOOK));
        }
        return records;
    }

    /** Returns a path in the test's folder. */
    final String at(String name) {
        return directory.resolve(name).toString();
    }

    /** Runs a job and returns its standard output. */
    final String job(int status, String... arguments) {
        capture(status, () -> SparkMain.execute(arguments));
        return printed;
    }

    /** Runs a single-machine command and returns its standard output. */
    final String local(Object group, int status, String... arguments) {
        capture(status, () -> dev.prpf.cli.Main.execute(dev.prpf.cli.Main.commandLine(group), arguments));
        return printed;
    }

    /** Returns the standard error of the last command. */
    final String stderr() {
        return stderr;
    }

    private void capture(int status, IntSupplier command) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream results = ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
        PrintStream errors = System.err;
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        int found;
        try {
            found = command.getAsInt();
        } finally {
            System.setErr(errors);
            ResultStream.redirect(results);
        }
        printed = out.toString(StandardCharsets.UTF_8);
        stderr = err.toString(StandardCharsets.UTF_8);
        assertThat(found).as(stderr).isEqualTo(status);
    }

    /** Returns the lines of a complete output folder, its files by name. */
    final List<String> parts(String folder) throws IOException {
        assertThat(directory.resolve(folder).resolve("_SUCCESS")).as(stderr).exists();
        List<String> lines = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory.resolve(folder))) {
            for (Path file : files.filter(one -> one.getFileName().toString().startsWith("part-"))
                    .sorted()
                    .toList()) {
                lines.addAll(Files.readAllLines(file));
            }
        }
        return lines;
    }
}
