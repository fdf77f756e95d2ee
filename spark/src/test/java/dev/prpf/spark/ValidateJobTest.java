package dev.prpf.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.data.command.DataCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ValidateJobTest extends JobTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static List<String> defective() {
        List<String> records = new ArrayList<>(records(40));
        records.set(3, record("", 1, "\"s\"", "[]"));
        records.set(7, record("s5", 9, "\"s\"", BOOK)); // an id of an earlier record
        records.set(12, record("s12", 1, "\" \"", BOOK.replace("book", "fly")));
        records.set(
                20,
                record("s5", 2, "{\"source\":\"picture\",\"picture\":\"/a.png\"}", "[]")
                        .replace("\"p\"", "NaN"));
        records.set(21, records.get(21).replace(",\"recommendations\":[]", ""));
        records.set(22, records.get(22).replace("\"world\":\"w\"", "\"world\":\"\\ud800\",\"world\":\"w\""));
        records.set(39, record("s0", 4, "1", "{}"));
        return records;
    }

    private void assertEqualsLocal(String data, String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("validate", "--pool", at("pool.json"), "--json"));
        arguments.addAll(List.of(options));
        List<String> onSpark = new ArrayList<>(arguments);
        arguments.addAll(List.of("--data", at(data + ".jsonl")));
        onSpark.addAll(List.of("--data", at(data), "--out", at("findings")));
        JsonNode expected = JSON.readTree(local(new DataCommand(), 65, arguments.toArray(String[]::new)));
        JsonNode found = JSON.readTree(job(65, onSpark.toArray(String[]::new)));
        for (String count : List.of("records", "fatal", "warnings")) {
            assertThat(found.get(count)).as(count).isEqualTo(expected.get(count));
        }
        List<String> findings = new ArrayList<>();
        expected.get("findings").forEach(finding -> findings.add(finding.toString()));
        assertThat(findings).hasSizeGreaterThan(8);
        assertThat(parts("findings")).isEqualTo(findings);
    }

    @Test
    void findingsEqualThoseOfOneMachine() throws IOException {
        write("pool.json", POOL.replace("\"find\"]", "\"lost\"]"));
        writeLines("data", defective());
        assertEqualsLocal("data");
    }

    @Test
    void missingImagesAreFindings() throws IOException {
        writeLines("data", defective());
        Files.createDirectories(directory.resolve("images"));
        write("images/a.png", "no image");
        assertEqualsLocal("data", "--images", at("images"), "--unlabelled");
    }

    @Test
    void validRecordsLeaveACompleteEmptyFolder() throws IOException {
        write("data.jsonl", record("a", 1, "\"s\"", BOOK) + "\n" + record("b", 2, "\"s\"", "[]"));
        String summary = job(
                0,
                "validate",
                "--data",
                at("data.jsonl"),
                "--pool",
                at("pool.json"),
                "--out",
                at("findings"),
                "--json");
        assertThat(summary)
                .isEqualTo("{\"records\":2,\"fatal\":0,\"warnings\":0,\"out\":\"" + at("findings") + "\"}\n");
        assertThat(parts("findings")).isEmpty();
    }

    @Test
    void malformedLineIsAFindingAndOthersAreChecked() throws IOException {
        write("data.jsonl", "{\"benchmark_metadata\":\n\n" + record("b", 5, "\"s\"", "[]") + "\nno JSON\n");
        job(65, "validate", "--data", at("data.jsonl"), "--pool", at("pool.json"), "--out", at("findings"));
        assertThat(parts("findings"))
                .extracting(line -> JSON.readTree(line).get("id").textValue() + " "
                        + JSON.readTree(line).get("rule").textValue())
                .containsExactly("#0 truncated-json", "b difficulty-range", "#2 malformed-json");
    }

    @Test
    void noRecordsAreAWarning() throws IOException {
        write("data.jsonl", "\n");
        job(0, "validate", "--data", at("data.jsonl"), "--pool", at("pool.json"), "--out", at("findings"));
        assertThat(parts("findings")).singleElement().asString().contains("\"no-records\"");
    }

    @Test
    void restartedTaskWritesNothingTwice() throws IOException {
        writeLines("data", defective());
        FlakyFileSystem.failOnce("part-1.jsonl", 2000);
        SPARK.sparkContext().hadoopConfiguration().set("fs.flaky.impl", FlakyFileSystem.class.getName());
        List<String> whole = findings("flaky://" + at("data"), "died");
        assertThat(FlakyFileSystem.failures()).isEqualTo(1);
        assertThat(whole).isEqualTo(findings(at("data"), "undisturbed"));
    }

    private List<String> findings(String data, String out) throws IOException {
        job(65, "validate", "--data", data, "--pool", at("pool.json"), "--out", at(out));
        return parts(out);
    }

    @Test
    void existingOutputIsRejectedBeforeReading() throws IOException {
        write("findings/part-00000", "mine");
        job(2, "validate", "--data", at("none"), "--pool", at("pool.json"), "--out", at("findings"));
        assertThat(stderr())
                .contains("--out " + at("findings") + ": exists already; name another folder, or remove this one");
        assertThat(directory.resolve("findings/part-00000")).hasContent("mine");
    }

    @Test
    void emptyFolderOfAFailedJobIsReused() throws IOException {
        Files.createDirectories(directory.resolve("findings"));
        write("data.jsonl", record("a", 1, "\"s\"", "[]"));
        job(0, "validate", "--data", at("data.jsonl"), "--pool", at("pool.json"), "--out", at("findings"));
        assertThat(parts("findings")).isEmpty();
    }

    @Test
    void missingInputsAreNamed() throws IOException {
        String[] arguments = {"validate", "--data", at("none"), "--pool", at("pool.json"), "--out", at("findings")};
        job(65, arguments);
        assertThat(stderr()).contains(at("none") + ": there is no such file, or no file in it; name a file, a folder");
        Files.createDirectories(directory.resolve("none"));
        job(65, arguments);
        assertThat(stderr()).contains(at("none") + ": there is no such file, or no file in it");
        write("none/data.json", " \n[" + record("a", 1, "\"s\"", "[]") + "]");
        job(65, arguments);
        assertThat(stderr())
                .contains("none/data.json: holds a JSON array, which cannot be cut into partitions; write it as");
        write("none/b.parquet", "x");
        job(65, arguments);
        assertThat(stderr()).contains(at("none") + ": 1 of its 2 files end with .parquet and the others do not");
    }

    @Test
    void missingImageRootIsRejected() throws IOException {
        write("data.jsonl", record("a", 1, "\"s\"", "[]"));
        String root = at("no-images");
        job(65, "validate", "--data", at("data.jsonl"), "--pool", at("pool.json"), "--out", at("o"), "--images", root);
        assertThat(stderr()).contains("image root " + root + " is not a directory");
    }
}
