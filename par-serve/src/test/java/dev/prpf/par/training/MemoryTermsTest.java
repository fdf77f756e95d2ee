package dev.prpf.par.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.engine.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The terms of the estimate compared with what is resident, in a process that gives freed memory back; about eight minutes of processor time.
 * The smaller test is {@code MemoryOfTrainingTest}, of whole trainings.
 */
@Tag("nightly")
@EnabledOnOs(OS.LINUX)
class MemoryTermsTest {
    /** Terms below this vanish in the JVM's own memory. */
    private static final double SEEN_MB = 15;

    /** Java's heap is resident before the measurement. */
    private static final List<String> WHOLE_HEAP =
            List.of("-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC");

    @TempDir
    private Path folder;

    private Map<String, double[]> terms(String shape) throws IOException {
        return parsed(ChildJvm.run(ChildJvm.SMALL_HEAP, MemoryTermsWork.class, folder.toString(), shape));
    }

    /** Returns estimate and measured bytes of each term, in MB, by shape and term. */
    private static Map<String, double[]> parsed(String printed) {
        return printed.lines()
                .filter(line -> line.matches("\\S+ [a-z]+ -?[0-9.]+ -?[0-9.]+") && !line.startsWith("warm"))
                .map(line -> line.split(" "))
                .collect(Collectors.toMap(word -> word[0] + " " + word[1], word ->
                        new double[] {Double.parseDouble(word[2]), Double.parseDouble(word[3])}));
    }

    @ParameterizedTest
    @CsvSource({
        "llama-bf16,10",
        "llama-fp32,10",
        "qwen3.5-bf16,10",
        "queries-values-fp32,5",
        "queries-values-bf16,4",
        "full-bf16,8",
        "full-fp32,8"
    })
    void everyTermIsNearWhatIsResident(String shape, int compared) throws IOException {
        assertNear(terms(shape), compared);
    }

    /** The vision encoder is frozen, or its merger learns, or all of it learns; windows are those of Qwen2.5-VL. */
    @ParameterizedTest
    @CsvSource({
        "none-bf16,2",
        "none-fp32,2",
        "merger-bf16,5",
        "merger-fp32,5",
        "all-bf16,5",
        "all-fp32,5",
        "none-bf16-windows,2",
        "merger-bf16-windows,5",
        "all-bf16-windows,5"
    })
    void everyTermOfImagesIsNearWhatIsResident(String shape, int compared) throws IOException {
        assertNear(parsed(ChildJvm.run(WHOLE_HEAP, VisionTermsWork.class, folder.toString(), shape)), compared);
    }

    private static void assertNear(Map<String, double[]> terms, int compared) {
        terms.values().removeIf(values -> Math.max(values[0], values[1]) <= SEEN_MB);
        assertThat(terms).as("terms above %s MB", SEEN_MB).hasSize(compared);
        assertThat(terms).allSatisfy((term, values) -> assertThat(values[0] / values[1])
                .as("%s MB estimated, %s measured", values[0], values[1])
                .isBetween(0.85, 1.15));
    }

    /** SmolLM2-135M's shape: at most 1.4 times base, adapters, their moments, and activations, in a step that has gradients of another. */
    @ParameterizedTest
    @ValueSource(strings = {"135m-rank-128", "135m-rank-16"})
    void thePeakOfTheShapeOf135MillionIsNearWhatMustStay(String shape) throws IOException {
        Map<String, double[]> terms = terms(shape);
        double stays = Stream.of("weights", "adapters", "moments", "activations")
                .mapToDouble(term -> Objects.requireNonNull(terms.get(shape + " " + term))[0])
                .sum();

        assertThat(Objects.requireNonNull(terms.get(shape + " whole"))[1]).isLessThan(1.4 * stays);
    }
}
