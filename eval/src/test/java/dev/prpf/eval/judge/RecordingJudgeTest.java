package dev.prpf.eval.judge;

import static dev.prpf.eval.judge.Pairs.pair;
import static dev.prpf.eval.score.Cases.calls;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.eval.judge.Judge.ExactJudge;
import dev.prpf.par.openai.RemoteUsage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordingJudgeTest {
    @TempDir
    private Path directory;

    /** Abstains on calls of "?". */
    private static final class Doubtful implements Judge {
        private boolean closed;

        @Override
        public String id() {
            return "doubtful";
        }

        @Override
        public List<Verdict> judge(List<Case> cases) {
            return cases.stream()
                    .map(one -> one.predicted().equals(calls("?"))
                            ? Verdict.abstention("who knows")
                            : ExactJudge.judge(one))
                    .toList();
        }

        @Override
        public RemoteUsage usage() {
            return new RemoteUsage(1, 2L, 3L, 0, 0, 0, null);
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    @Test
    void aLineASampleWhateverTheCalls() throws IOException {
        Path file = directory.resolve("new/verdicts.jsonl");
        Doubtful doubtful = new Doubtful();
        try (RecordingJudge judge = new RecordingJudge(doubtful, file)) {
            assertThat(judge.judge(List.of(
                            pair("a", calls("f"), calls("g")),
                            pair("a", calls("f"), calls("f")),
                            pair("b", calls("?"), calls("f")))))
                    .extracting(Judge.Verdict::equivalent)
                    .containsExactly(false, true, null);
            assertThat(judge.judge(List.of())).isEmpty();
            judge.judge(List.of(pair("c", calls("f"), calls("g"))));
            assertThat(judge.id()).isEqualTo("doubtful");
            assertThat(judge.usage()).isEqualTo(doubtful.usage());
            assertThat(file).doesNotExist();
            judge.commit();
            assertThat(judge.judge(List.of(pair("c", calls("f"), calls("g")))))
                    .as("a page may ask again")
                    .hasSize(1);
        }
        assertThat(doubtful.closed).isTrue();
        assertThat(Files.readAllLines(file))
                .containsExactly(
                        "{\"id\":\"a\",\"equivalent\":true,\"reason\":\"equal calls\"}",
                        "{\"id\":\"b\",\"equivalent\":null,\"reason\":\"who knows\"}",
                        "{\"id\":\"c\",\"equivalent\":false,\"reason\":\"calls [f], the answer calls [g]\"}");
        assertThat(SampleVerdict.read(file).values())
                .containsExactly(
                        new SampleVerdict("a", true, "equal calls"),
                        new SampleVerdict("b", null, "who knows"),
                        new SampleVerdict("c", false, "calls [f], the answer calls [g]"));
    }

    @Test
    void withoutACommitTheFileBeforeStays() throws IOException {
        Path file = Files.writeString(directory.resolve("verdicts.jsonl"), "before");
        try (RecordingJudge judge = new RecordingJudge(new Doubtful(), file)) {
            judge.judge(List.of(pair("a", calls("f"), calls("f"))));
        }
        assertThat(Files.readString(file)).isEqualTo("before");
        assertThat(directory).isDirectoryContaining(path -> true).isDirectoryNotContaining("glob:**.partial");
    }

    @Test
    void withoutAFileItOnlyJudges() {
        try (RecordingJudge judge = new RecordingJudge(new Doubtful(), null)) {
            assertThat(judge.judge(List.of(pair("a", calls("f"), calls("f"))))).hasSize(1);
            judge.commit();
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aPlaceThatCannotBeWrittenIs69AndClosesTheJudge() {
        Doubtful doubtful = new Doubtful();
        assertThatThrownBy(() -> new RecordingJudge(doubtful, directory))
                .hasMessageContainingAll("cannot write " + directory, "is a folder, a file is needed");
        assertThat(doubtful.closed).isTrue();
    }
}
