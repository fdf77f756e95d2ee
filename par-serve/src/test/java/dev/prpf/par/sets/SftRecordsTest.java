package dev.prpf.par.sets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.Sample;
import dev.prpf.par.export.ExportFixture;
import dev.prpf.par.export.Refused;
import dev.prpf.par.sets.SftSet.DataSftConfig.SftSetSettings.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
    void recordsHaveTheFilesOrder() {
        SftRecords set = SftRecords.read(ExportFixture.set(directory));
        assertThat(set.records()).extracting(SftRecord::id).containsExactly("acts", "silent", "screens");
        assertThat(set.records()).noneMatch(SftRecord::rewrittenForOthers);
        assertThat(set.prompt()).isEqualTo(ExportFixture.BRIEF);
        assertThat(set.wording()).isEqualTo(SftRecord.wordingOf(ExportFixture.BRIEF));
    }

    /** A screen may say anything; see {@code TrainerRowsTest} for what becomes of it. */
    @Test
    void recordsRewrittenForOthersAreRecognised() {
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
    void setWithOtherPromptFormatIsRejected() throws IOException {
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

    @Test
    void recordHasAPlaceholderForEachImage() throws IOException {
        Path file = ExportFixture.set(directory);
        Files.writeString(
                file,
                Files.readString(file)
                        .replace("\"screenshots\":\"OCR\"", "\"screenshots\":\"PIXELS\"")
                        .replaceFirst("\"images\":\\[[^]]*]", "\"images\":[\"a.png\"]"));
        Refused.with(
                65,
                () -> SftRecords.read(file),
                "sft.jsonl:1: is no SFT record: user has placeholders for 0 images, images names 1, and prompt.screenshots"
                        + " is pixels");
    }

    @Test
    void invalidLineIsNamed() throws IOException {
        Path file = ExportFixture.set(directory);
        Files.writeString(file, Files.readString(file) + "{\"id\":\"x\"}\n");
        Refused.with(65, () -> SftRecords.read(file), "sft.jsonl:4: is no SFT record");
        Path empty = Files.writeString(directory.resolve("empty.jsonl"), "\n");
        Refused.with(65, () -> SftRecords.read(empty), "empty.jsonl: holds no SFT records");
        Refused.with(65, () -> SftRecords.read(directory.resolve("none.jsonl")), "none.jsonl: cannot be read");
    }
}
