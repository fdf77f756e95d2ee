package dev.prpf.data.io;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.io.FunctionCallJson.LocatedAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Converts a record of a ProactiveMobile file to a {@link Sample} and back. All structural defects are reported, not only the
 * first; nothing is coerced; unknown keys are ignored.
 *
 * @param mapping finds a record's answers
 */
public record RecordJson(AnswersMapping mapping) {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String METADATA = "benchmark_metadata";
    private static final String REFERENCE = "reference_information";
    private static final List<String> CONTEXT = List.of("profile", "phone", "world");

    /**
     * The readable part of a record.
     *
     * @param sample the sample, or null if a defect is fatal
     * @param labelled whether the record has answers, valid or not
     * @param answers the valid answers
     * @param steps the trace, with null for an invalid step
     */
    public record Reading(
            @Nullable Sample sample, boolean labelled, List<LocatedAnswer> answers, List<@Nullable TraceStep> steps) {}

    /** Returns whether a value looks like a record. */
    static boolean resemblesRecord(JsonNode json) {
        return json.isObject() && (json.has(METADATA) || json.has(REFERENCE));
    }

    /** Returns the pointer to a record's step {@code index}. */
    public static String pathOfStep(int index) {
        return "/" + REFERENCE + "/trace/" + index;
    }

    /** Reads a record and reports its defects with pointers from its root. */
    public Reading read(JsonNode record, Defect.Sink defects) {
        if (!resemblesRecord(record)) {
            String rule = "must be an object with \"" + METADATA + "\", \"" + REFERENCE + "\" and the answers";
            defects.fatal("", "not-a-record", record, rule);
            return new Reading(null, true, List.of(), List.of());
        }
        List<Defect> found = new ArrayList<>();
        Defect.Sink sink = found::add;
        JsonFields fields = new JsonFields(record, "", sink);
        JsonFields metadata = fields.object(METADATA);
        if (metadata != null) {
            checkMetadata(metadata);
        }
        JsonFields reference = fields.object(REFERENCE);
        List<@Nullable TraceStep> steps = reference == null ? List.of() : readReference(reference);
        AnswersMapping.Located located = mapping.find(record, sink);
        List<LocatedAnswer> answers =
                located == null ? List.of() : FunctionCallJson.readAnswers(located.json(), located.path(), sink);
        found.forEach(defects);
        boolean valid = found.stream().noneMatch(Defect::isFatal);
        boolean labelled =
                located != null || found.stream().anyMatch(d -> d.rule().equals("unknown-answers-key"));
        return new Reading(
                valid ? sample(record, steps, located == null ? null : answers) : null, labelled, answers, steps);
    }

    private static void checkMetadata(JsonFields metadata) {
        String id = metadata.text("id");
        if (id != null && id.isBlank()) {
            metadata.fatal("id", "blank-text", "a record's id must not be blank");
        }
        JsonNode difficulty = metadata.required("difficulty_level", "integer");
        int level = difficulty != null && difficulty.canConvertToInt() ? difficulty.intValue() : 0;
        if (difficulty != null && (level < 1 || level > 3)) {
            metadata.fatal("difficulty_level", "difficulty-range", "must be 1, 2 or 3");
        }
        metadata.optionalText("split");
        metadata.optionalText("scenario");
    }

    /**
     * Reads an unlabelled sample from {@code reference_information} only.
     *
     * @param id the sample's id
     * @param defects receives defects with pointers from {@code reference}
     * @return the sample, or null if a defect is fatal
     */
    public static @Nullable Sample readMoment(JsonNode reference, String id, Defect.Sink defects) {
        List<Defect> found = new ArrayList<>();
        List<@Nullable TraceStep> steps = readReference(new JsonFields(reference, "", found::add));
        found.forEach(defects);
        return found.stream().anyMatch(Defect::isFatal)
                ? null
                : new Sample(id, 1, null, null, context(reference), trajectory(steps), null);
    }

    private static DeviceContext context(JsonNode reference) {
        List<String> texts =
                CONTEXT.stream().map(reference::path).map(JsonNode::textValue).toList();
        return new DeviceContext(texts.get(0), texts.get(1), texts.get(2));
    }

    private static Trajectory trajectory(List<@Nullable TraceStep> steps) {
        return new Trajectory(steps.stream().map(Objects::requireNonNull).toList());
    }

    private static List<@Nullable TraceStep> readReference(JsonFields reference) {
        CONTEXT.forEach(reference::text);
        JsonNode trace = reference.required("trace", "array");
        if (trace != null && trace.isEmpty()) {
            reference.fatal("trace", "empty-trace", "must hold at least one step");
        }
        List<@Nullable TraceStep> steps = new ArrayList<>();
        for (int i = 0; trace != null && i < trace.size(); i++) {
            steps.add(step(trace.get(i), reference.pathOf("trace") + "/" + i, reference.defects()));
        }
        return steps;
    }

    /** Reads a step: a string, {@code {"source": "text", "text": …}} or {@code {"source": "picture", "picture": path}}. */
    private static @Nullable TraceStep step(JsonNode item, String path, Defect.Sink defects) {
        if (item.isTextual()) {
            return new TraceStep.Caption(item.textValue());
        }
        if (!item.isObject()) {
            defects.fatal(path, "field-type", item, "is not a step: must be a string or an object with \"source\"");
            return null;
        }
        JsonFields fields = new JsonFields(item, path, defects);
        String source = fields.text("source");
        if (source == null) {
            return null;
        }
        return switch (source) {
            case "text" -> caption(fields.text("text"));
            case "picture" -> screenshot(fields);
            default -> {
                fields.fatal("source", "unknown-source", "must be \"text\" or \"picture\"");
                yield null;
            }
        };
    }

    private static @Nullable TraceStep caption(@Nullable String text) {
        return text == null ? null : new TraceStep.Caption(text);
    }

    private static @Nullable TraceStep screenshot(JsonFields fields) {
        String image = fields.text("picture");
        if (image != null && image.isBlank()) {
            fields.fatal("picture", "blank-text", "must be a path below the image root, or a data URL");
        }
        return image == null || image.isBlank() ? null : new TraceStep.Screenshot(image);
    }

    private static Sample sample(
            JsonNode record, List<@Nullable TraceStep> steps, @Nullable List<LocatedAnswer> answers) {
        JsonNode metadata = record.path(METADATA);
        return new Sample(
                metadata.path("id").textValue(),
                metadata.path("difficulty_level").intValue(),
                metadata.path("split").textValue(),
                metadata.path("scenario").textValue(),
                context(record.path(REFERENCE)),
                trajectory(steps),
                answers == null
                        ? null
                        : answers.stream().map(LocatedAnswer::recommendation).toList());
    }

    /** Writes a sample as a record; an unlabelled sample has no key for answers. */
    public static ObjectNode write(Sample sample) {
        ObjectNode record = NODES.objectNode();
        ObjectNode metadata =
                record.putObject(METADATA).put("id", sample.id()).put("difficulty_level", sample.difficulty());
        if (sample.split() != null) {
            metadata.put("split", sample.split());
        }
        if (sample.scenario() != null) {
            metadata.put("scenario", sample.scenario());
        }
        record.putObject(REFERENCE)
                .put("profile", sample.context().profile())
                .put("phone", sample.context().phone())
                .put("world", sample.context().world())
                .set("trace", trace(sample.trajectory()));
        List<Recommendation> answers = sample.answers();
        if (answers != null) {
            record.putArray("recommendations")
                    .addAll(answers.stream().map(FunctionCallJson::write).toList());
        }
        return record;
    }

    private static ArrayNode trace(Trajectory trajectory) {
        ArrayNode trace = NODES.arrayNode();
        if (trajectory.screenshots().isEmpty()) {
            trajectory.texts().forEach(trace::add);
        } else {
            trajectory.steps().forEach(step -> add(step, trace));
        }
        return trace;
    }

    private static void add(TraceStep step, ArrayNode trace) {
        if (step instanceof TraceStep.Screenshot shot) {
            trace.addObject().put("source", "picture").put("picture", shot.path());
        } else if (step instanceof TraceStep.Caption caption) {
            trace.addObject().put("source", "text").put("text", caption.text());
        }
    }
}
