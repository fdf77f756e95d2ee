package dev.prpf.base.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AvailableMemoryTest {
    @TempDir
    Path group;

    private void write(String name, String text) throws IOException {
        Files.writeString(group.resolve(name), text + "\n");
    }

    @Test
    void machine_withMemAvailable_isThatInBytes() {
        assertThat(AvailableMemory.machine(List.of("MemTotal:       16 kB", "MemAvailable:    8 kB")))
                .isEqualTo(8192);
        assertThat(AvailableMemory.machine(List.of("MemTotal: 16 kB"))).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void group_withLimit_countsReclaimableMemoryAsFree() throws IOException {
        write("memory.max", "1000000");
        write("memory.current", "700000");
        assertThat(AvailableMemory.group(group)).isEqualTo(300_000);
        write(
                "memory.stat",
                "anon 500000\nfile 190000\ninactive_file 150000\nactive_file 40000\nslab_reclaimable 7000");
        assertThat(AvailableMemory.group(group)).isEqualTo(497_000);
    }

    @Test
    void group_withoutLimit_leavesEverything() throws IOException {
        assertThat(AvailableMemory.group(group)).isEqualTo(Long.MAX_VALUE);
        write("memory.max", "max");
        write("memory.current", "700000");
        assertThat(AvailableMemory.group(group)).isEqualTo(Long.MAX_VALUE);
    }
}
