package dev.prpf.data.io;

import dev.prpf.base.files.IoFailure;
import dev.prpf.base.run.Progress;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.io.RecordStream.RawRecord;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds every defect of a data file: of the file, and of each record's structure, calls and images. Consequences of a defect are
 * not reported. Memory holds one record and all ids.
 */
public final class Validator {
    /**
     * The settings of a validation.
     *
     * @param catalog the allowed scenarios
     * @param images the image root, or null to leave image files unchecked
     * @param unlabelled whether records without answers are allowed
     * @param mapping finds a record's answers
     */
    public record Settings(
            ScenarioCatalog catalog, @Nullable Path images, boolean unlabelled, AnswersMapping mapping) {}

    /**
     * The result of a validation.
     *
     * @param records number of records, valid or not
     * @param fatal number of findings that make data unusable
     * @param warnings number of other findings
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
                new RecordChecker(FunctionPoolFile.read(pool, defect -> report(new Finding(null, defect))), settings);
    }

    /**
     * Checks a data file.
     *
     * @param pool the function pool's file; its defects are findings, too
     * @param findings receives each finding, in the file's order
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
                checker.check(record, before, this::report);
                progress.step();
            }
            if (records == 0) {
                report(noRecords());
            }
        } catch (MalformedFileException e) {
            report(new Finding(null, e.defect()));
        }
        return new Summary(records, fatal, warnings);
    }

    /** Returns the finding for a file without records. */
    public static Finding noRecords() {
        return new Finding(null, Defect.warning("", "no-records", null, "the file holds no records"));
    }

    private void report(Finding finding) {
        if (finding.defect().isFatal()) {
            fatal++;
        } else {
            warnings++;
        }
        findings.accept(finding);
    }

    private static final class Seen implements RecordChecker.Before {
        private final Map<String, Long> first = new HashMap<>();
        private boolean reported;

        @Override
        public @Nullable Long firstWith(String id, long index) {
            return first.putIfAbsent(id, index);
        }

        @Override
        public boolean sayUnchecked() {
            boolean first = !reported;
            reported = true;
            return first;
        }
    }

    /** Buffers findings in a temporary file for a JSON object in which their counts come first, so that any number fits. */
    public static final class FindingSpool implements AutoCloseable {
        private final Path file;
        private final BufferedWriter lines;

        public FindingSpool() {
            try {
                file = Files.createTempFile("prpf-findings", ".jsonl");
                // not Files.newBufferedWriter, which rejects unpaired surrogates
                lines = new BufferedWriter(new OutputStreamWriter(Files.newOutputStream(file), StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw IoFailure.writing(Path.of(System.getProperty("java.io.tmpdir")), e);
            }
        }

        public void add(Finding finding) {
            IoFailure.whileWriting(file, () -> lines.write(finding.toJson() + "\n"));
        }

        /** Writes all findings as one JSON array, in pieces. */
        public void copyTo(Consumer<String> target) {
            try (BufferedReader in = Files.newBufferedReader(file)) {
                lines.flush();
                String before = "[";
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    target.accept(before + line);
                    before = ",";
                }
                target.accept(before.equals("[") ? "[]" : "]");
            } catch (IOException e) {
                throw IoFailure.reading(file, e);
            }
        }

        @Override
        public void close() {
            IoFailure.whileWriting(file, () -> {
                lines.close();
                Files.deleteIfExists(file);
            });
        }
    }
}
