package dev.prpf.spark;

import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.check.Finding;
import dev.prpf.data.check.RecordChecker;
import dev.prpf.data.check.Validator;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.MalformedFileException;
import dev.prpf.data.io.RecordStream;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.function.Function;
import org.jspecify.annotations.Nullable;

/** Checks single records in tasks. Findings that depend on other records are left open, with their position. */
final class RecordCheck implements Function<Numbered, RecordCheck.Checked> {
    private static final long serialVersionUID = 1L;

    private final Against against;
    private transient @Nullable RecordChecker checker;

    RecordCheck(Against against) {
        this.against = against;
    }

    /**
     * The settings of the check, as {@link Validator.Settings}.
     *
     * @param images the image root, which every executor must see
     */
    record Against(
            FunctionPoolFile.Reading pool,
            ScenarioCatalog catalog,
            @Nullable String images,
            boolean unlabelled,
            AnswersMapping mapping)
            implements Serializable {
        RecordChecker checker() {
            return new RecordChecker(
                    pool,
                    new Validator.Settings(catalog, images == null ? null : Path.of(images), unlabelled, mapping));
        }
    }

    /** A finding as its JSON line. */
    record Found(boolean fatal, String json) implements Serializable {
        static Found of(Finding finding) {
            return new Found(finding.defect().isFatal(), finding.toJson().toString());
        }
    }

    /**
     * The findings about one record.
     *
     * @param id null if the record has none
     * @param idAt number of findings before one about the id
     * @param unchecked number of findings before the warning about unchecked images; -1 without images, or if they are checked
     */
    record Checked(long index, @Nullable String id, int idAt, int unchecked, List<Found> findings)
            implements Serializable {}

    @Override
    public Checked call(Numbered line) {
        if (checker == null) {
            checker = against.checker();
        }
        Open open = new Open();
        try {
            checker.check(
                    RecordStream.single(line.index(), line.json()),
                    open,
                    finding -> open.findings.add(Found.of(finding)));
        } catch (MalformedFileException e) {
            open.findings.add(Found.of(SampleParser.malformed(line, e)));
        }
        return new Checked(line.index(), open.id, open.idAt, open.unchecked, open.findings);
    }

    /** Records the positions of the open findings. */
    private static final class Open implements RecordChecker.Before {
        private final List<Found> findings = new ArrayList<>();
        private @Nullable String id;
        private int idAt;
        private int unchecked = -1;

        @Override
        public @Nullable Long firstWith(String one, long index) {
            id = one;
            idAt = findings.size();
            return null;
        }

        @Override
        public boolean sayUnchecked() {
            unchecked = unchecked < 0 ? findings.size() : unchecked;
            return false;
        }
    }
}
