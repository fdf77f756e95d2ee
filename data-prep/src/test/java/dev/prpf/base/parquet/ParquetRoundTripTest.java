package dev.prpf.base.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.Fuzz;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.parquet.ColumnType.Struct;
import dev.prpf.base.parquet.ParquetRows.MalformedParquetException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ParquetRoundTripTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    private record Part(String name, @Nullable Integer count) {}

    private record Whole(
            String id,
            long number,
            @Nullable Double share,
            boolean sure,
            List<String> words,
            @Nullable Part part,
            List<List<Part>> parts) {}

    private static final Struct COLUMNS = ColumnType.of(Whole.class);

    private static ObjectNode row(String json) {
        try {
            return (ObjectNode) JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(json, e);
        }
    }

    private static List<ObjectNode> read(Path source) {
        List<ObjectNode> rows = new ArrayList<>();
        try (ParquetRows reader =
                ParquetRows.open(source, (file, found) -> found.fields().keySet())) {
            for (ParquetRows.Row row = reader.next(); row != null; row = reader.next()) {
                rows.add(row.json());
            }
        }
        return rows;
    }

    private Path write(Struct columns, List<ObjectNode> rows) {
        new ParquetShardWriter(folder, columns, ParquetShardWriter.LARGEST).write("all", rows.iterator());
        return folder.resolve("all-00000-of-00001.parquet");
    }

    @Test
    void recordsComeBackWithEveryNullAndEveryEmptyList() {
        List<Whole> wholes = List.of(
                new Whole("a\n\"🎷\"", Long.MIN_VALUE, 0.1, true, List.of("", "字"), new Part("p", 1), List.of()),
                new Whole("", 3, null, false, List.of(), null, List.of(List.of(), List.of(new Part("q", null)))));
        List<ObjectNode> rows = wholes.stream()
                .map(whole -> (ObjectNode) JsonRecords.tree(whole))
                .toList();
        Path file = write(COLUMNS, rows);
        assertThat(read(file))
                .extracting(ObjectNode::toString)
                .containsExactly(rows.get(0).toString(), rows.get(1).toString());
        List<Whole> back = new ArrayList<>();
        List<String> places = new ArrayList<>();
        new ParquetRecords<>(Whole.class, "whole", Set.of()).read(folder, (place, whole) -> {
            places.add(place);
            back.add(whole);
        });
        assertThat(back).isEqualTo(wholes);
        assertThat(places).containsExactly(file + ": row 0", file + ": row 1");
    }

    @Test
    void equalRows_makeEqualBytes() throws IOException {
        List<ObjectNode> rows =
                IntStream.range(0, 3000).mapToObj(ParquetRoundTripTest::made).toList();
        Path file = write(COLUMNS, rows);
        Path first = Files.move(file, folder.resolve("first"));
        assertThat(Files.mismatch(first, write(COLUMNS, rows))).isEqualTo(-1);
    }

    /** Such names are patterns for shells and databases. */
    @Test
    void fileNames_areNoPatterns() throws IOException {
        write(ColumnType.of(Part.class), List.of(row("{\"name\":\"a1\"}")));
        Files.move(folder.resolve("all-00000-of-00001.parquet"), folder.resolve("a1.parquet"));
        for (String name : List.of("a[1].parquet", "a?.parquet", "a*.parquet", "a'\"1.parquet")) {
            Path file = write(ColumnType.of(Part.class), List.of(row("{\"name\":\"other\"}")));
            Path odd = Files.move(file, folder.resolve(name));
            assertThat(read(odd))
                    .extracting(found -> found.get("name").textValue())
                    .containsExactly("other");
            Files.writeString(odd, "plain text that is long enough for a footer");
            assertThatThrownBy(() -> read(odd))
                    .isInstanceOf(MalformedParquetException.class)
                    .hasMessageStartingWith(odd + ": is not Parquet");
        }
    }

    @Test
    void mutatedFiles_areReadOrRefused() throws IOException {
        List<ObjectNode> rows =
                IntStream.range(0, 8).mapToObj(ParquetRoundTripTest::made).toList();
        Path file = write(COLUMNS, rows);
        ParquetRecords<Whole> records = new ParquetRecords<>(Whole.class, "whole", Set.of());
        Fuzz.run("Parquet files", 400, List.of(Files.readAllBytes(file)), (input, random) -> {
            Files.write(file, input);
            records.read(file, (place, whole) -> assertThat(place).startsWith(file + ": row "));
        });
    }

    @Test
    void nullsAreKeptApartFromWhatIsEmpty() {
        List<ObjectNode> rows = List.of(
                row("{\"words\":null}"),
                row("{\"words\":[]}"),
                row("{\"words\":[null,\"a\",null]}"),
                row("{\"part\":{}}"),
                row("{\"parts\":[null,[],[null,{}]]}"));
        assertThat(read(write(COLUMNS, rows)).stream().map(found -> {
                    found.properties().removeIf(field -> field.getValue().isNull());
                    return found.toString();
                }))
                .containsExactly(
                        "{}",
                        "{\"words\":[]}",
                        "{\"words\":[null,\"a\",null]}",
                        "{\"part\":{\"name\":null,\"count\":null}}",
                        "{\"parts\":[null,[],[null,{\"name\":null,\"count\":null}]]}");
    }

    @Test
    void manyRowsInManyRowGroupsComeBackInOrder() throws IOException {
        Path file = folder.resolve("many.parquet");
        int rows = 30_000;
        try (OutputStream stream = Files.newOutputStream(file)) {
            ParquetOutput output = new ParquetOutput(stream, COLUMNS, 1 << 18);
            for (int i = 0; i < rows; i++) {
                output.write(made(i));
            }
            output.finish();
        }
        List<ObjectNode> found = read(file);
        assertThat(found).hasSize(rows);
        assertThat(IntStream.range(0, rows).filter(i -> !found.get(i).toString().equals(made(i).toString())))
                .isEmpty();
    }

    /** Creates enough values for pages with and without a dictionary. */
    private static ObjectNode made(int i) {
        return (ObjectNode) JsonRecords.tree(new Whole(
                "id " + i,
                i % 7,
                i % 3 == 0 ? null : i / 8.0,
                i % 2 == 0,
                IntStream.range(0, i % 4).mapToObj(w -> "word " + (i * w) % 100).toList(),
                i % 5 == 0 ? null : new Part("part " + i % 11, i),
                List.of()));
    }

    @Test
    void splitsAreCutIntoShardsOfAboutOneSize() throws IOException {
        Struct columns = COLUMNS.only(Set.of("id"));
        List<ObjectNode> rows = IntStream.range(0, 5000)
                .mapToObj(i -> row("{\"id\":\"" + "x".repeat(100) + i + "\"}"))
                .toList();
        ParquetShardWriter.Split split =
                new ParquetShardWriter(folder, columns, 200_000).write("train", rows.iterator());
        assertThat(split.rows()).isEqualTo(5000);
        assertThat(split.files())
                .containsExactly(
                        "train-00000-of-00003.parquet", "train-00001-of-00003.parquet", "train-00002-of-00003.parquet");
        assertThat(read(folder)).isEqualTo(rows);
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).hasSize(3);
        }
    }

    @Test
    void aSplitWithoutRowsIsAFileWithoutRows() {
        assertThat(read(write(COLUMNS, List.of()))).isEmpty();
        assertThatThrownBy(
                        () -> new ParquetRecords<>(Whole.class, "whole", Set.of()).read(folder, (place, whole) -> {}))
                .isInstanceOf(InvalidDataException.class)
                .hasMessage(folder + ": holds no wholes");
    }

    @Test
    void whatCannotBeWrittenLeavesNoShard() throws IOException {
        assertThatThrownBy(() -> write(COLUMNS, List.of(row("{\"id\":\"a\"}"), row("{\"id\":\"\\ud800\"}"))))
                .isInstanceOf(InvalidDataException.class)
                .hasMessage(
                        "row 1, column id cannot be written: the text has an unpaired surrogate, which is not valid Unicode");
        assertThatThrownBy(() -> write(COLUMNS, List.of(row("{\"number\":\"3\"}"))))
                .hasMessage("column number is integer, its value is \"3\"");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).isEmpty();
        }
        Path taken = Files.writeString(folder.resolve("taken"), "");
        assertThatThrownBy(() -> new ParquetShardWriter(taken, COLUMNS, 1)
                        .write("all", List.<ObjectNode>of().iterator()))
                .isInstanceOf(UnavailableException.class);
    }

    @Test
    void recordsAskForTheirColumnsAlone() {
        Path file = write(ColumnType.of(Part.class), List.of(row("{\"name\":\"a\",\"count\":1}")));
        ParquetRecords<Whole> records = new ParquetRecords<>(Whole.class, "whole", Set.of("count"));
        assertThatThrownBy(() -> records.read(file, (place, whole) -> {}))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageStartingWith(file + ": holds no wholes: column id is missing, must be string; column number")
                .hasMessageContaining("column name (string) is not known, must be one of [id, number,")
                .hasMessageEndingWith("[parquet-schema]")
                .hasMessageNotContaining("column count");
        assertThatThrownBy(() -> new ParquetRecords<>(Part.class, "part", Set.of("count")).read(file, (p, part) -> {}))
                .hasMessageContaining("column count is missing, must be integer");
        Path bad = write(ColumnType.of(Part.class), List.of(row("{\"count\":1}")));
        assertThat(read(bad)).hasSize(1);
    }

    @Test
    void whatARecordsConstructorRefusesNamesTheRow() {
        Path file = write(ColumnType.of(Strict.class), List.of(row("{\"name\":\"a\"}"), row("{\"name\":\" \"}")));
        assertThatThrownBy(() -> new ParquetRecords<>(Strict.class, "name", Set.of()).read(file, (place, part) -> {}))
                .isInstanceOf(InvalidDataException.class)
                .hasMessage(file + ": row 1: is no name: name is blank");
    }

    record Strict(String name) {
        Strict {
            if (name.isBlank()) {
                throw new IllegalArgumentException("name is blank");
            }
        }
    }

    @Test
    void aComponentWithoutAColumnIsABug() {
        record Unfit(Path path) {}
        assertThatThrownBy(() -> ColumnType.of(Unfit.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("interface java.nio.file.Path has no column");
    }
}
