package dev.prpf.data.io;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Frame;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScreenTrajectory;
import dev.prpf.data.TextTrajectory;
import dev.prpf.data.Trajectory;
import dev.prpf.data.io.FunctionCallJson.LocatedAnswer;
import dev.prpf.data.io.FunctionCallJson.LocatedCall;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One record of a ProactiveMobile file to a {@link Sample}, and back. Every defect of shape is reported, not only the first; nothing is
 * coerced; keys that are not known are ignored.
 */
public final class RecordJson {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String METADATA = "benchmark_metadata";
    private static final String REFERENCE = "reference_information";

    private final AnswersMapping mapping;

    public RecordJson(AnswersMapping mapping) {
        this.mapping = mapping;
    }

    /**
     * What could be read of a record.
     *
     * @param sample the sample, or null if any defect is fatal
     * @param labelled whether answers stand in the record, readable or not
     * @param answers the answers that could be read
     * @param frames the trace, with null for a step that could not be read
     */
    public record Reading(
            @Nullable Sample sample, boolean labelled, List<LocatedAnswer> answers, List<@Nullable Frame> frames) {
        /** The calls of all answers. */
        public List<LocatedCall> calls() {
            return answers.stream().flatMap(answer -> answer.calls().stream()).toList();
        }
    }

    /** Whether this is meant as a record at all. */
    static boolean resemblesRecord(JsonNode json) {
        return json.isObject() && (json.has(METADATA) || json.has(REFERENCE));
    }

    /** The pointer to a record's step {@code index}. */
    public static String pathOfStep(int index) {
        return "/" + REFERENCE + "/trace/" + index;
    }

    /** Reads a record and reports its defects with pointers from its root. */
    public Reading read(JsonNode record, Consumer<Defect> defects) {
        if (!resemblesRecord(record)) {
            defects.accept(Defect.fatal(
                    "",
                    "not-a-record",
                    record,
                    "must be an object with \"" + METADATA + "\", \"" + REFERENCE + "\" and the answers"));
            return new Reading(null, true, List.of(), List.of());
        }
        List<Defect> found = new ArrayList<>();
        Fields fields = new Fields(record, "", found::add);
        SampleParts parts = new SampleParts();
        readMetadata(fields.object(METADATA), parts, found::add);
        List<@Nullable Frame> frames = readReference(fields.object(REFERENCE), parts, found::add);
        AnswersMapping.Located located = mapping.find(record, found::add);
        List<LocatedAnswer> answers =
                located == null ? List.of() : FunctionCallJson.readAnswers(located.json(), located.path(), found::add);
        found.forEach(defects);
        boolean sound = found.stream().noneMatch(Defect::isFatal);
        Sample sample = sound ? parts.sample(located == null ? null : recommendations(answers), frames) : null;
        boolean labelled =
                located != null || found.stream().anyMatch(d -> d.rule().equals("unknown-answers-key"));
        return new Reading(sample, labelled, answers, frames);
    }

    private static List<Recommendation> recommendations(List<LocatedAnswer> answers) {
        return answers.stream().map(LocatedAnswer::recommendation).toList();
    }

    /** The scalar fields as far as they could be read; complete when no defect was fatal. */
    private static final class SampleParts {
        private @Nullable String id;
        private int difficulty;
        private @Nullable String split;
        private @Nullable String scenario;
        private @Nullable String profile;
        private @Nullable String phone;
        private @Nullable String world;

        Sample sample(@Nullable List<Recommendation> answers, List<@Nullable Frame> frames) {
            if (id == null || profile == null || phone == null || world == null) {
                throw new IllegalStateException("a record without fatal defects lacks a field");
            }
            DeviceContext context = new DeviceContext(profile, phone, world);
            return new Sample(id, difficulty, split, scenario, context, trajectory(frames), answers);
        }
    }

    private static void readMetadata(@Nullable Fields metadata, SampleParts parts, Consumer<Defect> defects) {
        if (metadata == null) {
            return;
        }
        parts.id = metadata.text("id");
        if (parts.id != null && parts.id.isBlank()) {
            defects.accept(Defect.fatal(
                    metadata.pathOf("id"), "blank-text", NODES.textNode(parts.id), "a record's id must not be blank"));
        }
        JsonNode difficulty = metadata.required("difficulty_level", "integer");
        if (difficulty != null) {
            parts.difficulty = difficulty.canConvertToInt() ? difficulty.intValue() : 0;
            if (parts.difficulty < 1 || parts.difficulty > 3) {
                defects.accept(Defect.fatal(
                        metadata.pathOf("difficulty_level"), "difficulty-range", difficulty, "must be 1, 2 or 3"));
            }
        }
        parts.split = metadata.optionalText("split");
        parts.scenario = metadata.optionalText("scenario");
    }

    private static List<@Nullable Frame> readReference(
            @Nullable Fields reference, SampleParts parts, Consumer<Defect> defects) {
        List<@Nullable Frame> frames = new ArrayList<>();
        if (reference == null) {
            return frames;
        }
        parts.profile = reference.text("profile");
        parts.phone = reference.text("phone");
        parts.world = reference.text("world");
        JsonNode trace = reference.array("trace");
        if (trace != null && trace.isEmpty()) {
            defects.accept(
                    Defect.fatal(reference.pathOf("trace"), "empty-trace", trace, "must hold at least one step"));
        }
        for (int i = 0; trace != null && i < trace.size(); i++) {
            frames.add(TraceJson.read(trace.get(i), pathOfStep(i), defects));
        }
        return frames;
    }

    private static Trajectory trajectory(List<@Nullable Frame> frames) {
        List<Frame> whole = new ArrayList<>();
        List<String> steps = new ArrayList<>();
        for (Frame frame : frames) {
            if (frame == null) {
                throw new IllegalStateException("a record without fatal defects has an unread step");
            }
            whole.add(frame);
            if (frame instanceof Frame.Caption caption) {
                steps.add(caption.text());
            }
        }
        return steps.size() == whole.size() ? new TextTrajectory(steps) : new ScreenTrajectory(whole);
    }

    /** The record as our writer emits it; the answers' key is absent for an unlabelled sample. */
    public static ObjectNode write(Sample sample) {
        ObjectNode record = NODES.objectNode();
        ObjectNode metadata = record.putObject(METADATA);
        metadata.put("id", sample.id());
        metadata.put("difficulty_level", sample.difficulty());
        if (sample.split() != null) {
            metadata.put("split", sample.split());
        }
        if (sample.scenario() != null) {
            metadata.put("scenario", sample.scenario());
        }
        ObjectNode reference = record.putObject(REFERENCE);
        reference.put("profile", sample.context().profile());
        reference.put("phone", sample.context().phone());
        reference.put("world", sample.context().world());
        reference.set("trace", TraceJson.write(sample.trajectory()));
        List<Recommendation> answers = sample.answers();
        if (answers != null) {
            ArrayNode recommendations = record.putArray("recommendations");
            answers.forEach(answer -> recommendations.add(FunctionCallJson.write(answer)));
        }
        return record;
    }
}
