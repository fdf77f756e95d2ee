package dev.prpf.data.io;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.image.EncodedImage;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.image.DataUrl;
import dev.prpf.data.io.FunctionCallJson.LocatedAnswer;
import dev.prpf.data.io.RecordStream.RawRecord;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Finds every defect of a record: in its structure, its calls and its images. {@link Validator} checks whole files. */
public final class RecordChecker {
    private static final JsonPointer ID = JsonPointer.compile("/benchmark_metadata/id");
    private static final JsonPointer SCENARIO = JsonPointer.compile("/benchmark_metadata/scenario");

    /** The state of earlier records that a check needs. */
    public interface Before {
        /** Returns the index of the first record with this id before {@code index}, or null. */
        @Nullable
        Long firstWith(String id, long index);

        /** Returns whether to report, once for all records, that image files are not checked. */
        boolean sayUnchecked();
    }

    private final Validator.Settings settings;
    private final ImageChecker images;
    private final RecordJson json;
    private final CallChecker calls;

    /**
     * Creates a checker for any number of records.
     *
     * @param pool the readable part of the function pool
     * @throws dev.prpf.base.error.PrpfException 65 if the image root is not a directory
     */
    public RecordChecker(FunctionPoolFile.Reading pool, Validator.Settings settings) {
        this.settings = settings;
        this.images = new ImageChecker(settings.images());
        this.json = new RecordJson(settings.mapping());
        this.calls = new CallChecker(pool);
    }

    /** Returns the label of a record in findings: its id, or {@code #i} for the i-th (from 0) without id. */
    public static String label(RawRecord record) {
        JsonNode id = record.json().at(ID);
        return id.isValueNode() && !id.isNull() && !id.asText().isBlank() ? id.asText() : "#" + record.index();
    }

    /** Returns the finding for a record with the id of an earlier one. */
    public static Finding duplicate(String id, long index, long earlier) {
        String rule = "record " + index + " has the id of record " + earlier + " (counted from 0)";
        return new Finding(id, Defect.fatal(ID.toString(), "duplicate-id", TextNode.valueOf(id), rule));
    }

    /** Returns the finding for a file with unchecked images. */
    public static Finding unchecked() {
        String rule = "the file names images, but whether they exist was not checked: give --images DIR";
        return new Finding(null, Defect.warning("", "images-not-checked", null, rule));
    }

    /** Reports each finding of a record, in the record's order. */
    public void check(RawRecord record, Before before, Consumer<Finding> findings) {
        JsonNode raw = record.json();
        String label = label(record);
        Defect.Sink all = defect -> findings.accept(new Finding(label, defect));
        record.defects().forEach(all);
        Set<String> reported = record.unreadable();
        Defect.Sink defects = defect -> {
            if (!reported.contains(defect.path())) {
                all.accept(defect);
            }
        };
        RecordJson.Reading reading = json.read(raw, defects);
        checkId(record, before, findings);
        checkScenario(raw, defects);
        checkTrace(reading.steps(), raw, before, findings, defects);
        if (!reading.labelled() && !settings.unlabelled()) {
            String rule = "the record has no answers (silence is []); for unlabelled data give --unlabelled";
            defects.fatal("/recommendations", "missing-answers", null, rule);
        }
        reading.answers().forEach(answer -> checkAnswer(answer, raw, defects));
    }

    private static void checkId(RawRecord record, Before before, Consumer<Finding> findings) {
        JsonNode id = record.json().at(ID);
        if (id.isTextual() && !id.textValue().isBlank()) {
            Long earlier = before.firstWith(id.textValue(), record.index());
            if (earlier != null) {
                findings.accept(duplicate(id.textValue(), record.index(), earlier));
            }
        }
    }

    private void checkScenario(JsonNode raw, Defect.Sink defects) {
        JsonNode scenario = raw.at(SCENARIO);
        List<String> names = settings.catalog().names();
        if (scenario.isTextual()
                && !scenario.textValue().equals(ScenarioCatalog.NONE)
                && !names.contains(scenario.textValue())) {
            String rule = "must be \"none\" or one of " + names;
            defects.fatal(SCENARIO.toString(), "unknown-scenario", scenario, rule);
        }
    }

    private void checkTrace(
            List<@Nullable TraceStep> steps,
            JsonNode raw,
            Before before,
            Consumer<Finding> findings,
            Defect.Sink defects) {
        for (int i = 0; i < steps.size(); i++) {
            String path = RecordJson.pathOfStep(i);
            if (steps.get(i) instanceof TraceStep.Screenshot shot) {
                if (settings.images() == null && before.sayUnchecked()) {
                    findings.accept(unchecked());
                }
                images.check(shot.path(), path + "/picture", defects);
            } else if (steps.get(i) instanceof TraceStep.Caption) {
                String text = raw.at(path).isTextual() ? path : path + "/text";
                warnIfBlank(raw.at(text), text, defects);
            }
        }
    }

    private void checkAnswer(LocatedAnswer answer, JsonNode raw, Defect.Sink defects) {
        String place = answer.path() + "/instruction";
        if (!answer.calls().isEmpty()) {
            warnIfBlank(raw.at(place), place, defects);
        }
        answer.calls().forEach(call -> calls.check(call, defects));
    }

    private static void warnIfBlank(JsonNode value, String path, Defect.Sink defects) {
        if (value.isTextual() && value.textValue().isBlank()) {
            defects.warning(path, "blank-text", value, "holds no text");
        }
    }

    /**
     * Checks an image's path or data URL, and with an image root its file, which must be a complete image of an accepted size. Pixels
     * are not decoded.
     *
     * @param root the image root, or null to check no files
     */
    record ImageChecker(@Nullable Path root) {
        ImageChecker {
            if (root != null && !Files.isDirectory(root)) {
                throw new InvalidDataException(
                        "image root " + root + " is not a directory; give the root of the image paths");
            }
        }

        void check(String image, String path, Defect.Sink defects) {
            TextNode value = TextNode.valueOf(image);
            if (DataUrl.is(image)) {
                checkContent(image, path, value, defects);
                return;
            }
            Path relative = relative(image);
            if (relative == null) {
                String rule = "must be a path below the image root: relative, without \"..\"";
                defects.fatal(path, "image-path", value, rule);
            } else if (root != null) {
                checkFile(root.resolve(relative), path, value, defects);
            }
        }

        private static void checkContent(String image, String path, TextNode value, Defect.Sink defects) {
            try {
                EncodedImage.of(DataUrl.bytes(image)).requireWhole();
            } catch (InvalidDataException e) {
                defects.fatal(path, "unreadable-image", value, "cannot be read: " + e.getMessage());
            }
        }

        private static void checkFile(Path file, String path, TextNode value, Defect.Sink defects) {
            if (!Files.isRegularFile(file)) {
                defects.fatal(path, "missing-image", value, "file " + file + " does not exist");
                return;
            }
            try {
                EncodedImage.of(file).requireWhole();
            } catch (InvalidDataException e) {
                defects.fatal(path, "unreadable-image", value, "cannot be read: " + e.getMessage());
            }
        }

        private static @Nullable Path relative(String image) {
            try {
                Path path = Path.of(image);
                boolean absolute =
                        path.isAbsolute() || image.startsWith("\\") || image.matches("(?s)[A-Za-z]:[\\\\/].*");
                boolean upwards =
                        StreamSupport.stream(path.spliterator(), false).anyMatch(Path.of("..")::equals);
                return absolute || upwards ? null : path;
            } catch (InvalidPathException e) {
                return null;
            }
        }
    }
}
