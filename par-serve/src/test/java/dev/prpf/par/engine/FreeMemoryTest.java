package dev.prpf.par.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.InsufficientMemoryException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FreeMemoryTest {
    @TempDir
    Path group;

    private void write(String name, String text) throws IOException {
        Files.writeString(group.resolve(name), text + "\n");
    }

    @Test
    void theMachineSaysWhatIsAvailable() {
        assertThat(FreeMemory.machine(List.of("MemTotal:       16 kB", "MemAvailable:    8 kB")))
                .isEqualTo(8192);
        assertThat(FreeMemory.machine(List.of("MemTotal: 16 kB"))).isGreaterThan(1L << 50);
    }

    @Test
    void aGroupLeavesItsLimitLessWhatIsUsedButForIdlePages() throws IOException {
        write("memory.max", "1000000");
        write("memory.current", "700000");
        assertThat(FreeMemory.group(group)).isEqualTo(300_000);
        write("memory.stat", "anon 500000\ninactive_file 150000");
        assertThat(FreeMemory.group(group)).isEqualTo(450_000);
    }

    @Test
    void noGroupAndNoLimitLeaveEverything() throws IOException {
        assertThat(FreeMemory.group(group)).isEqualTo(Long.MAX_VALUE);
        write("memory.max", "max");
        write("memory.current", "700000");
        assertThat(FreeMemory.group(group)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void thisMachineHasSomeAndNotMoreThanThereCanBe() {
        assertThat(FreeMemory.bytes()).isBetween(1L << 20, 1L << 50);
    }

    @Test
    void logitsThatDoNotFitAreRefusedBeforeTheyAreComputed() {
        assertThatThrownBy(() -> CausalLm.requireRoom(3_000_000_000L, Long.MAX_VALUE))
                .isInstanceOf(InsufficientMemoryException.class)
                .hasMessageContainingAll("3.00 GB", "at most 2.15 GB", "give fewer tokens");
        assertThatThrownBy(() -> CausalLm.requireRoom(2000, 1000)).hasMessageContaining("free");
        CausalLm.requireRoom(1000, 1000);
    }
}
