package dev.prpf.base.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private static final LocalDateTime NOON = LocalDateTime.of(2026, 1, 1, 12, 0);

    private static String said(Runnable work) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream before = System.err;
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        try {
            work.run();
        } finally {
            System.setErr(before);
        }
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void theEndFollowsFromThePaceOfThisProcess() {
        said(() -> {
            try (Progress progress = Progress.resume("train", 100, 40)) {
                assertThat(progress.left(30, NOON)).as("no pace yet").isEmpty();
                progress.stepBy(20);
                assertThat(progress.left(30, NOON)).isEqualTo(", about 60 s left, until 12:01:00");
                assertThat(progress.left(30_000, NOON)).isEqualTo(", about 60000 s left, until 2026-01-02 04:40");
                progress.stepBy(40);
                assertThat(progress.left(90, NOON)).as("done").isEmpty();
            }
        });
    }

    @Test
    void whereNobodyKnowsHowMuchThereIsNoEndIsTold() {
        String line = said(() -> {
            try (Progress progress = Progress.start("read", -1)) {
                progress.stepBy(7);
                progress.note("three bad");
                assertThat(progress.left(30, NOON)).isEmpty();
            }
        });
        assertThat(line).matches("read: 7 in \\d+ s three bad\\n");
    }

    @Test
    void aShortTaskThatIsComplete_printsNothing() {
        assertThat(said(() -> {
                    try (Progress progress = Progress.start("encode", 2)) {
                        progress.stepBy(2);
                    }
                }))
                .isEmpty();
        assertThat(said(() -> Progress.start("encode", 2).close())).startsWith("encode: 0/2 in");
    }

    @Test
    void theLastLineCountsWhatAnEarlierProcessDid() {
        assertThat(said(() -> Progress.resume("train", 9, 4).close())).matches("train: 4/9 in \\d+ s \\n");
    }
}
