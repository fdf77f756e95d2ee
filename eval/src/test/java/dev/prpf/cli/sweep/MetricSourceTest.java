package dev.prpf.cli.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.cli.sweep.MemberRun.MemberRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricSourceTest {
    @TempDir
    Path directory;

    private MemberRecord record;

    private static MemberRecord.Step step(String result) throws IOException {
        return new MemberRecord.Step("./prpf x", 1, new ObjectMapper().readTree(result));
    }

    @BeforeEach
    void aMember() throws IOException {
        record = new MemberRecord(
                0,
                "m",
                Map.of(),
                List.of(step("{\"loss\": 0.5}"), step("{\"overall\": {\"sr\": 56.1, \"name\": \"x\"}, \"a/b\": 3}")),
                0,
                null);
        Files.writeString(
                directory.resolve("tables.json"),
                "{\"shortlist\": [{\"k\": 1, \"recall\": 75}, {\"k\": 5, \"recall\": 92.7}]}");
        Files.writeString(directory.resolve("metrics.jsonl"), "{\"loss\": 2}\n{\"loss\": 1}\n\n");
    }

    private @Nullable Double value(String source) {
        return MetricSource.parse(source).of(directory, record);
    }

    @Test
    void aSourceIsAResultOrAFileAndAPlaceInIt() {
        assertThat(value("overall.sr")).isEqualTo(56.1);
        assertThat(value("#/overall/sr")).isEqualTo(56.1);
        assertThat(value("#/a~1b")).isEqualTo(3);
        assertThat(value("1#/loss")).isEqualTo(0.5);
        assertThat(value("tables.json#/shortlist/0/recall")).isEqualTo(75);
        assertThat(value("tables.json#/shortlist/k=5/recall")).isEqualTo(92.7);
        assertThat(value("metrics.jsonl#/loss")).as("of the last line").isEqualTo(1);
        assertThat(value(directory.resolve("tables.json") + "#/shortlist/k=1/recall"))
                .isEqualTo(75);
    }

    @Test
    void whatIsNotThereOrNoNumberIsNull() {
        assertThat(value("overall.name")).isNull();
        assertThat(value("overall.f1")).isNull();
        assertThat(value("3#/loss")).isNull();
        assertThat(value("0#/loss")).isNull();
        assertThat(value("none.json#/x")).isNull();
        assertThat(value("tables.json#/shortlist/k=7/recall")).isNull();
        assertThat(value("tables.json#/shortlist/recall")).isNull();
    }

    @Test
    void aFileThatIsNoJsonIsBadData() throws IOException {
        Files.writeString(directory.resolve("torn.jsonl"), "{\"loss\": 2}\n{\"lo");
        assertThatThrownBy(() -> value("torn.jsonl#/loss"))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining("torn.jsonl:2: is not JSON");
    }

    @Test
    void namesStandBeforeTheirSource() {
        assertThat(MetricSource.named(List.of("sr=#/overall/sr", "overall.f1", "r=t.json#/shortlist/k=5/recall")))
                .containsExactly(
                        Map.entry("sr", "#/overall/sr"),
                        Map.entry("overall.f1", "overall.f1"),
                        Map.entry("r", "t.json#/shortlist/k=5/recall"));
        assertThat(MetricSource.named(List.of("t.json#/shortlist/k=5/recall")))
                .as("an equals sign behind the # is the pointer's")
                .containsKey("t.json#/shortlist/k=5/recall");
        assertThatThrownBy(() -> MetricSource.named(List.of("a.b", "a.b"))).hasMessage("\"a.b\" is a duplicate");
        assertThatThrownBy(() -> MetricSource.parse("x.json#loss"))
                .hasMessageContaining("\"x.json#loss\", must be a.b");
        assertThatThrownBy(() -> MetricSource.parse("a/b")).hasMessageContaining("must be a.b");
    }
}
