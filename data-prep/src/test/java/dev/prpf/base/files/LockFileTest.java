package dev.prpf.base.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LockFileTest {
    @TempDir
    private Path folder;

    @Test
    void oneHolderAtATime() throws IOException {
        Path file = folder.resolve("lock");
        assertThat(LockFile.isHeld(file)).isFalse();
        try (LockFile first = LockFile.tryTake(file)) {
            assertThat(first).isNotNull();
            assertThat(LockFile.tryTake(file)).isNull();
            assertThat(LockFile.isHeld(file)).isTrue();
        }
        assertThat(LockFile.isHeld(file)).isFalse();
        Objects.requireNonNull(LockFile.tryTake(file)).close();
    }

    @Test
    void aFileThatItsHolderRemovedIsNoLockAnyMore() throws IOException {
        Path file = folder.resolve("lock");
        try (LockFile first = LockFile.tryTake(file)) {
            Files.delete(file);
            assertThat(first).isNotNull();
            try (LockFile second = LockFile.tryTake(file)) {
                assertThat(second).isNotNull();
                assertThat(LockFile.isHeld(file)).isTrue();
            }
        }
    }
}
