package dev.prpf.eval.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SampleVerdictTest {
    private static final Judge.Verdict YES = new Judge.Verdict(true, "the same");
    private static final Judge.Verdict NO = new Judge.Verdict(false, "other city");
    private static final Judge.Verdict LATER = new Judge.Verdict(false, "other day");
    private static final Judge.Verdict UNKNOWN = Judge.Verdict.abstention("no date given");

    @TempDir
    private Path directory;

    @Test
    void oneEquivalentAnswerSuffices() {
        assertThat(SampleVerdict.of("s", List.of(NO, UNKNOWN, YES, YES)))
                .isEqualTo(new SampleVerdict("s", true, "the same"));
    }

    @Test
    void anAbstentionIsNoNo() {
        SampleVerdict verdict = SampleVerdict.of("s", List.of(NO, UNKNOWN));
        assertThat(verdict).isEqualTo(new SampleVerdict("s", null, "no date given"));
        assertThat(verdict.abstained()).isTrue();
    }

    @Test
    void withoutAnyItIsNotAndSaysOfEachWhy() {
        assertThat(SampleVerdict.of("s", List.of(NO, LATER, NO)))
                .isEqualTo(new SampleVerdict("s", false, "other city; other day"));
    }

    @Test
    void aPersonNeedsNoReason() throws IOException {
        Path file = Files.writeString(directory.resolve("h.jsonl"), "{\"id\":\"a\",\"equivalent\":false}\n");
        assertThat(SampleVerdict.read(file)).containsEntry("a", new SampleVerdict("a", false, ""));
    }

    @Test
    void badLinesAreNamed() throws IOException {
        Path twice = Files.writeString(
                directory.resolve("twice.jsonl"),
                "{\"id\":\"a\",\"equivalent\":true,\"reason\":\"\"}\n{\"id\":\"a\",\"equivalent\":true,\"reason\":\"\"}\n");
        assertThatThrownBy(() -> SampleVerdict.read(twice)).hasMessageContaining("twice.jsonl:2: id a is a duplicate");
        Path word = Files.writeString(directory.resolve("word.jsonl"), "{\"id\":\"a\",\"equivalent\":\"yes\"}\n");
        assertThatThrownBy(() -> SampleVerdict.read(word)).hasMessageContaining("word.jsonl:1: is no verdict");
        Path none = Files.writeString(directory.resolve("none.jsonl"), "{\"id\":\"a\",\"reason\":\"\"}\n");
        assertThatThrownBy(() -> SampleVerdict.read(none))
                .as("a decision that is not there is no abstention")
                .hasMessageContaining("none.jsonl:1: is no verdict");
        Path blank = Files.writeString(directory.resolve("blank.jsonl"), "{\"id\":\" \",\"equivalent\":true}\n");
        assertThatThrownBy(() -> SampleVerdict.read(blank)).hasMessageContaining("\"id\" must be a string that is not");
        Path empty = Files.writeString(directory.resolve("empty.jsonl"), "");
        assertThatThrownBy(() -> SampleVerdict.read(empty)).hasMessageContaining("empty.jsonl: holds no verdicts");
    }
}
