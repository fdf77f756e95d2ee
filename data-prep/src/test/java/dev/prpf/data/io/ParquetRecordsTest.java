package dev.prpf.data.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.parquet.ColumnType;
import dev.prpf.base.parquet.ParquetShardWriter;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests records in Parquet; {@code golden/parquet} was written by {@code src/test/python/make_parquet.py} with pyarrow. */
class ParquetRecordsTest {
    private static final Path GOLDEN = Path.of("src/test/resources/golden/parquet");
    private static final Path JSON = GOLDEN.resolve("records.json");

    @TempDir
    private Path folder;

    private record Metadata(String id, int difficultyLevel) {}

    private record Reference(String profile, String phone, String world, String trace) {}

    private record TextRow(Metadata benchmarkMetadata, Reference referenceInformation, String recommendations) {}

    private Path write(Class<?> type, ObjectNode... rows) {
        new ParquetShardWriter(folder, ColumnType.of(type), 1 << 20)
                .write("made", List.of(rows).iterator());
        return folder.resolve("made-00000-of-00001.parquet");
    }

    private static ObjectNode textRow(String trace, String recommendations) {
        return (ObjectNode) JsonRecords.tree(
                new TextRow(new Metadata("a", 1), new Reference("p", "d", "w", trace), recommendations));
    }

    @ParameterizedTest
    @ValueSource(strings = {"exported.parquet", "converted.parquet", "texts"})
    void whatPyarrowWroteIsWhatTheJsonHolds(String name) throws IOException {
        Path back = folder.resolve("back.json");
        SampleWriter.write(back, SampleReader.readAll(GOLDEN.resolve(name)).iterator());
        assertThat(back).hasSameTextualContentAs(JSON);
    }

    @Test
    void captionsMayBeStrings() {
        List<Sample> texts = SampleReader.readAll(JSON).stream()
                .filter(sample -> !sample.id().equals("screens"))
                .toList();
        assertThat(SampleReader.readAll(GOLDEN.resolve("captions.parquet"))).isEqualTo(texts);
    }

    @Test
    void whatWeWriteIsWhatWeRead() {
        List<Sample> samples = SampleReader.readAll(JSON);
        new ParquetShardWriter(folder, RecordColumns.WRITTEN, ParquetShardWriter.LARGEST)
                .write("train", samples.stream().map(RecordColumns::row).iterator());
        assertThat(SampleReader.readAll(folder)).isEqualTo(samples);
        assertThat(SampleReader.readAll(folder.resolve("train"))).isEqualTo(samples);
        assertThat(RecordStream.holdsRecords(folder)).isTrue();
    }

    @Test
    void anotherSchemaIsRefusedWithEveryColumnThatIsWrong() {
        Path other = GOLDEN.resolve("other.parquet");
        assertThatThrownBy(() -> SampleReader.readAll(other))
                .isInstanceOf(InvalidDataException.class)
                .hasMessage(other + ": column benchmark_metadata.difficulty_level is number, must be integer;"
                        + " column reference_information.world is date, must be string;"
                        + " column recommendations is list<binary>, must be of types that JSON has [parquet-schema]");
    }

    @Test
    void columnsOfSomethingElseAreRefused() {
        Path file = write(Metadata.class, (ObjectNode) JsonRecords.tree(new Metadata("a", 1)));
        assertThatThrownBy(() -> SampleReader.readAll(file))
                .isInstanceOf(InvalidDataException.class)
                .hasMessage(file + ": the columns are [id, difficulty_level], records have \"benchmark_metadata\","
                        + " \"reference_information\" and the answers [parquet-schema]");
        assertThat(RecordStream.holdsRecords(file)).isFalse();
    }

    @Test
    void aCodecThatIsNotReadIsNamed() {
        assertThatThrownBy(() -> SampleReader.readAll(GOLDEN.resolve("brotli.parquet")))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining(
                        "column benchmark_metadata: is compressed by BROTLI; snappy, gzip, zstd, lz4_raw");
    }

    @Test
    void aDefectNamesTheRow() {
        Path file = write(TextRow.class, textRow("[\"s\"]", "[]"), textRow("[3]", "[]"));
        assertThatThrownBy(() -> SampleReader.readAll(file))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageStartingWith(
                        file + ": row 1 (id \"a\"), at /reference_information/trace/0: 3: is not a step");
        Path twice = write(TextRow.class, textRow("[\"s\"]", "[]"), textRow("[\"s\"]", "[]"));
        assertThatThrownBy(() -> SampleReader.readAll(twice))
                .hasMessageContaining(": row 1, at /benchmark_metadata/id: \"a\" is the id of record 0 already");
    }

    @Test
    void aTextThatShouldHoldJsonAndDoesNotIsOneFinding() {
        Path file = write(
                TextRow.class, textRow("[\"s\"]", "[{"), textRow("[\"s\"]", "[{\"instruction\":1,\"instruction\":2}]"));
        assertThatThrownBy(() -> SampleReader.readAll(file))
                .hasMessageContainingAll(
                        "row 0", "at /recommendations: \"[{\": this text must hold JSON: the JSON is truncated");
        assertThat(findings(file))
                .extracting(finding ->
                        finding.defect().path() + " " + finding.defect().rule())
                .containsExactlyInAnyOrder(
                        "/recommendations json-column",
                        "/recommendations/0/instruction duplicate-key",
                        "/benchmark_metadata/id duplicate-id",
                        "/recommendations/0 answer-shape");
    }

    @Test
    void numbersThatAreNoneAreFindings() {
        record Odd(Metadata benchmarkMetadata, Reference referenceInformation, double temperature) {}
        ObjectNode row = textRow("[\"s\"]", "").without("recommendations");
        Path file = write(Odd.class, row.put("temperature", Double.NaN));
        assertThat(findings(file))
                .extracting(finding ->
                        finding.defect().path() + " " + finding.defect().rule())
                .contains("/temperature non-finite-number");
    }

    @Test
    void aFileThatIsNoParquetIsAFinding() throws IOException {
        Path file = Files.writeString(folder.resolve("data.parquet"), "[]");
        assertThat(findings(file))
                .extracting(finding -> finding.defect().describe())
                .containsExactly("is not Parquet: it has 2 bytes [malformed-parquet]");
    }

    private static List<Finding> findings(Path data) {
        List<Finding> findings = new ArrayList<>();
        Validator.Settings settings = new Validator.Settings(
                new ScenarioCatalog(List.of(), Map.of()), null, false, AnswersMapping.standard());
        Path pool = data.resolveSibling("pool.json");
        try {
            Files.writeString(pool, "{}");
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        Validator.validate(data, pool, settings, findings::add);
        return findings;
    }
}
