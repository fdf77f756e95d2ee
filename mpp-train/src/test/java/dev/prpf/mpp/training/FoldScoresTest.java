package dev.prpf.mpp.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FoldScoresTest {
    private static final double[][] SCORES = {{0.1, 1.0 / 3}, {0.0, 1.0}, {1e-300, 0.7}};

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void write() {
        file = folder.resolve("scores/fold_0.member_1.jsonl");
        FoldScores scores = new FoldScores(file, List.of("a", "b"), 3);
        assertThat(scores.exist()).isFalse();
        assertThat(scores.write(SCORES)).isSameAs(SCORES);
        assertThat(scores.exist()).isTrue();
    }

    @Test
    void theNumbersThatAreReadAreThoseThatWereWritten() {
        assertThat(new FoldScores(file, List.of("a", "b"), 3).read()).isDeepEqualTo(SCORES);
    }

    @Test
    void scoresOfOtherSamplesOrStrengthsAreRefused() {
        assertThatThrownBy(() -> new FoldScores(file, List.of("a", "c"), 3).read())
                .isInstanceOf(InvalidDataException.class)
                .hasMessage(
                        file + ": its 2 samples are not the 2 of this fold; remove the file and run the same command"
                                + " again");
        assertThatThrownBy(() -> new FoldScores(file, List.of("a", "b"), 2).read())
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining(file + ":1: holds 3 scores, must be 2, one for each C");
    }

    @Test
    void aDamagedLineIsNamed() throws IOException {
        Files.writeString(file, Files.readString(file).replace("0.7", "7"));
        assertThatThrownBy(() -> new FoldScores(file, List.of("a", "b"), 3).read())
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining(file + ":2: ")
                .hasMessageContaining("scores = 7.0 must be in [0, 1]");
    }
}
