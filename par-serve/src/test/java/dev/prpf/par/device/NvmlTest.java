package dev.prpf.par.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.PointerByReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NvmlTest {
    private static final Card CARD = new Card(0, "NVIDIA H100 PCIe", "0000:17:00.0");

    /** NVML with some processes on the card. */
    private static final class Fake implements Nvml.Functions {
        private final List<long[]> processes = new ArrayList<>();
        private int initialised;
        private String asked = "";

        Fake with(long pid, long bytes) {
            processes.add(new long[] {pid, bytes});
            return this;
        }

        @Override
        public int nvmlInit_v2() {
            return initialised;
        }

        @Override
        public int nvmlDeviceGetHandleByPciBusId_v2(String busId, PointerByReference device) {
            asked = busId;
            device.setValue(new Memory(8));
            return 0;
        }

        @Override
        public int nvmlDeviceGetComputeRunningProcesses_v3(Pointer device, IntByReference count, Pointer infos) {
            int room = count.getValue();
            count.setValue(processes.size());
            if (room < processes.size()) {
                return 7;
            }
            for (int i = 0; i < processes.size(); i++) {
                infos.setInt(24L * i, (int) processes.get(i)[0]);
                infos.setLong(24L * i + 8, processes.get(i)[1]);
            }
            return 0;
        }

        @Override
        public String nvmlErrorString(int code) {
            return "Driver Not Loaded";
        }
    }

    @Test
    void theMemoryIsThisProcessesOwn() throws Nvml.Unavailable {
        Fake fake = new Fake().with(7, 4_000).with(42, 6_000_000_000L).with(9, 1);
        assertThat(Nvml.open(CARD, fake, 42).reservedBytes()).isEqualTo(6_000_000_000L);
        assertThat(fake.asked).isEqualTo("0000:17:00.0");
    }

    @Test
    void whatNvmlDoesNotSayHasItsReason() {
        assertThatThrownBy(() -> Nvml.open(CARD, new Fake(), 42).reservedBytes())
                .hasMessage("NVML lists 0 processes on the card and none with this one's id, 42 (a container needs the"
                        + " host's process ids, as docker run --pid=host)");
        assertThatThrownBy(() -> Nvml.open(CARD, new Fake().with(7, 1), 42).reservedBytes())
                .hasMessageContaining("lists 1 processes");
        assertThatThrownBy(() -> Nvml.open(CARD, new Fake().with(42, -1), 42).reservedBytes())
                .hasMessage("NVML does not count this card's memory by process");
        Fake broken = new Fake();
        broken.initialised = 9;
        assertThatThrownBy(() -> Nvml.open(CARD, broken, 42)).hasMessage("nvmlInit: Driver Not Loaded");
    }

    @Test
    void withoutNvmlThereIsNoFigureButAReason() {
        PeakMemory memory = PeakMemory.of(CARD);
        PeakMemory.Measured<String> measured = memory.during(() -> "result");
        assertThat(measured.result()).isEqualTo("result");
        if (measured.peakBytes() == null) {
            assertThat(memory.reason()).isNotEmpty();
        }
    }

    @Test
    void thePeakIsThatOfTheStage() {
        long[] bytes = {100};
        PeakMemory memory = new PeakMemory(() -> bytes[0], "");
        PeakMemory.Measured<Integer> measured = memory.during(() -> {
            bytes[0] = 900;
            sleep(200);
            bytes[0] = 300;
            return 1;
        });
        assertThat(measured.peakBytes()).isEqualTo(900);
        assertThat(memory.during(() -> 1).peakBytes()).isEqualTo(300);
    }

    private static void sleep(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aCardIsNamedWithItsFreeMemory() {
        assertThat(CARD.described(12_300_000_000L, 79_600_000_000L))
                .isEqualTo("card 0 (NVIDIA H100 PCIe, 12.30 of 79.60 GB free)");
        assertThat(new Card(1, "", "").described(0, 1_000_000_000L))
                .isEqualTo("card 1 (name unknown, 0.00 of 1.00 GB free)");
    }
}
