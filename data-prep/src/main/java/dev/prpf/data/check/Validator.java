package dev.prpf.data.check;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.run.Progress;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.TraceStep;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.Defect;
import dev.prpf.data.io.FunctionCallJson.LocatedAnswer;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.MalformedFileException;
import dev.prpf.data.io.RecordJson;
import dev.prpf.data.io.RecordStream;
import dev.prpf.data.io.RecordStream.RawRecord;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds every defect of a data file: of the file, of each record's shape, of its calls against the pool, of its images. One defect
 * is one finding; what follows from it is not reported. Memory holds one record
 * and the ids seen.
 */
public final class Validator {
    private static final JsonPointer ID = JsonPointer.compile("/benchmark_metadata/id");
    private static final JsonPointer SCENARIO = JsonPointer.compile("/benchmark_metadata/scenario");
    private static final List<JsonPointer> CONTEXT = Stream.of("profile", "phone", "world")
            .map(key -> JsonPointer.compile("/reference_information/" + key))
            .toList();

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

    private final Settings settings;
    private final Consumer<Finding> findings;
    private final ImageChecker images;
    private final RecordJson json;
    private final CallChecker calls;
    private final Map<String, Integer> seen = new HashMap<>();
    private boolean saidUnchecked;
    private long records;
    private long fatal;
    private long warnings;

    private Validator(Path pool, Settings settings, Consumer<Finding> findings) {
        this.settings = settings;
        this.findings = findings;
        this.images = new ImageChecker(settings.images());
        this.json = new RecordJson(settings.mapping());
        this.calls = new CallChecker(FunctionPoolFile.read(pool, of(null)));
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
        try (RecordStream stream = RecordStream.open(data);
                Progress progress = Progress.start("validate", -1)) {
            for (RawRecord record = stream.next(); record != null; record = stream.next()) {
                records++;
                check(record);
                progress.step();
            }
            if (records == 0) {
                of(null).warning("", "no-records", null, "the file holds no records");
            }
        } catch (MalformedFileException e) {
            of(null).accept(e.defect());
        }
        return new Summary(records, fatal, warnings);
    }

    /** Takes the defects of the record with that id, or of the whole file or pool. */
    private Defect.Sink of(@Nullable String id) {
        return defect -> {
            if (defect.isFatal()) {
                fatal++;
            } else {
                warnings++;
            }
            findings.accept(new Finding(id, defect));
        };
    }

    private void check(RawRecord record) {
        JsonNode raw = record.json();
        Defect.Sink all = of(label(record));
        record.defects().forEach(all);
        Set<String> reported = record.unreadable();
        Defect.Sink defects = defect -> {
            if (!reported.contains(defect.path())) {
                all.accept(defect);
            }
        };
        RecordJson.Reading reading = json.read(raw, defects);
        checkId(record, defects);
        checkScenario(raw, defects);
        CONTEXT.forEach(pointer -> warnIfBlank(raw.at(pointer), pointer.toString(), defects));
        checkTrace(reading.steps(), raw, defects);
        if (!reading.labelled() && !settings.unlabelled()) {
            String rule = "the record has no answers (silence is []); for unlabelled data give --unlabelled";
            defects.fatal("/recommendations", "missing-answers", null, rule);
        }
        reading.answers().forEach(answer -> checkAnswer(answer, raw, defects));
    }

    private static String label(RawRecord record) {
        JsonNode id = record.json().at(ID);
        return id.isValueNode() && !id.isNull() && !id.asText().isBlank() ? id.asText() : "#" + record.index();
    }

    private void checkId(RawRecord record, Defect.Sink defects) {
        JsonNode id = record.json().at(ID);
        Integer earlier =
                id.isTextual() && !id.textValue().isBlank() ? seen.putIfAbsent(id.textValue(), record.index()) : null;
        if (earlier != null) {
            String rule = "record " + record.index() + " has the id of record " + earlier + " (counted from 0)";
            defects.fatal(ID.toString(), "duplicate-id", id, rule);
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

    private void checkTrace(List<@Nullable TraceStep> steps, JsonNode raw, Defect.Sink defects) {
        for (int i = 0; i < steps.size(); i++) {
            String path = RecordJson.pathOfStep(i);
            if (steps.get(i) instanceof TraceStep.Screenshot shot) {
                sayIfUnchecked();
                images.check(shot.path(), path + "/picture", defects);
            } else if (steps.get(i) instanceof TraceStep.Caption) {
                String text = raw.at(path).isTextual() ? path : path + "/text";
                warnIfBlank(raw.at(text), text, defects);
            }
        }
    }

    private void sayIfUnchecked() {
        if (settings.images() == null && !saidUnchecked) {
            saidUnchecked = true;
            String rule = "the file names images, but whether they exist was not checked: give --images DIR";
            of(null).warning("", "pictures-not-checked", null, rule);
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
}
