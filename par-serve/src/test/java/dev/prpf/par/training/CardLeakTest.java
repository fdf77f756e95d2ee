package dev.prpf.par.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.engine.FakeCard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a card, DJL attaches the host copy of an array to the array's manager; nothing long-lived may collect such copies. */
@Tag("slow")
class CardLeakTest {
    private static final List<String> NO_COLLECTION =
            List.of("-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC", "-Xmx2g");

    @TempDir
    private Path folder;

    /** Arrays and managers after the first step, the most after any other, and the number of steps. */
    private record Counts(int first, int most, int steps) {
        static Counts of(String text) {
            String[] words = text.split(" ", -1);
            return new Counts(Integer.parseInt(words[0]), Integer.parseInt(words[1]), Integer.parseInt(words[3]));
        }
    }

    @Test
    void noStepAndNoCheckpointLeavesAnArrayBehind() throws IOException {
        Path classes = Files.createDirectory(folder.resolve("classes"));
        Map<String, Counts> counts = FakeCard.run(classes, NO_COLLECTION, CardWork.class, folder.toString())
                .lines()
                .filter(line -> line.matches("[a-z ]+: \\d+ \\d+ in \\d+"))
                .map(line -> line.split(": ", -1))
                .collect(Collectors.toMap(line -> line[0], line -> Counts.of(line[1])));

        assertThat(counts.get("control"))
                .as("a read past HostValues leaves a copy with the anchor, as on a card")
                .satisfies(control -> assertThat(control.most()).isGreaterThan(control.first()));
        assertThat(counts.get("decode")).satisfies(decode -> {
            assertThat(decode.steps()).isEqualTo(CardWork.DECODE_STEPS);
            assertThat(decode.most()).isEqualTo(decode.first());
        });
        Map.of("grpo", CardWork.GRPO_STEPS, "grpo lora", CardWork.LORA_STEPS)
                .forEach((training, steps) -> assertThat(counts.get(training))
                        .as(training + ", with a checkpoint every two steps")
                        .satisfies(grpo -> {
                            assertThat(grpo.steps()).isEqualTo(steps);
                            assertThat(grpo.most()).isEqualTo(grpo.first());
                        }));
    }
}
