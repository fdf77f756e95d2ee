package dev.prpf.base.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class ProcessMemoryTest {
    private static final int BYTES = 200_000_000;

    private static byte touched() {
        ByteBuffer memory = ByteBuffer.allocateDirect(BYTES);
        for (int i = 0; i < BYTES; i += 4096) {
            memory.put(i, (byte) 1);
        }
        return memory.get(BYTES / 4096 * 4096 - 4096);
    }

    @Test
    void workIsMeasuredAboveWhatWasThere() {
        ProcessMemory.peakOf(() -> 0); // the heap of the tests before is given back here and not meanwhile
        ProcessMemory.Measured<Byte> measured = ProcessMemory.peakOf(ProcessMemoryTest::touched);

        assertThat(measured.result()).isEqualTo((byte) 1);
        assertThat(measured.peakBytes())
                .as("less what the heap gave back meanwhile")
                .isBetween(BYTES / 2L, BYTES * 2L);
    }

    @Test
    void thePeakIsNeverBelowWhatIsResident() {
        long resident = Objects.requireNonNull(ProcessMemory.residentBytes());
        assertThat(resident).isGreaterThan(1L << 20);
        touched();
        assertThat(ProcessMemory.peakBytes()).isGreaterThan(resident);
    }

    @Test
    void anotherProcessIsSeenUntilItEnds() throws Exception {
        Process sleeping = new ProcessBuilder("sleep", "60").start();
        long resident = Objects.requireNonNull(ProcessMemory.residentBytes(sleeping.pid()));
        assertThat(resident).isPositive();
        assertThat(ProcessMemory.peakBytes(sleeping.pid())).isGreaterThanOrEqualTo(resident);
        sleeping.destroyForcibly().waitFor();
        assertThat(ProcessMemory.residentBytes(sleeping.pid())).isNull();
    }
}
