package dev.prpf.data.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.DecimalNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SampleWriterTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final DeviceContext CONTEXT = new DeviceContext("用户画像 \"引号\"\n", "电量 5%", "晴 🌞 \u0001");

    @TempDir
    private Path directory;

    private static List<Sample> samples() throws IOException {
        Map<String, JsonNode> parameters = new LinkedHashMap<>();
        parameters.put("text", JSON.readTree("\"火车\""));
        parameters.put("number", JSON.readTree("12345678901234567890"));
        parameters.put("decimal", JSON.readTree("0.1"));
        parameters.put("huge", DecimalNode.valueOf(new BigDecimal("1e400")));
        parameters.put("list", JSON.readTree("[\"a\", 1, true, null]"));
        parameters.put("dict", JSON.readTree("{\"b\": {\"c\": []}}"));
        parameters.put("empty", JSON.readTree("null"));
        FunctionCall call = new FunctionCall("book_transport", parameters);
        return List.of(
                new Sample(
                        "text",
                        1,
                        "train",
                        "Transportation",
                        CONTEXT,
                        Trajectory.ofTexts(List.of("一", "二")),
                        List.of(
                                new Recommendation("订票", List.of(call, new FunctionCall("other", Map.of()))),
                                new Recommendation("", List.of()))),
                new Sample("silent", 2, null, null, CONTEXT, Trajectory.ofTexts(List.of("x")), List.of()),
                new Sample(
                        "unlabelled",
                        3,
                        "test",
                        "none",
                        CONTEXT,
                        new Trajectory(List.of(new TraceStep.Screenshot("a/b.png"), new TraceStep.Caption("c"))),
                        null));
    }

    @Test
    void whatIsWrittenReadsBackEqual() throws IOException {
        Path file = directory.resolve("new/data.json");
        Iterator<Sample> samples = samples().stream()
                .peek(sample -> assertThat(file).doesNotExist())
                .iterator();
        SampleWriter.write(file, samples);
        assertThat(SampleReader.readAll(file)).isEqualTo(samples());
        assertThat(names(directory.resolve("new"))).containsExactly("data.json");
    }

    @Test
    void theFileIsWhatTheFormatSays() throws IOException {
        Path file = directory.resolve("data.json");
        SampleWriter.write(file, samples().iterator());
        JsonNode root = JSON.readTree(file.toFile());
        assertThat(root.at("/0/recommendations/0/instruction").textValue()).isEqualTo("订票");
        assertThat(root.at("/0/recommendations/0/functions/0/parameters/list").size())
                .isEqualTo(4);
        assertThat(root.at("/0/recommendations/1/functions").toString()).isEqualTo("[]");
        assertThat(root.at("/0/benchmark_metadata").toString())
                .isEqualTo(
                        "{\"id\":\"text\",\"difficulty_level\":1,\"split\":\"train\",\"scenario\":\"Transportation\"}");
        assertThat(root.at("/1/recommendations").toString()).isEqualTo("[]");
        assertThat(root.at("/1/reference_information/trace").toString()).isEqualTo("[\"x\"]");
        assertThat(root.get(2).has("recommendations")).isFalse();
        assertThat(root.at("/2/reference_information/trace").toString())
                .isEqualTo("[{\"source\":\"picture\",\"picture\":\"a/b.png\"},{\"source\":\"text\",\"text\":\"c\"}]");
        assertThat(Files.readAllLines(file)).hasSize(5).first().isEqualTo("[");
    }

    @Test
    void noSamplesGiveAnEmptyArray() throws IOException {
        Path file = directory.resolve("data.json");
        SampleWriter.write(file, Stream.<Sample>empty().iterator());
        assertThat(Files.readString(file)).isEqualTo("[]\n");
        assertThat(SampleReader.readAll(file)).isEmpty();
    }

    @Test
    void afterAFailureTheOldFileStandsAndNothingElse() throws IOException {
        Path file = Files.writeString(directory.resolve("data.json"), "old");
        Stream<Sample> failing = Stream.concat(samples().stream(), Stream.generate(() -> {
            throw new IllegalStateException("source failed");
        }));
        assertThatThrownBy(() -> SampleWriter.write(file, failing.iterator())).hasMessage("source failed");
        assertThat(file).hasContent("old");
        assertThat(names(directory)).containsExactly("data.json");
    }

    @Test
    void aTextThatIsNoUnicodeIsRefused() throws IOException {
        Sample broken = new Sample(
                "b", 1, null, null, new DeviceContext("\uD800", "", ""), Trajectory.ofTexts(List.of("x")), null);
        Path file = directory.resolve("data.json");
        assertThatThrownBy(() -> SampleWriter.write(file, List.of(broken).iterator()))
                .isInstanceOf(PrpfException.class)
                .hasMessageContaining("sample b cannot be written")
                .hasMessageContaining("urrogate");
        assertThat(names(directory)).isEmpty();
    }

    @Test
    void aPlaceThatCannotBeWrittenIsNamed() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");
        assertThatThrownBy(() -> SampleWriter.write(file.resolve("data.json"), Collections.emptyIterator()))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.UNAVAILABLE))
                .hasMessageContaining("cannot write " + file);
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(path -> String.valueOf(path.getFileName())).toList();
        }
    }
}
