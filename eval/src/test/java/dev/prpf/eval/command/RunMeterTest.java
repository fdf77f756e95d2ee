package dev.prpf.eval.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.eval.efficiency.RunResources;
import dev.prpf.par.device.GaugedMemory;
import dev.prpf.par.device.PeakMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunMeterTest {
    @TempDir
    private Path directory;

    static RunMeter meter(@Nullable RunDirectory run) {
        return new RunMeter(run, new RunMeter.Sources(null, () -> 0, PeakMemory.unavailable("no card"), null));
    }

    private RunDirectory open() {
        return RunDirectory.open(directory, Resume.AUTO, new RunDescription("eval run", List.of(), "a: 1\n", Map.of()));
    }

    @Test
    void whatAChunkTookIsALineAndARunThatGoesOnHasItToo() {
        AtomicLong reused = new AtomicLong();
        RunMeter.Sources sources = new RunMeter.Sources(0L, reused::get, PeakMemory.unavailable("no NVML"), null);
        RunResources first;
        try (RunDirectory run = open()) {
            RunMeter meter = new RunMeter(run, sources);
            meter.resumeAfter(0);
            assertThat(meter.perceiving(() -> "perceived")).isEqualTo("perceived");
            assertThat(meter.reasoning(() -> "reasoned")).isEqualTo("reasoned");
            reused.set(3);
            meter.durable(64);
            reused.set(5);
            meter.durable(100);
            first = meter.total();
            assertThat(RunDirectory.metrics(directory)).hasSize(2);
        }
        assertThat(first.encodingsReused()).isEqualTo(5);
        assertThat(first.deviceMb()).isNull();
        assertThat(first.deviceMemoryUnknown()).isEqualTo("no NVML");
        assertThat(first.runSeconds()).isPositive();
        try (RunDirectory run = open()) {
            RunMeter meter = meter(run);
            meter.resumeAfter(100);
            assertThat(meter.total()).isEqualTo(first);
            meter.durable(120);
            assertThat(meter.total().encodingsReused()).isEqualTo(5);
            assertThat(meter.total().runSeconds()).isGreaterThan(first.runSeconds());
        }
    }

    @Test
    void linesOfPredictionsThatWereLostAndATornLineAreDropped() throws IOException {
        try (RunDirectory run = open()) {
            RunMeter meter = meter(run);
            meter.resumeAfter(0);
            meter.durable(64);
            meter.durable(128);
            Files.writeString(directory.resolve("metrics.jsonl"), "{\"step\":192,\"peak", StandardOpenOption.APPEND);
        }
        try (RunDirectory run = open()) {
            meter(run).resumeAfter(64);
            assertThat(RunDirectory.metrics(directory))
                    .singleElement()
                    .satisfies(line -> assertThat(line.path("step").intValue()).isEqualTo(64));
        }
    }

    @Test
    void stagesThatDidNotRunHaveNoMemory() {
        RunMeter meter = meter(null);
        meter.resumeAfter(0);
        meter.reasoning(() -> 1);
        meter.durable(1);
        assertThat(meter.total().perceiverMemoryMb()).isNull();
        assertThat(meter.total().deviceMemoryUnknown()).isEqualTo("no card");
        assertThat(meter.total().sequentialMb()).isEqualTo(meter.total().reasonerMemoryMb());
    }

    /** libtorch gives nothing back, so later chunks begin with what the reasoner took: it is not the perceiver's. */
    @Test
    void aStageOnTheCardIsNotChargedWithTheOthersCache() {
        AtomicLong reserved = new AtomicLong(2_000_000_000);
        PeakMemory card = GaugedMemory.of(reserved::get);
        RunMeter meter = new RunMeter(null, new RunMeter.Sources(null, () -> 0, card, reserved.get()));
        meter.resumeAfter(0);
        reserved.set(2_300_000_000L); // the perceiver's models
        for (int chunk = 0; chunk < 3; chunk++) {
            meter.perceiving(() -> reserved.accumulateAndGet(2_500_000_000L, Math::max));
            meter.reasoning(() -> reserved.accumulateAndGet(9_000_000_000L, Math::max));
            meter.durable(64 * (chunk + 1));
        }
        assertThat(meter.total().perceiverDeviceMb()).isEqualTo(500);
        assertThat(meter.total().reasonerDeviceMb()).isEqualTo(8500);
        assertThat(meter.total().deviceMemoryUnknown()).isNull();
    }

    @Test
    void shardsAreTheLargerMemoryAndAllSeconds() {
        RunResources one = new RunResources(100.0, 30.0, 80.0, null, 7.0, "why", 10, 2);
        RunResources other = new RunResources(90.0, 40.0, null, 5.0, 6.0, null, 20, 1);
        assertThat(one.and(other)).isEqualTo(new RunResources(100.0, 40.0, 80.0, 5.0, 7.0, "why", 30, 3));
        assertThat(one.sequentialMb()).isEqualTo(80.0);
        assertThat(one.and(other).deviceMb()).isEqualTo(7.0);
        assertThat(one.coResidentBoundMb()).isEqualTo(110.0);
        assertThat(RunResources.NONE.sequentialMb()).isNull();
    }
}
