package dev.prpf.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.data.command.DataCommand;
import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec.LongText;
import dev.prpf.data.encode.spec.ShippedEncoders;
import dev.prpf.spark.EncodeJob.TextEncoding;
import java.io.IOException;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;

class EncodeJobTest extends JobTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static List<String> texts(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> i % 4 == 0 ? "重复" : "第 " + i + " 条记录，打开地图")
                .toList();
    }

    private void writeTexts(String name, List<String> texts) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String text : texts) {
            lines.add(JSON.writeValueAsString(text));
        }
        writeLines(name, lines);
    }

    private static List<Row> read(String folder) {
        return SPARK.read().parquet(folder).orderBy("index").collectAsList();
    }

    private static void assertRows(List<Row> rows, List<String> texts, FloatBuffer expected) {
        assertThat(rows).hasSameSizeAs(texts);
        for (int i = 0; i < rows.size(); i++) {
            assertThat(rows.get(i).getString(1)).isEqualTo(texts.get(i));
            List<Float> vector = rows.get(i).getList(2);
            assertThat(vector).hasSize(512);
            for (float component : vector) {
                assertThat(component).isCloseTo(expected.get(), within(1e-5f));
            }
        }
        assertThat(expected.hasRemaining()).isFalse();
    }

    @Test
    void vectorsEqualThoseOfOneMachine() throws IOException {
        List<String> texts = texts(30);
        writeTexts("texts", texts);
        write("texts.json", JSON.writeValueAsString(texts));
        local(new DataCommand(), 0, "encode", "--texts", at("texts.json"), "--int8", "--out", at("local.safetensors"));
        FloatBuffer expected;
        try (SafeTensors file = SafeTensors.open(directory.resolve("local.safetensors"))) {
            expected = FloatBuffer.wrap(file.floats("embeddings"));
        }
        JsonNode summary =
                JSON.readTree(job(0, "encode", "--texts", at("texts"), "--int8", "--out", at("vectors"), "--json"));
        assertThat(summary.get("texts").intValue()).isEqualTo(30);
        assertThat(summary.get("width").intValue()).isEqualTo(512);
        assertThat(summary.get("text_encoder").textValue()).startsWith("bge-small-zh-v1.5");
        List<Row> rows = read(at("vectors"));
        assertThat(rows).extracting(row -> row.getLong(0)).first().isEqualTo(0L);
        assertRows(rows, texts, expected.duplicate());
        SPARK.createDataset(texts, Encoders.STRING())
                .toDF("text")
                .repartition(1)
                .write()
                .parquet(at("texts.parquet"));
        job(0, "encode", "--texts", at("texts.parquet"), "--int8", "--out", at("again"));
        assertThat(read(at("again"))).hasSize(30);
    }

    @Test
    void anExecutorLoadsAnEncoderOnce() {
        TextEncoding int8 =
                new TextEncoding(ShippedEncoders.DEFAULT, EncoderPrecision.INT8, LongText.MEAN_OF_WINDOWS, 0);
        TextEncoding equal =
                new TextEncoding(ShippedEncoders.DEFAULT, EncoderPrecision.INT8, LongText.MEAN_OF_WINDOWS, 0);
        TextEncoding other = new TextEncoding(ShippedEncoders.DEFAULT, EncoderPrecision.INT8, LongText.TRUNCATE, 0);
        assertThat(int8.open()).isSameAs(equal.open()).isNotSameAs(other.open());
    }

    @Test
    void linesWithoutTextGoToFailed() throws IOException {
        writeLines("texts", List.of("\"一\"", "7", "{\"text\":\"二\"}", "\"cut", "\"三\"", "{}"));
        job(65, "encode", "--texts", at("texts"), "--int8", "--out", at("vectors"));
        assertThat(stderr())
                .contains(at("texts") + ": record 1 (id #1), 7: is not a text: must be a JSON string [field-type]; ");
        assertThat(directory.resolve("vectors")).doesNotExist();
        job(0, "encode", "--texts", at("texts"), "--int8", "--out", at("vectors"), "--failed", at("failed"));
        assertThat(read(at("vectors")))
                .extracting(row -> row.getLong(0) + row.getString(1))
                .containsExactly("0一", "2二", "4三");
        assertThat(parts("failed")).hasSize(3).first().asString().contains("\"id\":\"#1\"");
    }

    @Test
    void textsOfSamplesAreEncodedOnceIntoTheStore() throws IOException {
        writeLines("data", records(20));
        job(0, "encode", "--data", at("data"), "--int8", "--out", at("vectors"), "--store", at("store"), "--json");
        assertThat(stderr()).contains(at("data") + ": 4 samples have screenshots, which this job does not encode");
        List<Row> rows = read(at("vectors"));
        assertThat(rows)
                .hasSize(3 + 16)
                .extracting(row -> row.getString(1))
                .startsWith("p", "d", "w", "step 1", "step 2");
        assertThat(rows)
                .extracting(row -> row.getLong(0))
                .startsWith(0L, 1L, 2L)
                .endsWith(18L);
        List<String> texts = records(20).stream()
                .filter(record -> !record.contains("picture"))
                .toList();
        write("texts.jsonl", String.join("\n", texts));
        JsonNode again = JSON.readTree(local(
                new DataCommand(),
                0,
                "encode",
                "--data",
                at("texts.jsonl"),
                "--int8",
                "--store",
                at("store"),
                "--json"));
        assertThat(again.get("encoded_now").intValue())
                .as("the store has them all")
                .isZero();
        job(0, "encode", "--data", at("data"), "--int8", "--sentences", "--out", at("sentences"));
        assertThat(read(at("sentences"))).hasSize(19);
    }

    @Test
    void contradictingOptionsAreRejectedBeforeReading() {
        job(2, "encode", "--texts", at("none"), "--out", at("v"), "--int8", "--text-encoder", "dir:x");
        assertThat(stderr())
                .contains("--int8 goes with the encoders that have 8-bit weights: --text-encoder bge-small-zh-v1.5 or");
        job(2, "encode", "--texts", at("none"), "--out", at("v"), "--long-text", "cut");
        assertThat(stderr()).contains("--long-text = cut, must be truncate or mean-of-windows");
        job(2, "encode", "--texts", at("none"), "--out", at("v"), "--text-encoder", "bge");
        assertThat(stderr()).contains("--text-encoder = ");
        job(2, "encode", "--texts", at("none"), "--out", at("v"), "--sentences");
        assertThat(stderr()).contains("--sentences goes with --data; --texts are encoded whole");
        job(2, "encode", "--texts", at("none"), "--data", at("none"), "--out", at("v"));
        assertThat(stderr()).contains("--texts=PATH, --data=PATH are mutually exclusive");
        job(2, "encode", "--texts", at("none"), "--out", at("v"), "--threads", "-2");
        assertThat(stderr()).contains("--threads = -2 must be at least 1");
    }
}
