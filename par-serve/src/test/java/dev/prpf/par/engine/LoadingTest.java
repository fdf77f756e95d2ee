package dev.prpf.par.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoadingTest {
    @TempDir
    private Path folder;

    /** Resident memory counts all: what is read, what is converted, and what stays. */
    @Test
    void loadingLayerByLayerTakesLittleMoreThanTheWeights() throws IOException {
        List<String[]> lines = FakeCard.run(folder, LoadingWork.class)
                .lines()
                .filter(line -> line.matches("[a-z0-9]+ [A-Z0-9]+ [0-9.]+"))
                .map(line -> line.split(" "))
                .toList();

        assertThat(lines).extracting(line -> line[0]).containsExactly("fp32", "bf16", "int8");
        assertThat(lines).extracting(line -> line[1]).containsExactly("LINEAR", "LINEAR", "INT8");
        assertThat(lines.stream().map(line -> Double.valueOf(line[2])).toList())
                .allSatisfy(ratio -> assertThat(ratio).isBetween(0.95, FusedShape.LOADING));
    }
}
