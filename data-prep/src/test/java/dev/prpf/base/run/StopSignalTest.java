package dev.prpf.base.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.RunInterruptedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class StopSignalTest {
    private static final long SECOND = 1_000_000_000L;

    /** A terminal signals all its processes, and a parent forwards the signal to a child that already has it. */
    @Test
    void whatComesTwiceAtOnceIsOneSignalAndALaterOneIsAnother() {
        try (StopSignal stop = StopSignal.install()) {
            assertThat(stop.requested()).isFalse();
            stop.requireNone();
            assertThat(stop.isSecond(50 * SECOND)).isFalse();
            assertThat(stop.requested()).isTrue();
            assertThat(stop.isSecond(51 * SECOND)).isFalse();
            assertThat(stop.isSecond(53 * SECOND)).isTrue();
            assertThatThrownBy(stop::requireNone)
                    .isInstanceOf(RunInterruptedException.class)
                    .hasMessageStartingWith("stopped by a signal before there was a result");
        }
    }

    /** The terminal of an SSH session closes. A process started by nohup ignores the signal, and so do its runs. */
    @Test
    void aHangUpSavesAsATerminationDoes() throws Exception {
        try (StopSignal stop = StopSignal.install()) {
            String pid = String.valueOf(ProcessHandle.current().pid());
            assertThat(new ProcessBuilder("kill", "-HUP", pid).start().waitFor())
                    .isZero();
            for (int i = 0; i < 100 && !stop.requested(); i++) {
                Thread.sleep(20);
            }
            assertThat(stop.requested()).isEqualTo(!hangUpsAreIgnored());
        }
    }

    /** Whether this process inherited that SIGHUP, signal 1, is ignored, as /proc of Linux reports it. */
    private static boolean hangUpsAreIgnored() throws IOException {
        Path status = Path.of("/proc/self/status");
        return Files.exists(status)
                && Files.readAllLines(status).stream()
                        .filter(line -> line.startsWith("SigIgn:"))
                        .anyMatch(line ->
                                (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 1) == 1);
    }

    @Test
    void theHintNamesRunDirOnlyWhereThereIsOne() {
        assertThat(StopSignal.checkpointed(16, "runs/a"))
                .hasMessageEndingWith("saved in runs/a; to resume, run the same command again with --run-dir runs/a");
        assertThat(StopSignal.savedIn(16, "p.jsonl"))
                .hasMessage(
                        "stopped by a signal after step 16, saved in p.jsonl; to resume, run the same command again");
    }

    @Test
    void aRequestFromInsideIsTheFirst() {
        try (StopSignal stop = StopSignal.install()) {
            stop.request();
            assertThat(stop.requested()).isTrue();
            assertThat(stop.isSecond(System.nanoTime() + 60 * SECOND)).isTrue();
        }
    }
}
