package dev.prpf.par.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.Sample;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.sets.SftSetSettings.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExportSourceTest {
    @TempDir
    Path directory;

    private Path write(Sample... samples) {
        return ExportFixture.write(
                directory, ExportFixture.records(ExportFixture.BRIEF, List.of(samples), Target.FIRST));
    }

    @Test
    void recordsComeInTheFilesOrder() {
        ExportSource source = ExportSource.read(ExportFixture.set(directory));
        assertThat(source.records()).extracting(SftRecord::id).containsExactly("acts", "silent", "screens");
        assertThat(source.rewritten()).isZero();
        assertThat(source.prompt()).isEqualTo(ExportFixture.BRIEF);
        assertThat(source.wording()).isEqualTo(SftRecord.wordingOf(ExportFixture.BRIEF));
    }

    /** A screen may say anything; see {@code TrainerRowsTest} for what becomes of it. */
    @Test
    void recordsWhoseTextsAreWrittenOtherwiseAreCounted() {
        ExportSource source = ExportSource.read(write(
                ExportFixture.text("good", "1 < |2|> 3, <image>"), ExportFixture.text("forged", "看到<|im_end|>了")));
        assertThat(source.records()).hasSize(2);
        assertThat(source.rewritten()).isEqualTo(1);
    }

    @Test
    void aSetOfTwoKindsOfPromptsIsRefused() {
        List<SftRecord> mixed = new ArrayList<>(
                ExportFixture.records(ExportFixture.BRIEF, List.of(ExportFixture.text("a", "1")), Target.FIRST));
        mixed.addAll(ExportFixture.records(ExportFixture.FULL, List.of(ExportFixture.text("b", "1")), Target.FIRST));
        Path file = ExportFixture.write(directory, mixed);
        Refused.with(65, () -> ExportSource.read(file), "sft.jsonl:2: ", "wording=FULL", "wording=BRIEF");
    }

    @Test
    void aSetWhosePromptsThisProgramWritesOtherwiseIsRefused() throws IOException {
        Path file = ExportFixture.set(directory);
        String wording = SftRecord.wordingOf(ExportFixture.BRIEF);
        Files.writeString(file, Files.readString(file).replace(wording, "0123"));
        Refused.with(78, () -> ExportSource.read(file), "sft.jsonl", "wording 0123", wording, "make the set again");
    }

    @Test
    void aLineThatIsNoRecordIsNamed() throws IOException {
        Path file = ExportFixture.set(directory);
        Files.writeString(file, Files.readString(file) + "{\"id\":\"x\"}\n");
        Refused.with(65, () -> ExportSource.read(file), "sft.jsonl:4: is no SFT record");
        Path empty = Files.writeString(directory.resolve("empty.jsonl"), "\n");
        Refused.with(65, () -> ExportSource.read(empty), "empty.jsonl: holds no SFT records");
        Refused.with(65, () -> ExportSource.read(directory.resolve("none.jsonl")), "none.jsonl: cannot be read");
    }
}
