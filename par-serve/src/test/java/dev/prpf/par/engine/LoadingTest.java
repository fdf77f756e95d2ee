package dev.prpf.par.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class LoadingTest {
    @TempDir
    private Path folder;

    /** Resident memory counts all: what is read, what is converted, and what stays. */
    @Test
    void loadingLayerByLayerTakesLittleMoreThanTheWeights() throws IOException {
        assertLittleMoreThanTheWeights("bf16 fp32 LINEAR", "bf16 bf16 LINEAR", "bf16 int8 INT8", "fp32 int8 INT8");
    }

    /** The smaller test is {@link #loadingLayerByLayerTakesLittleMoreThanTheWeights}, of the other formats. */
    @Test
    @Tag("nightly")
    void loadingFilesInFp32TakesLittleMoreThanTheWeights() throws IOException {
        assertLittleMoreThanTheWeights("fp32 fp32 LINEAR", "fp32 bf16 LINEAR");
    }

    /** Loads each "FILES MATRICES KERNEL". */
    private void assertLittleMoreThanTheWeights(String... expected) throws IOException {
        String[] arguments = Stream.of(expected)
                .map(each -> each.replaceAll("(\\S+) (\\S+) .*", "$1-$2"))
                .toArray(String[]::new);
        String printed = FakeCard.run(folder, LoadingWork.class, arguments);
        List<String[]> lines = printed.lines()
                .filter(line -> line.matches("[a-z0-9]+ to [a-z0-9]+ [A-Z0-9]+ [0-9.]+"))
                .map(line -> line.split(" "))
                .toList();

        assertThat(lines)
                .extracting(line -> String.join(" ", line[0], line[2], line[3]))
                .containsExactly(expected);
        assertThat(lines.stream().map(line -> Double.valueOf(line[4])).toList())
                .as(printed)
                .allSatisfy(ratio -> assertThat(ratio).isBetween(0.95, FusedShape.LOADING));
    }
}
