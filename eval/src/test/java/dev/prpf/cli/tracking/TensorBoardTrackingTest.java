package dev.prpf.cli.tracking;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.command.RunOptions.TrackOption.Tracker;
import dev.prpf.base.run.RunDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.commons.lang3.function.FailableConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TensorBoardTrackingTest {
    @TempDir
    Path directory;

    private static void tracked(Path folder, FailableConsumer<RunDirectory, IOException> training) {
        TrackedTraining.tracked(Map.of(), Tracker.TENSORBOARD, folder, training);
    }

    private static Long[] steps(int to) {
        return LongStream.rangeClosed(1, to).boxed().toArray(Long[]::new);
    }

    @Test
    void aRunIsOneFileOfEvents() throws IOException {
        double before = System.currentTimeMillis() / 1000.0;
        tracked(directory, run -> {
            TrackedTraining.train(run, 1, 300);
            run.finish(Map.of("dev", Map.of("reward", 7.25)));
        });
        Path file = EventReader.files(directory.resolve("tensorboard")).get(0);
        assertThat(file.getFileName().toString()).startsWith("events.out.tfevents.");
        List<EventReader.Event> events = EventReader.events(file);
        assertThat(events.get(0).version()).isEqualTo("brain.Event:2");
        assertThat(events).allMatch(event -> event.wallTime() >= before && event.wallTime() <= before + 600);
        assertThat(events.get(1).sessionStart()).isTrue();
        assertThat(events.get(2).texts().get("run.json")).contains("\"command\" : \"reasoner sft\"", "bf47");
        assertThat(events.get(3).texts().get("config.resolved.yaml")).contains("learning-rate: 0.003");
        Map<String, Map<Long, List<Float>>> shown = EventReader.shown(directory.resolve("tensorboard"));
        assertThat(shown).containsOnlyKeys("loss", "rewards/trig/mean", "best", "result/dev/reward");
        assertThat(shown.get("loss")).containsOnlyKeys(steps(300)).containsEntry(3L, List.of((float) (1.0 / 3)));
        assertThat(shown.get("result/dev/reward")).containsExactly(Map.entry(300L, List.of(7.25f)));
    }

    @Test
    void aResumedRunAddsAFileAndShowsEachStepOnce() throws IOException {
        tracked(directory, run -> {
            TrackedTraining.train(run, 1, 10);
        });
        tracked(directory, run -> {
            run.rewind(6);
            TrackedTraining.train(run, 7, 12);
        });
        Path folder = directory.resolve("tensorboard");
        assertThat(EventReader.files(folder)).hasSize(2);
        assertThat(EventReader.shown(folder).get("loss"))
                .containsOnlyKeys(steps(12))
                .allSatisfy((step, values) -> assertThat(values).hasSize(1));
    }

    @Test
    void aFinishedRunThatIsSentAgainIsShownOnce() throws IOException {
        try (RunDirectory run = TrackedTraining.open(directory)) {
            TrackedTraining.train(run, 1, 4);
            run.finish(Map.of("steps", 4));
        }
        for (int again = 0; again < 2; again++) {
            tracked(directory, run -> {
                assertThat(run.finished()).isTrue();
            });
        }
        assertThat(EventReader.shown(directory.resolve("tensorboard")))
                .containsOnlyKeys("loss", "rewards/trig/mean", "best", "result/steps")
                .allSatisfy((name, steps) -> assertThat(steps.values())
                        .allSatisfy(values -> assertThat(values).hasSize(1)));
    }
}
