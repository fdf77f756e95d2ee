package dev.prpf.data.check;

import dev.prpf.base.run.Progress;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.Defect;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.MalformedFileException;
import dev.prpf.data.io.RecordStream;
import dev.prpf.data.io.RecordStream.RawRecord;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds every defect of a data file: of the file, of each record's shape, of its calls against the pool, of its images. One defect
 * is one finding; what follows from it is not reported. Memory holds one record
 * and the ids seen.
 */
public final class Validator {
    /**
     * What to check against.
     *
     * @param catalog the scenarios a record may name
     * @param images the image root, or null to leave image files unchecked
     * @param unlabelled whether records without answers are allowed
     * @param mapping where records keep their answers
     */
    public record Settings(
            ScenarioCatalog catalog, @Nullable Path images, boolean unlabelled, AnswersMapping mapping) {}

    /**
     * How it went.
     *
     * @param records records seen, sound or not
     * @param fatal findings that make data unusable
     * @param warnings the other findings
     */
    public record Summary(long records, long fatal, long warnings) {}

    private final RecordChecker checker;
    private final Consumer<Finding> findings;
    private long records;
    private long fatal;
    private long warnings;

    private Validator(Path pool, Settings settings, Consumer<Finding> findings) {
        this.findings = findings;
        this.checker =
                new RecordChecker(FunctionPoolFile.read(pool, defect -> tell(new Finding(null, defect))), settings);
    }

    /**
     * Checks a file.
     *
     * @param pool the function pool's file; its own defects are findings too
     * @param findings told of each finding, in the file's order
     * @throws dev.prpf.base.error.PrpfException 65 if the data file, the pool or the image root cannot be opened
     */
    public static Summary validate(Path data, Path pool, Settings settings, Consumer<Finding> findings) {
        return new Validator(pool, settings, findings).validate(data);
    }

    private Summary validate(Path data) {
        RecordChecker.Before before = new Seen();
        try (RecordStream stream = RecordStream.open(data);
                Progress progress = Progress.start("validate", -1)) {
            for (RawRecord record = stream.next(); record != null; record = stream.next()) {
                records++;
                checker.check(record, before, this::tell);
                progress.step();
            }
            if (records == 0) {
                tell(noRecords());
            }
        } catch (MalformedFileException e) {
            tell(new Finding(null, e.defect()));
        }
        return new Summary(records, fatal, warnings);
    }

    /** The finding about a file without records. */
    public static Finding noRecords() {
        return new Finding(null, Defect.warning("", "no-records", null, "the file holds no records"));
    }

    private void tell(Finding finding) {
        if (finding.defect().isFatal()) {
            fatal++;
        } else {
            warnings++;
        }
        findings.accept(finding);
    }

    /** The ids of the records so far. */
    private static final class Seen implements RecordChecker.Before {
        private final Map<String, Long> first = new HashMap<>();
        private boolean said;

        @Override
        public @Nullable Long firstWith(String id, long index) {
            return first.putIfAbsent(id, index);
        }

        @Override
        public boolean sayUnchecked() {
            boolean now = !said;
            said = true;
            return now;
        }
    }
}
