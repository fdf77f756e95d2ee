package dev.prpf.par.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.engine.FakeCard;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * The terms of the estimate compared with what is resident, in a process that gives freed memory back; about a minute of processor time. The
 * suite's twin is {@code MemoryOfTrainingTest}, of whole trainings.
 */
@Tag("nightly")
@EnabledOnOs(OS.LINUX)
class MemoryTermsTest {
    /** Terms below this vanish in the JVM's own memory. */
    private static final double SEEN_MB = 15;

    @TempDir
    private Path folder;

    private Map<String, double[]> terms(String... shapes) throws IOException {
        String printed = FakeCard.run(folder, MemoryTermsWork.class, shapes);
        return printed.lines()
                .filter(line -> line.matches("\\S+ [a-z]+ -?[0-9.]+ -?[0-9.]+") && !line.startsWith("warm"))
                .map(line -> line.split(" "))
                .collect(Collectors.toMap(word -> word[0] + " " + word[1], word ->
                        new double[] {Double.parseDouble(word[2]), Double.parseDouble(word[3])}));
    }

    @Test
    void everyTermIsNearWhatIsResident() throws IOException {
        Map<String, double[]> terms = terms("llama-bf16", "llama-fp32", "qwen3.5-bf16");

        assertThat(terms).hasSize(3 * 9);
        terms.forEach((term, values) -> {
            if (Math.max(values[0], values[1]) > SEEN_MB) {
                assertThat(values[0] / values[1])
                        .as("%s: %s MB", term, List.of(values[0], values[1]))
                        .isBetween(0.85, 1.15);
            }
        });
    }

    /** SmolLM2-135M's shape: at most 1.4 times base, adapters with their gradients and moments, and activations. */
    @Test
    void thePeakOfTheShapeOf135MillionIsNearWhatMustStay() throws IOException {
        Map<String, double[]> terms = terms("135m");
        double stays = List.of("weights", "adapters", "gradients", "moments", "activations").stream()
                .mapToDouble(term -> Objects.requireNonNull(terms.get("135m " + term))[0])
                .sum();

        assertThat(Objects.requireNonNull(terms.get("135m whole"))[1]).isLessThan(1.4 * stays);
    }
}
