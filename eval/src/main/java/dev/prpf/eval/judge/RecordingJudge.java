package dev.prpf.eval.judge;

import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.PendingFile;
import dev.prpf.par.openai.RemoteUsage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the verdicts of another judge to a file, one line a sample ({@link SampleVerdict}), and keeps none in memory. */
public final class RecordingJudge implements Judge {
    private final Judge judge;
    private final Path file;
    private final @Nullable PendingFile pending;
    private boolean committed;

    /**
     * Creates the pending file, which {@link #commit} moves to its path.
     *
     * @param judge closed with this one, also if the file cannot be written
     * @param file null for none
     * @throws dev.prpf.base.error.PrpfException 69 if the file cannot be written
     */
    public RecordingJudge(Judge judge, @Nullable Path file) {
        this.judge = judge;
        this.file = file == null ? Path.of(SampleVerdict.FILE) : file;
        try {
            pending = file == null ? null : PendingFile.create(file);
        } catch (IOException e) {
            judge.close();
            throw IoFailure.writing(this.file, e);
        }
    }

    @Override
    public String id() {
        return judge.id();
    }

    /** {@inheritDoc} All cases of a sample must be adjacent in one call. */
    @Override
    public List<Verdict> judge(List<Case> cases) {
        List<Verdict> verdicts = judge.judge(cases);
        int from = 0;
        for (int to = 1; to <= cases.size(); to++) {
            String id = cases.get(from).sample().id();
            if (to == cases.size() || !cases.get(to).sample().id().equals(id)) {
                write(SampleVerdict.of(id, verdicts.subList(from, to)));
                from = to;
            }
        }
        return verdicts;
    }

    private void write(SampleVerdict verdict) {
        if (pending != null && !committed) {
            byte[] line = (verdict.line() + "\n").getBytes(StandardCharsets.UTF_8);
            IoFailure.whileWriting(file, () -> pending.stream().write(line));
        }
    }

    @Override
    public @Nullable RemoteUsage usage() {
        return judge.usage();
    }

    /** Moves the file to its path; later verdicts are not written. */
    public void commit() {
        if (pending != null) {
            IoFailure.whileWriting(file, pending::commit);
            committed = true;
        }
    }

    @Override
    public void close() {
        try {
            judge.close();
        } finally {
            if (pending != null) {
                IoFailure.whileWriting(file, pending::close);
            }
        }
    }
}
