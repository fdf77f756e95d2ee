package dev.prpf.data.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ResultStream;
import dev.prpf.data.io.FunctionPoolFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class DataCommandsTest {
    private static final String RECORD =
            """
            {"benchmark_metadata":{"id":"%s","difficulty_level":%s,"split":"test"},
             "reference_information":{"profile":"p","phone":"d","world":"w","trace":[%s]},"recommendations":%s}""";
    private static final String CALL = "{\"name\":\"search_transport\",\"parameters\":{}}";

    @TempDir
    private Path directory;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream before = System.out;

    @BeforeEach
    void redirect() {
        ResultStream.redirect(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void restore() {
        ResultStream.redirect(before);
    }

    private int run(String... arguments) {
        bytes.reset();
        return new CommandLine(new DataCommand()).execute(arguments);
    }

    private String output() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private String data(String... records) throws IOException {
        return Files.writeString(directory.resolve("data.json"), "[" + String.join(",", records) + "]")
                .toString();
    }

    private String pool() {
        Path file = directory.resolve("pool.json");
        FunctionPoolFile.write(FunctionPoolFile.shipped(), file);
        return file.toString();
    }

    @Test
    void validateAnswersOneJsonObject() throws IOException {
        String data = data(
                RECORD.formatted("一", "9", "\"s\"", "[]"),
                RECORD.formatted(
                        "b",
                        "1",
                        "\"\\ud800\"",
                        "[{\"instruction\":\"i\",\"functions\":[{\"name\":\"\\ud800\",\"parameters\":{}}]}]"));
        assertThat(run("validate", "--data", data, "--pool", pool(), "--json")).isEqualTo(65);
        JsonNode json = new ObjectMapper().readTree(output());
        assertThat(json.fieldNames()).toIterable().containsExactly("records", "fatal", "warnings", "findings");
        assertThat(json.get("records").intValue()).isEqualTo(2);
        assertThat(json.get("fatal").intValue()).isEqualTo(2);
        assertThat(json.get("warnings").intValue()).isEqualTo(2);
        assertThat(json.get("findings").size()).isEqualTo(4);
        assertThat(json.at("/findings/0/id").textValue()).isEqualTo("一");
        assertThat(json.at("/findings/0/value").intValue()).isEqualTo(9);
        assertThat(json.at("/findings/0/rule").textValue()).isEqualTo("difficulty-range");
        assertThat(json.at("/findings/1/rule").textValue()).isEqualTo("broken-text");
        assertThat(json.at("/findings/3/rule").textValue()).isEqualTo("unknown-function");
    }

    @Test
    void validateOfASoundFileEndsWithZero() throws IOException {
        String data = data(RECORD.formatted("a", "1", "\"s\"", "[]"));
        assertThat(run("validate", "--data", data, "--pool", pool())).isZero();
        assertThat(output()).isEqualTo(data + ": 1 record(s), 0 fatal finding(s), 0 warning(s)\n");
    }

    @Test
    void validateFindsFunctionsWithoutAScenario() throws IOException {
        String data = data(RECORD.formatted("a", "1", "\"s\"", "[]"));
        Path scenarios = Files.writeString(
                directory.resolve("scenarios.json"), "{\"scenarios\": [{\"name\": \"Home\"}], \"functions\": {}}");
        List<Exception> failures = new ArrayList<>();
        new CommandLine(new DataCommand())
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    failures.add(failure);
                    return 65;
                })
                .execute("validate", "--data", data, "--pool", pool(), "--scenarios", scenarios.toString());
        assertThat(failures)
                .singleElement()
                .asString()
                .contains("scenarios.json: has no scenario for 63 of 63 functions, first: ");
    }

    @Test
    void validateAsTextSaysWhereAndWhy() throws IOException {
        String data = data(RECORD.formatted("a", "9", "\"s\"", "[]"));
        assertThat(run("validate", "--data", data, "--pool", pool())).isEqualTo(65);
        assertThat(output().lines())
                .containsExactly(
                        "fatal    a  /benchmark_metadata/difficulty_level  difficulty-range: 9: must be 1, 2 or 3",
                        data + ": 1 record(s), 1 fatal finding(s), 0 warning(s)");
    }

    @Test
    void statsCountsWhatTableFiveCounts() throws IOException {
        String image = "{\"source\":\"picture\",\"picture\":\"a.png\"}";
        String data = data(
                RECORD.formatted(
                        "a",
                        "1",
                        image + "," + image,
                        "[{\"instruction\":\"i\",\"functions\":[" + CALL + "," + CALL + "]},{\"functions\":[]}]"),
                RECORD.formatted("b", "3", "\"s\"", "[]"),
                RECORD.formatted("c", "3", "\"s\"", "[]")
                        .replace(",\"recommendations\":[]", "")
                        .replace(",\"split\":\"test\"", ""));
        assertThat(run("stats", "--data", data, "--json")).isZero();
        JsonNode json = new ObjectMapper().readTree(output());
        assertThat(json.at("/by_split/test/multimodal").toString())
                .isEqualTo("{\"items\":1,\"intents\":2,\"images\":2,\"functions\":2,\"silent\":0,\"unlabelled\":0}");
        assertThat(json.at("/by_split/test/text").toString())
                .isEqualTo("{\"items\":1,\"intents\":1,\"images\":0,\"functions\":0,\"silent\":1,\"unlabelled\":0}");
        assertThat(json.at("/by_split/none/text/unlabelled").intValue()).isEqualTo(1);
        assertThat(json.at("/total/items").intValue()).isEqualTo(3);
        assertThat(json.get("by_difficulty").toString()).isEqualTo("{\"1\":1,\"2\":0,\"3\":2}");
        assertThat(json.at("/by_scenario/Transportation").intValue()).isEqualTo(1);
        assertThat(json.at("/by_scenario/none").intValue()).isEqualTo(2);
        assertThat(json.get("calls_per_answer").toString()).isEqualTo("{\"0\":2,\"2\":1}");
    }

    @Test
    void statsPrintsATable() throws IOException {
        assertThat(run("stats", "--data", data(RECORD.formatted("b", "3", "\"s\"", "[]"))))
                .isZero();
        assertThat(output().lines().map(line -> line.replaceAll(" +", " ").strip()))
                .startsWith("Split Data type Items Intents Images Functions Silent Unlabelled", "test text 1 1 0 0 1 0")
                .contains("Calls per answer", "Transportation 0");
    }
}
