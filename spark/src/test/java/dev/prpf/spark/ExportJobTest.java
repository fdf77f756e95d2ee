package dev.prpf.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.command.DataCommand;
import dev.prpf.data.io.SampleReader;
import dev.prpf.par.command.ExportCommand;
import dev.prpf.par.command.SftSetCommand;
import dev.prpf.par.sets.SftRecords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExportJobTest extends JobTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int RECORDS = 24;

    /** Makes records and a set from them, each as one file and as a folder of files. */
    @BeforeEach
    void makeSet() throws IOException {
        List<String> records = new ArrayList<>(records(RECORDS));
        records.replaceAll(record -> record.replace("{\"source\":\"picture\",\"picture\":\"a.png\"}", "\"打开地图\""));
        writeLines("data", records);
        write(
                "scenarios.json",
                "{\"scenarios\":[{\"name\":\"Transportation\",\"chinese\":\"出行\"}],\"functions\":{\"book\":\"Transportation\"}}");
        local(
                new SftSetCommand(),
                0,
                "--config",
                Path.of(System.getProperty("prpf.root", ".."))
                        .resolve("configs/data-sft-set.yaml")
                        .toString(),
                "--data",
                at("data.jsonl"),
                "--pool",
                at("pool.json"),
                "--scenarios",
                at("scenarios.json"),
                "--store",
                at("store"),
                "--out",
                at("made.jsonl"));
        writeLines("set", Files.readAllLines(directory.resolve("made.jsonl")));
    }

    private String onOne(String to, String input, String out, String... more) {
        return local(new ExportCommand(), 0, arguments(to, "--examples", input, out, more));
    }

    private String onSpark(int status, String to, String input, String out, String... more) {
        boolean records = input.startsWith("data") || input.contains("records");
        return job(
                status,
                Stream.concat(
                                Stream.of("export"),
                                Stream.of(arguments(to, records ? "--data" : "--examples", input, out, more)))
                        .toArray(String[]::new));
    }

    private String[] arguments(String to, String option, String input, String out, String... more) {
        List<String> all = new ArrayList<>(List.of("--to", to, option, at(input), "--out", at(out), "--json"));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    private static ObjectNode counts(String printed) throws IOException {
        return ((ObjectNode) JSON.readTree(printed)).without(List.of("out", "files"));
    }

    private void assertSameSideFiles(String spark, String local, List<String> rows) throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve(local))) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (!rows.contains(name)) {
                    assertThat(directory.resolve(spark).resolve(name)).as(name).hasSameTextualContentAs(file);
                }
            }
        }
        ObjectNode expected = manifest(local);
        ObjectNode found = manifest(spark);
        expected.remove("files");
        found.remove("files");
        assertThat(found).isEqualTo(expected);
    }

    private ObjectNode manifest(String folder) throws IOException {
        return (ObjectNode)
                JSON.readTree(directory.resolve(folder + "/export.json").toFile());
    }

    @ParameterizedTest
    @ValueSource(strings = {"llama-factory", "trl", "verl", "openrlhf", "ms-swift"})
    void sftRowsEqualThoseOfOneMachine(String to) throws IOException {
        String expected = onOne(to, "set.jsonl", "local");
        String found = onSpark(0, to, "set", "out");
        assertThat(counts(found)).isEqualTo(counts(expected));
        assertThat(parts("out/train"))
                .hasSize(RECORDS)
                .isEqualTo(Files.readAllLines(directory.resolve("local/train.jsonl")));
        assertSameSideFiles("out", "local", List.of("train.jsonl", "export.json"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"trl", "verl", "openrlhf", "slime", "ms-swift"})
    void grpoRowsEqualThoseOfOneMachine(String to) throws IOException {
        String pool = at("pool.json");
        String expected = onOne(to, "set.jsonl", "local", "--gold", at("data.jsonl"), "--pool", pool);
        String found = onSpark(0, to, "set", "out", "--gold", at("data"), "--pool", pool);
        assertThat(counts(found)).isEqualTo(counts(expected));
        assertThat(parts("out/train"))
                .hasSize(RECORDS)
                .isEqualTo(Files.readAllLines(directory.resolve("local/train.jsonl")));
        assertThat(parts("out/gold"))
                .isEqualTo(Files.readAllLines(directory.resolve("local/gold.json")).stream()
                        .filter(line -> line.startsWith("{"))
                        .map(line -> line.replaceAll(",$", ""))
                        .toList());
        assertSameSideFiles("out", "local", List.of("train.jsonl", "gold.json", "export.json"));
    }

    private static List<Row> rows(String place) {
        return SPARK.read().parquet(place).collectAsList();
    }

    @Test
    void parquetIsExchangedWithOneMachine() throws IOException {
        onOne("parquet", "data.jsonl", "local");
        String found = onSpark(0, "parquet", "data", "out");
        assertThat(counts(found).get("records").intValue()).isEqualTo(RECORDS);
        assertThat(rows(at("out/train")))
                .hasSize(RECORDS)
                .containsExactlyInAnyOrderElementsOf(rows(at("local/*.parquet")));
        String expected = local(new DataCommand(), 0, "stats", "--data", at("data.jsonl"), "--json");
        assertThat(job(0, "stats", "--data", at("local/*.parquet"), "--json")).isEqualTo(expected);
        assertThat(local(new DataCommand(), 0, "stats", "--data", at("out/train"), "--json"))
                .isEqualTo(expected);
        assertThat(SampleReader.readAll(directory.resolve("out/train")))
                .isEqualTo(SampleReader.readAll(directory.resolve("data.jsonl")))
                .isEqualTo(SampleReader.readAll(directory.resolve("local")));
    }

    @Test
    void aSetGoesThroughParquetAndBack() throws IOException {
        onOne("parquet", "set.jsonl", "local");
        onSpark(0, "parquet", "set", "out");
        SftRecords expected = SftRecords.read(directory.resolve("set.jsonl"));
        assertThat(SftRecords.read(directory.resolve("out/train")).records()).isEqualTo(expected.records());
        assertThat(SftRecords.read(directory.resolve("local")).records()).isEqualTo(expected.records());
        onOne("trl", "set.jsonl", "rows");
        for (String set : List.of("local/*.parquet", "out/train")) {
            onSpark(0, "trl", set, "again-" + set.length());
            assertThat(parts("again-" + set.length() + "/train"))
                    .isEqualTo(Files.readAllLines(directory.resolve("rows/train.jsonl")));
        }
        onSpark(0, "parquet", "set", "prompts", "--gold", at("data"), "--pool", at("pool.json"));
        onOne("parquet", "set.jsonl", "local-prompts", "--gold", at("data.jsonl"), "--pool", at("pool.json"));
        assertThat(rows(at("prompts/train")))
                .hasSize(RECORDS)
                .containsExactlyInAnyOrderElementsOf(rows(at("local-prompts/*.parquet")));
    }

    @Test
    void invalidSetIsRejectedNamingTheFirstRecord() throws IOException {
        List<String> set = Files.readAllLines(directory.resolve("set.jsonl"));
        List<String> broken = new ArrayList<>(set);
        broken.set(20, "{}");
        broken.set(9, broken.get(9).replaceFirst("\"id\":\"[^\"]*\"", "\"id\":\" \""));
        writeLines("broken", broken);
        onSpark(65, "trl", "broken", "out");
        assertThat(stderr()).contains(at("broken") + ": record 9: is no SFT record: id is blank");
        JsonNode other = JSON.readTree(set.get(5));
        ((ObjectNode) other).put("wording", "0".repeat(64));
        broken.clear();
        broken.addAll(set);
        broken.set(5, other.toString());
        writeLines("unlike", broken);
        onSpark(65, "trl", "unlike", "out");
        assertThat(stderr())
                .contains(at("unlike") + ": record 5: its prompt is written as ", "give each set separately");
        write("none.jsonl", "\n");
        onSpark(65, "trl", "none.jsonl", "out");
        assertThat(stderr()).contains(at("none.jsonl") + ": holds no SFT records");
        assertThat(directory.resolve("out")).doesNotExist();
    }

    @Test
    void goldMustMatchTheSet() throws IOException {
        String pool = at("pool.json");
        List<String> gold = Files.readAllLines(directory.resolve("data.jsonl"));
        List<String> twice = new ArrayList<>(gold);
        twice.add(gold.get(3));
        writeLines("records-twice", twice);
        onSpark(65, "trl", "set", "out", "--gold", at("records-twice"), "--pool", pool);
        assertThat(stderr()).contains(": record 24, at /benchmark_metadata/id: \"s3\" is the id of record 3 already");
        writeLines("records-few", gold.subList(4, 22));
        onSpark(65, "trl", "set", "out", "--gold", at("records-few"), "--pool", pool);
        assertThat(stderr()).contains(at("records-few") + ": has no sample \"s0\", which is a record of the set");
        List<String> unknown = new ArrayList<>(gold);
        unknown.replaceAll(record -> record.replace("\"book\"", "\"fly\""));
        writeLines("records-unknown", unknown);
        onSpark(65, "trl", "set", "out", "--gold", at("records-unknown"), "--pool", pool);
        assertThat(stderr())
                .contains("record 1: answers call functions that are not in " + pool, "\"fly\" (sample s1)");
    }

    @Test
    void contradictingOptionsAreRejected() {
        onSpark(2, "trl", "data", "out");
        assertThat(stderr()).contains("--data goes with --to parquet, and not with --gold");
        onSpark(2, "trl", "set", "out", "--pool", at("pool.json"));
        assertThat(stderr()).contains("--pool and --reward belong to a GRPO set; give its samples with --gold");
        onSpark(2, "slime", "set", "out");
        assertThat(stderr()).contains("slime gets none; export to one of llama-factory, trl");
        onSpark(2, "llama-factory", "set", "out", "--gold", at("data"));
        assertThat(stderr()).contains("llama-factory has no GRPO");
        onSpark(2, "trl", "set", "out", "--failed", at("failed"));
        assertThat(stderr()).contains("--failed goes with --data");
    }
}
