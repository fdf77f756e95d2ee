package dev.prpf.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.spark.SparkException;
import org.junit.jupiter.api.Test;

class SparkJobTest extends JobTest {
    @Test
    void exceptionOfATaskIsTheOutcome() {
        InvalidDataException known = new InvalidDataException("record 7");
        assertThat(SparkJob.outcome(new SparkException("Job aborted\nDriver stacktrace:", known)))
                .isSameAs(known);
        assertThat(SparkJob.outcome(new UsageException("no"))).isInstanceOf(UsageException.class);
    }

    @Test
    void failureOfSparkIsUnavailable() {
        assertThat(SparkJob.outcome(
                        new SparkException("Job aborted due to stage failure: ExecutorLostFailure\nat x", null)))
                .isInstanceOf(UnavailableException.class)
                .hasMessage("Spark failed: Job aborted due to stage failure: ExecutorLostFailure; its log has the"
                        + " details");
        assertThat(SparkJob.outcome(new SparkException("Job aborted", new IOException("No space left on device"))))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("No space left on device");
    }

    @Test
    void bugOfATaskStaysABug() {
        NullPointerException bug = new NullPointerException("x");
        assertThat(SparkJob.outcome(bug)).isSameAs(bug);
        assertThat(SparkJob.outcome(new SparkException("Job aborted", bug)))
                .isInstanceOf(IllegalStateException.class)
                .hasRootCause(bug);
        UncheckedIOException unread = new UncheckedIOException(new IOException("y"));
        assertThat(SparkJob.outcome(unread)).isSameAs(unread);
    }

    @Test
    void everyCommandHasHelpWithAnExample() {
        for (String command : new String[] {"validate", "stats", "encode", "sft-set", "calls", "export", "score"}) {
            assertThat(job(0, command, "--help")).contains("Example", "  prpf-spark " + command + " --");
        }
        job(2);
        assertThat(stderr()).contains("error: a command is needed");
    }
}
