package dev.prpf.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.eval.command.EvalCommand;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.sql.Encoders;
import org.junit.jupiter.api.Test;

class ScoreJobTest extends JobTest {
    private static String prediction(String id, String calls) {
        return "{\"id\":\"" + id
                + "\",\"route\":\"reasoned\",\"p_trigger\":0.5,\"scenarios\":{},\"response\":\"r\",\"calls\":" + calls
                + "}";
    }

    private static List<String> predictions(int count) {
        List<String> calls = List.of(
                "[]",
                "null",
                "[[{\"name\":\"book\",\"parameters\":{\"from\":\"武汉\",\"seats\":2}}]]",
                "[[{\"name\":\"book\",\"parameters\":{\"from\":\"北京\"}},{\"name\":\"find\",\"parameters\":{}}]]");
        List<String> lines = new ArrayList<>(IntStream.range(0, count)
                .mapToObj(i -> prediction("s" + i, calls.get((i * 7 + i / 5) % calls.size())))
                .toList());
        Collections.shuffle(lines, new Random(1));
        return lines;
    }

    private String[] arguments(String gold, String predictions, String... more) {
        List<String> all = new ArrayList<>(
                List.of("score", "--gold", at(gold), "--predictions", at(predictions), "--pool", at("pool.json")));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    @Test
    void scoresEqualThoseOfOneMachine() throws IOException {
        writeLines("gold", records(90));
        writeLines("predictions", predictions(90));
        write(
                "scenarios.json",
                "{\"scenarios\":[{\"name\":\"Transportation\",\"chinese\":\"出行\"}],\"functions\":{\"book\":\"Transportation\"}}");
        for (List<String> more : List.of(
                List.of("--json"),
                List.of("--json", "--scenarios", at("scenarios.json"), "--cluster-by", "sample", "--resamples", "99"),
                List.of("--unseen", "Smart Home"))) {
            String[] options = more.toArray(String[]::new);
            String found = job(0, arguments("gold", "predictions", options));
            String expected = local(new EvalCommand(), 0, arguments("gold.jsonl", "predictions.jsonl", options));
            assertThat(withoutProvenance(found))
                    .isEqualTo(withoutProvenance(expected))
                    .contains("90");
        }
    }

    @Test
    void nullCallsInParquetAreMalformedResponses() throws IOException {
        List<String> predictions = new ArrayList<>(predictions(60));
        predictions.replaceAll(line -> line.replace("\"scenarios\":{},", ""));
        writeLines("gold", records(60));
        writeLines("predictions", predictions);
        SPARK.read()
                .json(SPARK.createDataset(predictions, Encoders.STRING()))
                .repartition(2)
                .write()
                .parquet(at("parquet"));
        String expected = job(0, arguments("gold", "predictions", "--json"));
        assertThat(job(0, arguments("gold", "parquet", "--json"))).isEqualTo(expected);
        assertThat(expected).contains("\"malformed\":12,");
    }

    /** The printed table ends with the input files. */
    private static String withoutProvenance(String text) {
        return text.startsWith("{") ? text : text.lines().limit(6).toList().toString();
    }

    @Test
    void misfitsAreReportedAsOnOneMachine() throws IOException {
        List<String> gold = new ArrayList<>(records(60));
        gold.set(9, gold.get(9).replace(",\"recommendations\":[]", ""));
        gold.add(gold.get(4));
        List<String> predictions = predictions(60);
        predictions.removeIf(line -> line.contains("\"s1"));
        predictions.add(prediction("else", "[]"));
        writeLines("gold", gold);
        writeLines("predictions", predictions);
        local(new EvalCommand(), 65, arguments("gold.jsonl", "predictions.jsonl"));
        String expected = stderr().lines()
                .filter(line -> line.startsWith("error"))
                .findFirst()
                .orElseThrow();
        job(65, arguments("gold", "predictions"));
        assertThat(stderr().lines().filter(line -> line.startsWith("error")))
                .containsExactly(expected.replace(".jsonl", ""));
        assertThat(expected).contains("1 x duplicate sample id: s4", "11 x sample without prediction: s1,");
    }

    @Test
    void duplicatePredictionIsRejected() throws IOException {
        List<String> predictions = predictions(30);
        predictions.add(prediction("s3", "[]"));
        writeLines("gold", records(30));
        writeLines("predictions", predictions);
        job(65, arguments("gold", "predictions"));
        assertThat(stderr()).contains("1 x duplicate predicted id: s3. The rule is one prediction for each");
    }

    @Test
    void unreadableLineIsNamed() throws IOException {
        List<String> predictions = predictions(30);
        predictions.set(8, prediction("s8", "7"));
        writeLines("gold", records(30));
        writeLines("predictions", predictions);
        job(65, arguments("gold", "predictions"));
        assertThat(stderr()).contains(at("predictions") + ", prediction 8: is no prediction: ");
        List<String> gold = new ArrayList<>(records(30));
        gold.set(29, record("s29", 0, "\"s\"", "[]"));
        writeLines("gold", gold);
        writeLines("predictions", predictions(30));
        job(65, arguments("gold", "predictions"));
        assertThat(stderr())
                .contains(at("gold")
                        + ": record 29 (id s29), at /benchmark_metadata/difficulty_level: 0: must be 1, 2 or 3");
    }

    @Test
    void withoutSamplesThereIsNoScore() throws IOException {
        write("gold.jsonl", "\n");
        write("predictions.jsonl", prediction("a", "[]"));
        job(65, arguments("gold.jsonl", "predictions.jsonl"));
        assertThat(stderr()).contains(at("gold.jsonl") + ": holds no samples, so there is nothing to score");
    }
}
