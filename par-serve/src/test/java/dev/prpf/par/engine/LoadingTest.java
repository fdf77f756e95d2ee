package dev.prpf.par.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
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
        String printed = FakeCard.run(folder, LoadingWork.class);
        List<String[]> lines = printed.lines()
                .filter(line -> line.matches("[a-z0-9]+ to [a-z0-9]+ [A-Z0-9]+ [0-9.]+"))
                .map(line -> line.split(" "))
                .toList();

        assertThat(lines).extracting(line -> line[0]).containsExactly("bf16", "bf16", "bf16", "fp32");
        assertThat(lines).extracting(line -> line[2]).containsExactly("fp32", "bf16", "int8", "int8");
        assertThat(lines.subList(0, 3)).extracting(line -> line[3]).containsExactly("LINEAR", "LINEAR", "INT8");
        assertThat(lines.stream().map(line -> Double.valueOf(line[4])).toList())
                .as(printed)
                .allSatisfy(ratio -> assertThat(ratio).isBetween(0.95, FusedShape.LOADING));
    }
}
