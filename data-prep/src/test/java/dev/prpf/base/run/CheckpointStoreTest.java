package dev.prpf.base.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.commons.lang3.function.FailableConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointStoreTest {
    @TempDir
    Path temp;

    private CheckpointStore store;

    @BeforeEach
    void open() {
        store = new CheckpointStore(temp.resolve("checkpoints"), 2);
    }

    private static FailableConsumer<Path, IOException> content(String text) {
        return directory -> Files.writeString(directory.resolve("weights"), text);
    }

    private long latestStep() {
        CheckpointStore.Checkpoint latest = store.latest();
        return latest == null ? -1 : latest.step();
    }

    @Test
    void anEmptyStoreHasNoLatest() {
        assertThat(store.latest()).isNull();
    }

    @Test
    void keepsTheNewest() {
        store.save(8, content("a"));
        store.save(9, content("b"));
        Path newest = store.save(10, content("c"));
        assertThat(latestStep()).isEqualTo(10);
        assertThat(newest.resolve("weights")).hasContent("c");
        assertThat(temp.resolve("checkpoints/step_8")).doesNotExist();
        assertThat(temp.resolve("checkpoints/step_9")).exists();
        assertThat(temp.resolve("checkpoints/latest")).hasContent("step_10\n");
    }

    @Test
    void whatARunThatWentBackWroteBeforeIsNotTheNewest() {
        store.save(1, content("a"));
        store.save(5, content("of the first try"));
        store.save(3, content("of the second"));
        assertThat(latestStep()).isEqualTo(3);
        assertThat(temp.resolve("checkpoints/step_1")).exists();
        assertThat(temp.resolve("checkpoints/step_5")).doesNotExist();
    }

    @Test
    void fallsBackToTheNewestWholeOne() throws IOException {
        store.save(1, content("a"));
        Path second = store.save(2, content("b"));
        Files.writeString(second.resolve("weights"), "torn");
        assertThat(latestStep()).isEqualTo(1);
        assertThat(CheckpointStore.defect(second)).isEqualTo("file weights differs from its sum in manifest.json");
        Files.delete(second.resolve("weights"));
        assertThat(CheckpointStore.defect(second)).isEqualTo("file weights is missing");
    }

    @Test
    void runWhoseEveryCheckpointIsDamagedIsNotBegunAgain() throws IOException {
        assertThat(store.resumed()).isNull();
        store.save(1, content("a"));
        Path second = store.save(2, content("b"));
        Files.writeString(second.resolve("weights"), "torn");
        assertThat(store.resumed()).isEqualTo(store.latest()).isNotNull();
        Files.delete(temp.resolve("checkpoints/step_1/manifest.json"));
        assertThatThrownBy(store::resumed)
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessage(second + ": file weights differs from its sum in manifest.json, and no older checkpoint is"
                        + " intact; restore it from a copy, or remove " + temp.resolve("checkpoints")
                        + " to train from the beginning");
    }

    @Test
    void aManifestThatListsNothingOrNotEverythingVouchesForNothing() throws IOException {
        store.save(1, content("a"));
        Path second = store.save(2, content("b"));
        Path manifest = second.resolve("manifest.json");
        String whole = Files.readString(manifest);
        for (String text : List.of("", "{}", "[]", "null", "7")) {
            Files.writeString(manifest, text);
            assertThat(CheckpointStore.defect(second)).as(text).isEqualTo("manifest.json lists no file");
            assertThat(latestStep()).as(text).isEqualTo(1);
        }
        Files.writeString(manifest, whole);
        Files.writeString(second.resolve("more"), "of another");
        assertThat(CheckpointStore.defect(second)).isEqualTo("file more is not listed in manifest.json");
        Files.delete(second.resolve("more"));
        assertThat(CheckpointStore.defect(second)).isNull();
        assertThat(latestStep()).isEqualTo(2);
    }

    @Test
    void aFailedSaveLeavesTheOldOne() {
        store.save(1, content("a"));
        assertThatThrownBy(() -> store.save(2, directory -> {
                    Files.writeString(directory.resolve("weights"), "half");
                    throw new IOException("disk full");
                }))
                .hasMessageContaining("disk full");
        assertThat(latestStep()).isEqualTo(1);
    }

    @Test
    void aStepMayBeSavedAgain() {
        store.save(3, content("a"));
        Path again = store.save(3, content("b"));
        assertThat(again.resolve("weights")).hasContent("b");
        assertThat(latestStep()).isEqualTo(3);
    }
}
