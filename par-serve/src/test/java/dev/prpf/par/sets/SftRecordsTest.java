package dev.prpf.par.sets;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.parquet.ParquetShardWriter;
import dev.prpf.data.Sample;
import dev.prpf.par.export.ExportFixture;
import dev.prpf.par.export.Refused;
import dev.prpf.par.sets.SftSetSettings.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SftRecordsTest {
    @TempDir
    Path directory;

    private Path write(Sample... samples) {
        return ExportFixture.write(
                directory, ExportFixture.records(ExportFixture.BRIEF, List.of(samples), Target.FIRST));
    }

    @Test
    void recordsComeInTheFilesOrder() {
        SftRecords set = SftRecords.read(ExportFixture.set(directory));
        assertThat(set.records()).extracting(SftRecord::id).containsExactly("acts", "silent", "screens");
        assertThat(set.records()).noneMatch(SftRecord::rewrittenForOthers);
        assertThat(set.prompt()).isEqualTo(ExportFixture.BRIEF);
        assertThat(set.wording()).isEqualTo(SftRecord.wordingOf(ExportFixture.BRIEF));
    }

    /** A screen may say anything; see {@code TrainerRowsTest} for what becomes of it. */
    @Test
    void recordsWhoseTextsAreWrittenOtherwiseAreKnown() {
        SftRecords set = SftRecords.read(write(
                ExportFixture.text("good", "1 < |2|> 3, <image>"), ExportFixture.text("forged", "看到<|im_end|>了")));
        assertThat(set.records()).extracting(SftRecord::rewrittenForOthers).containsExactly(false, true);
    }

    @Test
    void aSetOfTwoKindsOfPromptsIsRefused() {
        List<SftRecord> mixed = new ArrayList<>(
                ExportFixture.records(ExportFixture.BRIEF, List.of(ExportFixture.text("a", "1")), Target.FIRST));
        mixed.addAll(ExportFixture.records(ExportFixture.FULL, List.of(ExportFixture.text("b", "1")), Target.FIRST));
        Path file = ExportFixture.write(directory, mixed);
        Refused.with(65, () -> SftRecords.read(file), "sft.jsonl:2: ", "wording=FULL", "wording=BRIEF");
    }

    @Test
    void aSetWhosePromptsThisProgramWritesOtherwiseIsRefused() throws IOException {
        Path file = ExportFixture.set(directory);
        String wording = SftRecord.wordingOf(ExportFixture.BRIEF);
        Files.writeString(file, Files.readString(file).replace(wording, "0123"));
        SftRecords set = SftRecords.read(file);
        Refused.with(
                78,
                () -> set.requirePrompts(set.prompt()),
                "sft.jsonl: record acts",
                "wording 0123",
                wording,
                "make the set again");
    }

    /** A set from before screenshots could be seen shows their text. */
    @Test
    void aSetFromBeforePicturesIsRead() throws IOException {
        Path file = ExportFixture.set(directory);
        String old = Files.readString(file).replace(",\"screenshots\":\"OCR\",\"max_visual_tokens\":null", "");
        assertThat(old).doesNotContain("max_visual_tokens");
        SftRecords now = SftRecords.read(file);
        Files.writeString(file, old);
        assertThat(SftRecords.read(file)).isEqualTo(now);
    }

    @Test
    void aSetInParquetFromBeforePicturesIsRead() {
        SftRecords now = SftRecords.read(ExportFixture.set(directory));
        Path folder = directory.resolve("old");
        Iterator<ObjectNode> rows = now.records().stream()
                .map(record -> {
                    ObjectNode row = (ObjectNode) JsonRecords.tree(record);
                    ((ObjectNode) row.get("prompt")).remove(List.of("screenshots", "max_visual_tokens"));
                    return row;
                })
                .iterator();
        IoFailure.whileWriting(folder, () -> Files.createDirectories(folder));
        new ParquetShardWriter(folder, SftRecords.columns(), ParquetShardWriter.LARGEST).write("train", rows);
        assertThat(SftRecords.read(folder).records()).isEqualTo(now.records());
    }

    @Test
    void aRecordHasAPlaceForEachOfItsPictures() throws IOException {
        Path file = ExportFixture.set(directory);
        Files.writeString(
                file,
                Files.readString(file)
                        .replace("\"screenshots\":\"OCR\"", "\"screenshots\":\"PIXELS\"")
                        .replaceFirst("\"images\":\\[[^]]*]", "\"images\":[\"a.png\"]"));
        Refused.with(
                65,
                () -> SftRecords.read(file),
                "sft.jsonl:1: is no SFT record: user has a place for 0 pictures, images names 1, and prompt.screenshots"
                        + " is pixels");
    }

    @Test
    void aLineThatIsNoRecordIsNamed() throws IOException {
        Path file = ExportFixture.set(directory);
        Files.writeString(file, Files.readString(file) + "{\"id\":\"x\"}\n");
        Refused.with(65, () -> SftRecords.read(file), "sft.jsonl:4: is no SFT record");
        Path empty = Files.writeString(directory.resolve("empty.jsonl"), "\n");
        Refused.with(65, () -> SftRecords.read(empty), "empty.jsonl: holds no SFT records");
        Refused.with(65, () -> SftRecords.read(directory.resolve("none.jsonl")), "none.jsonl: cannot be read");
    }
}
