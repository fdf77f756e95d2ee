package dev.prpf.data.check;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.run.Progress;
import dev.prpf.data.Frame;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.Defect;
import dev.prpf.data.io.FunctionCallJson.LocatedAnswer;
import dev.prpf.data.io.FunctionPoolReader;
import dev.prpf.data.io.MalformedFileException;
import dev.prpf.data.io.RecordJson;
import dev.prpf.data.io.RecordStream;
import dev.prpf.data.io.RecordStream.RawRecord;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds every defect of a data file: of the file, of each record's shape, of its calls against the pool, of its pictures. One defect
 * is one finding; what follows from it is not reported. Memory holds one record
 * and 20 to 55 bytes for each id seen.
 */
public final class Validator {
    private static final JsonPointer ID = JsonPointer.compile("/benchmark_metadata/id");
    private static final JsonPointer SCENARIO = JsonPointer.compile("/benchmark_metadata/scenario");
    private static final JsonPointer TRACE = JsonPointer.compile("/reference_information/trace");
    private static final List<JsonPointer> CONTEXT = Stream.of("profile", "phone", "world")
            .map(key -> JsonPointer.compile("/reference_information/" + key))
            .toList();

    private final Settings settings;
    private final Path pool;

    /**
     * What to check against.
     *
     * @param catalog the scenarios a record may name
     * @param images the image root, or null to leave picture files unchecked
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

    /** @param pool the function pool's file; its own defects are findings too */
    public Validator(Path pool, Settings settings) {
        this.pool = pool;
        this.settings = settings;
    }

    /**
     * Checks a file.
     *
     * @param findings told of each finding, in the file's order
     * @throws dev.prpf.base.error.PrpfException 65 if the data file, the pool or the image root cannot be opened
     */
    public Summary validate(Path data, Consumer<Finding> findings) {
        return new Run(data, findings).summary();
    }

    /** One pass over one file. */
    private final class Run {
        private final Consumer<Finding> findings;
        private final PictureChecker pictures = new PictureChecker(settings.images());
        private final RecordJson json = new RecordJson(settings.mapping());
        private final IdIndex seen = new IdIndex();
        private final CallChecker calls;
        private boolean saidUnchecked;
        private long records;
        private long fatal;
        private long warnings;

        Run(Path data, Consumer<Finding> findings) {
            this.findings = findings;
            this.calls = new CallChecker(FunctionPoolReader.read(pool, defect -> report(null, defect)));
            try (RecordStream stream = RecordStream.open(data);
                    Progress progress = Progress.start("validate", -1)) {
                for (RawRecord record = stream.next(); record != null; record = stream.next()) {
                    records++;
                    check(record);
                    progress.step();
                }
                if (records == 0) {
                    report(null, Defect.warning("", "no-records", null, "the file holds no records"));
                }
            } catch (MalformedFileException e) {
                report(null, Defect.fatal("", e.rule(), null, e.getMessage()));
            }
        }

        Summary summary() {
            return new Summary(records, fatal, warnings);
        }

        private void report(@Nullable String id, Defect defect) {
            if (defect.isFatal()) {
                fatal++;
            } else {
                warnings++;
            }
            findings.accept(new Finding(id, defect));
        }

        private void check(RawRecord record) {
            JsonNode raw = record.json();
            String label = label(record);
            record.defects().forEach(defect -> report(label, defect));
            Set<String> reported = record.nonFinite();
            Consumer<Defect> defects = defect -> {
                if (!reported.contains(defect.path())) {
                    report(label, defect);
                }
            };
            RecordJson.Reading reading = json.read(raw, defects);
            checkId(record, defects);
            checkScenario(raw, defects);
            checkContext(raw, defects);
            checkTrace(reading.frames(), raw, defects);
            if (!reading.labelled() && !settings.unlabelled()) {
                defects.accept(Defect.fatal(
                        "/recommendations",
                        "missing-answers",
                        null,
                        "the record has no answers (silence is []); for unlabelled data give --unlabelled"));
            }
            reading.answers().forEach(answer -> checkInstruction(answer, raw, defects));
            reading.calls().forEach(call -> calls.check(call, defects));
        }

        private String label(RawRecord record) {
            JsonNode id = record.json().at(ID);
            return id.isValueNode() && !id.isNull() && !id.asText().isBlank() ? id.asText() : "#" + record.index();
        }

        private void checkId(RawRecord record, Consumer<Defect> defects) {
            JsonNode id = record.json().at(ID);
            if (!id.isTextual() || id.textValue().isBlank()) {
                return;
            }
            int earlier = seen.putIfAbsent(id.textValue(), record.index());
            if (earlier >= 0) {
                defects.accept(Defect.fatal(
                        ID.toString(),
                        "duplicate-id",
                        id,
                        "record " + record.index() + " has the id of record " + earlier + " (counted from 0)"));
            }
        }

        private void checkScenario(JsonNode raw, Consumer<Defect> defects) {
            JsonNode scenario = raw.at(SCENARIO);
            if (scenario.isTextual()
                    && !scenario.textValue().equals(ScenarioCatalog.NONE)
                    && !settings.catalog().names().contains(scenario.textValue())) {
                defects.accept(Defect.fatal(
                        SCENARIO.toString(),
                        "unknown-scenario",
                        scenario,
                        "must be \"none\" or one of " + settings.catalog().names()));
            }
        }

        private void checkContext(JsonNode raw, Consumer<Defect> defects) {
            CONTEXT.forEach(pointer -> warnIfBlank(raw.at(pointer), pointer.toString(), defects));
        }

        private void checkTrace(List<@Nullable Frame> frames, JsonNode raw, Consumer<Defect> defects) {
            JsonNode trace = raw.at(TRACE);
            for (int i = 0; i < frames.size(); i++) {
                String path = RecordJson.pathOfStep(i);
                if (frames.get(i) instanceof Frame.Screenshot shot) {
                    sayIfUnchecked();
                    pictures.check(shot.picture(), path + "/picture", defects);
                } else if (frames.get(i) instanceof Frame.Caption) {
                    JsonNode step = trace.path(i);
                    boolean plain = step.isTextual();
                    warnIfBlank(plain ? step : step.path("text"), plain ? path : path + "/text", defects);
                }
            }
        }

        private void sayIfUnchecked() {
            if (!pictures.looksForFiles() && !saidUnchecked) {
                saidUnchecked = true;
                report(
                        null,
                        Defect.warning(
                                "",
                                "pictures-not-checked",
                                null,
                                "the file names pictures, but whether they exist was not checked: give --images DIR"));
            }
        }

        private void checkInstruction(LocatedAnswer answer, JsonNode raw, Consumer<Defect> defects) {
            String place = answer.path() + "/instruction";
            if (!answer.calls().isEmpty()) {
                warnIfBlank(raw.at(place), place, defects);
            }
        }

        private void warnIfBlank(JsonNode value, String path, Consumer<Defect> defects) {
            if (value.isTextual() && value.textValue().isBlank()) {
                defects.accept(Defect.warning(path, "blank-text", value, "holds no text"));
            }
        }
    }
}
