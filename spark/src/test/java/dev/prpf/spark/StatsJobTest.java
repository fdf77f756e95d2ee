package dev.prpf.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.command.DataCommand;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StatsJobTest extends JobTest {
    private static List<String> samples() {
        List<String> samples = new ArrayList<>(records(50));
        samples.set(9, samples.get(9).replace("\"split\"", "\"scenario\":\"Zoo\",\"split\""));
        samples.set(30, samples.get(30).replace("\"split\"", "\"scenario\":\"Alps\",\"split\""));
        samples.set(31, samples.get(31).replace("\"test\"", "\"train\""));
        return samples;
    }

    @Test
    void countsEqualThoseOfOneMachine() throws IOException {
        writeLines("data", samples());
        String expected = local(new DataCommand(), 0, "stats", "--data", at("data.jsonl"), "--json");
        assertThat(job(0, "stats", "--data", at("data"), "--json"))
                .isEqualTo(expected)
                .contains("Zoo", "Alps");
        assertThat(job(0, "stats", "--data", at("data"), "--partitions", "7", "--json"))
                .isEqualTo(expected);
        assertThat(job(0, "stats", "--data", at("data") + "/part-*.jsonl"))
                .isEqualTo(local(new DataCommand(), 0, "stats", "--data", at("data.jsonl")));
    }

    @Test
    void firstUnreadableRecordEndsTheJob() throws IOException {
        List<String> samples = samples();
        samples.set(17, record("bad", 7, "\"s\"", "[]"));
        samples.set(45, "no JSON");
        writeLines("data", samples);
        assertThat(job(65, "stats", "--data", at("data"))).isEmpty();
        assertThat(stderr())
                .contains("error: " + at("data") + ": record 17 (id bad), at /benchmark_metadata/difficulty_level: 7:"
                        + " must be 1, 2 or 3 [difficulty-range]; validate lists every defect;"
                        + " give --failed DIR to exclude such records");
    }

    @Test
    void unreadableRecordsGoToFailedWithReasons() throws IOException {
        List<String> samples = samples();
        writeLines("sound", samples);
        samples.add(17, record("bad", 7, "\"s\"", "[]").replace("\"w\"", "3"));
        samples.add(45, "no JSON");
        writeLines("data", samples);
        assertThat(job(0, "stats", "--data", at("data"), "--failed", at("failed"), "--json"))
                .isEqualTo(job(0, "stats", "--data", at("sound"), "--json"));
        assertThat(parts("failed"))
                .hasSize(3)
                .satisfiesExactly(
                        line -> assertThat(line)
                                .startsWith("{\"id\":\"bad\",\"path\":\"/benchmark_metadata/difficulty_level\","
                                        + "\"severity\":\"fatal\",\"rule\":\"difficulty-range\",\"value\":7,"),
                        line -> assertThat(line).contains("\"id\":\"bad\"", "/reference_information/world"),
                        line -> assertThat(line).contains("\"id\":\"#45\"", "malformed-json"));
    }

    @Test
    void existingFailedFolderIsRejected() throws IOException {
        writeLines("data", samples());
        write("failed/x", "mine");
        job(2, "stats", "--data", at("data"), "--failed", at("failed"));
        assertThat(stderr()).contains("--failed " + at("failed") + ": exists already");
    }

    @Test
    void invalidPartitionCountIsRejected() throws IOException {
        writeLines("data", samples());
        job(2, "stats", "--data", at("data"), "--partitions", "-1");
        assertThat(stderr()).contains("--partitions = -1, must be at least 1");
    }
}
