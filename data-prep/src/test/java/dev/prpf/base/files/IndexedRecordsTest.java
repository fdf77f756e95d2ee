package dev.prpf.base.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IndexedRecordsTest {
    @TempDir
    Path directory;

    /** A line of the file. */
    record Entry(String id, String text) {}

    private static final RecordLines<Entry> LINES = new RecordLines<>(Entry.class, "entry");

    private Path file(String... lines) throws IOException {
        return Files.writeString(directory.resolve("entries.jsonl"), String.join("\n", lines));
    }

    private static IndexedRecords<Entry> open(Path file) {
        return new IndexedRecords<>(file, "an id stands once", LINES, (place, entry) -> entry.id());
    }

    @Test
    void recordsComeInAnyOrderWhateverTheirLength() throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < 700; i++) { // more than one block of the reader, and lines longer than a block
            entries.add(new Entry("e" + i, "文".repeat(i % 97 == 3 ? 150_000 : i)));
        }
        Path file = file(entries.stream().map(LINES::line).toArray(String[]::new));
        try (IndexedRecords<Entry> records = open(file)) {
            assertThat(records.keys()).hasSize(700).startsWith("e0", "e1");
            Collections.shuffle(entries, new Random(3));
            assertThat(entries)
                    .allSatisfy(entry -> assertThat(records.get(entry.id())).isEqualTo(entry));
            assertThat(records.get("other")).isNull();
        }
    }

    @Test
    void blankLinesAndAMissingLastLineEndAreNothing() throws IOException {
        Path file = file("", "{\"id\":\"a\",\"text\":\"1\"}\r", "", "{\"id\":\"b\",\"text\":\"2\"}");
        try (IndexedRecords<Entry> records = open(file)) {
            assertThat(records.keys()).containsExactly("a", "b");
            assertThat(Objects.requireNonNull(records.get("b")).text()).isEqualTo("2");
            assertThat(Objects.requireNonNull(records.get("a")).text()).isEqualTo("1");
        }
    }

    private void refused(Path file, String... parts) {
        assertThatThrownBy(() -> open(file))
                .hasMessageContainingAll(parts)
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
    }

    @Test
    void whatIsWrongIsNamedWithItsLine() throws IOException {
        String a = "{\"id\":\"a\",\"text\":\"1\"}";
        refused(file(a, "", a), "entries.jsonl:3: id a is already in line 1; an id stands once");
        refused(file(a, "{\"id\":\"b\"}"), "entries.jsonl:2: is no entry", "text");
        refused(file("", " "), "entries.jsonl: holds no records");
        refused(directory.resolve("absent.jsonl"), "absent.jsonl: cannot be read");
    }
}
