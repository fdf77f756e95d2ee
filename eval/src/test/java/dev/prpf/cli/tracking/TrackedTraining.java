package dev.prpf.cli.tracking;

import dev.prpf.base.command.RunOptions.TrackOption.Tracker;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.commons.lang3.function.FailableConsumer;

/** Writes a run like a training, and waits for asynchronous effects. */
final class TrackedTraining {
    static final long PERIOD = 5;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String CONFIG =
            "training:\n  learning-rate: 0.003\n  betas:\n  - 0.9\n  - 0.95\n  lora: null\nseed: 7\n";

    private TrackedTraining() {}

    static RunDirectory open(Path run) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("data", Map.of("sha256", "bf47"));
        facts.put("seeds", List.of(42, 43));
        facts.put("device", "cpu");
        return RunDirectory.open(
                run,
                Resume.AUTO,
                new RunDescription("reasoner sft", List.of("reasoner", "sft", "--track", "mlflow"), CONFIG, facts));
    }

    /** Trains in a run that is sent, all of it before this returns where the tracker takes it. */
    static void tracked(
            Map<String, String> environment,
            Tracker tracker,
            Path folder,
            FailableConsumer<RunDirectory, IOException> training) {
        Tracking tracking = new Tracking(environment, PERIOD);
        try (tracking) {
            tracking.begin(Set.of(tracker));
            try (RunDirectory run = open(folder)) {
                training.accept(run);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lines of steps {@code from} to {@code to}, both included. */
    static void train(RunDirectory run, int from, int to) {
        for (int step = from; step <= to; step++) {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("loss", 1.0 / step);
            line.put("rewards/trig/mean", step);
            line.put("grad_norm", Double.NaN);
            line.put("alarms", List.of());
            line.put("best", step % 2 == 0);
            run.metric(step, line);
        }
    }

    static void await(BooleanSupplier state) {
        long until = System.nanoTime() + LIMIT.toNanos();
        while (!state.getAsBoolean()) {
            if (System.nanoTime() > until) {
                throw new AssertionError("the awaited state did not come");
            }
            Thread.onSpinWait();
            try {
                Thread.sleep(2);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
