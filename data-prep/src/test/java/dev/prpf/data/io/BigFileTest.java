package dev.prpf.data.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.parquet.ParquetShardWriter;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads and checks a file four times the heap, since memory holds one record. */
@Tag("slow")
class BigFileTest {
    private static final int RECORDS = 12_000;
    private static final String HEAP = "-Xmx24m";

    @TempDir
    private Path directory;

    @Test
    void aFileLargerThanTheHeapIsReadAndChecked() throws IOException, InterruptedException {
        Path data = directory.resolve("big.json");
        SampleWriter.write(
                data, IntStream.range(0, RECORDS).mapToObj(BigFileTest::sample).iterator());
        assertThat(Files.size(data)).isGreaterThan((4L * 24) << 20);
        Path pool = Files.writeString(directory.resolve("pool.json"), "{}");
        assertThat(probe(data, pool)).isEqualTo(RECORDS + " " + RECORDS + " " + RECORDS);
    }

    /** Row groups of 32 MiB, so that not even one fits. */
    @Test
    void soIsParquet() throws IOException, InterruptedException {
        new ParquetShardWriter(directory, RecordColumns.WRITTEN, ParquetShardWriter.LARGEST)
                .write(
                        "big",
                        IntStream.range(0, RECORDS)
                                .mapToObj(BigFileTest::sample)
                                .map(RecordColumns::row)
                                .iterator());
        Path pool = Files.writeString(directory.resolve("pool.json"), "{}");
        assertThat(probe(directory.resolve("big"), pool)).isEqualTo(RECORDS + " " + RECORDS + " " + RECORDS);
    }

    /** One defect per record: a function that the pool lacks. */
    private static Sample sample(int i) {
        String text = "背景文字" + i + "长".repeat(1000);
        return new Sample(
                "sample-" + i,
                1 + i % 3,
                null,
                null,
                new DeviceContext(text, text, text),
                Trajectory.ofTexts(List.of("一步")),
                List.of(new Recommendation("做", List.of(new FunctionCall("absent", Map.of())))));
    }

    private String probe(Path data, Path pool) throws IOException, InterruptedException {
        Path output = directory.resolve("output.txt");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        HEAP,
                        "-cp",
                        System.getProperty("java.class.path"),
                        BigFileProbe.class.getName(),
                        data.toString(),
                        pool.toString())
                .redirectOutput(output.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        String printed = Files.readString(output, StandardCharsets.UTF_8).strip();
        assertThat(process.exitValue()).as(printed).isZero();
        return printed;
    }
}
