package dev.prpf.spark;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.command.DataCommand;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.Encoders;
import org.junit.jupiter.api.Test;

class ParquetColumnsTest extends JobTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Writes records as Parquet with structs and lists, like a converter from JSON. */
    private void toParquet(String name, List<String> records, int files) {
        SPARK.read()
                .json(SPARK.createDataset(records, Encoders.STRING()))
                .repartitionByRange(files, col("benchmark_metadata.id"))
                .sortWithinPartitions("benchmark_metadata.id")
                .write()
                .parquet(at(name));
    }

    /** Sorts records by id and gives all steps one form, since a column has one type. */
    private static List<String> sorted() {
        List<String> records = new ArrayList<>(records(40));
        records.sort(Comparator.comparing(record -> record.substring(0, record.indexOf(','))));
        records.replaceAll(record -> record.replaceFirst("\\[(\"step \\d+\")]", "[{\"source\":\"text\",\"text\":$1}]"));
        return records;
    }

    @Test
    void rowsEqualJsonRecordsInFileOrder() throws IOException {
        List<String> records = sorted();
        int[] acting = IntStream.range(0, 40)
                .filter(i -> records.get(i).contains("seats"))
                .toArray();
        records.set(acting[3], records.get(acting[3]).replace("\"seats\":2", "\"seats\":2,\"speed\":1"));
        records.set(acting[20], records.get(acting[20]).replace("\"seats\"", "\"wings\":true,\"seats\""));
        writeLines("json", records);
        toParquet("records/here and there.parquet", records, 3);
        assertThat(job(0, "stats", "--data", at("records"), "--json"))
                .isEqualTo(local(new DataCommand(), 0, "stats", "--data", at("json.jsonl"), "--json"));
        job(65, "validate", "--pool", at("pool.json"), "--data", at("json"), "--out", at("of-json"));
        job(65, "validate", "--pool", at("pool.json"), "--data", at("records"), "--out", at("of-parquet"));
        assertThat(parts("of-parquet"))
                .as("two parameters that the function does not have, and that images were not looked for")
                .isEqualTo(parts("of-json"))
                .hasSize(3);
    }

    @Test
    void parametersMayBeJsonText() throws IOException {
        List<String> records = sorted();
        writeLines("json", records);
        List<String> asText = records.stream()
                .map(record -> record.replace(
                        "{\"from\":\"武汉\",\"seats\":2}", "\"{\\\"from\\\":\\\"武汉\\\",\\\"seats\\\":2}\""))
                .toList();
        assertThat(asText).isNotEqualTo(records);
        toParquet("records", asText, 2);
        assertThat(job(0, "stats", "--data", at("records"), "--json"))
                .isEqualTo(local(new DataCommand(), 0, "stats", "--data", at("json.jsonl"), "--json"));
    }

    @Test
    void traceMayBeJsonText() throws IOException {
        List<String> records = sorted();
        writeLines("json", records);
        List<String> asText = new ArrayList<>();
        for (String record : records) {
            ObjectNode tree = (ObjectNode) JSON.readTree(record);
            ObjectNode reference = (ObjectNode) tree.get("reference_information");
            reference.put("trace", reference.get("trace").toString());
            asText.add(tree.toString());
        }
        toParquet("records", asText, 1);
        String expected = local(new DataCommand(), 0, "stats", "--data", at("json.jsonl"), "--json");
        assertThat(job(0, "stats", "--data", at("records"), "--json")).isEqualTo(expected);
        assertThat(local(new DataCommand(), 0, "stats", "--data", at("records"), "--json"))
                .isEqualTo(expected);
    }

    @Test
    void invalidJsonTextIsLeftToTheRecordRules() throws IOException {
        toParquet(
                "records", List.of(record("a", 1, "\"s\"", BOOK.replace("{\"from\":\"武汉\",\"seats\":2}", "\"x\""))), 1);
        job(65, "stats", "--data", at("records"));
        assertThat(stderr()).contains("/recommendations/0/functions/0/parameters: \"x\": ", "object");
    }

    @Test
    void otherSchemaIsRejectedWithFileColumnAndType() throws IOException {
        String record = record("a", 1, "\"s\"", "[]");
        toParquet("ids", List.of(record.replace("\"a\"", "5")), 1);
        job(65, "stats", "--data", at("ids"));
        assertThat(stderr())
                .contains(".parquet: column benchmark_metadata.id is integer, must be string; its columns are [benchm");
        toParquet("trace", List.of(record.replace("[\"s\"]", "7")), 1);
        job(65, "stats", "--data", at("trace"));
        assertThat(stderr())
                .contains(
                        "column reference_information.trace is integer, must be list<struct<>> or a string of JSON; ");
        SPARK.createDataset(List.of("t"), Encoders.STRING())
                .toDF("text")
                .write()
                .parquet(at("texts"));
        job(65, "stats", "--data", at("texts"));
        assertThat(stderr())
                .contains(
                        "column benchmark_metadata is missing, must be struct<",
                        "; its columns are [text], docs/SPARK.md");
        job(65, "encode", "--texts", at("ids"), "--out", at("v"));
        assertThat(stderr()).contains("column text is missing, must be string; its columns are [benchmark_metadata, ");
    }

    @Test
    void fileThatIsNotParquetIsNamed() throws IOException {
        write("records/a.parquet", "no Parquet at all");
        job(65, "stats", "--data", at("records"));
        assertThat(stderr()).contains("a.parquet: cannot be read as Parquet: ");
    }
}
