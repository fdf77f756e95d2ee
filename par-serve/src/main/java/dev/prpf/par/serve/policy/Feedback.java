package dev.prpf.par.serve.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.TraceStep;
import dev.prpf.data.encode.image.DataUrl;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.Defect;
import dev.prpf.data.io.RecordJson;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.RequestFields;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A user's answer to a recommendation.
 *
 * @param sample the sample as received, without answers
 * @param recommendation the one shown
 * @param accepted whether the user accepted it
 */
record Feedback(Sample sample, Recommendation recommendation, boolean accepted) {
    /** The middle level: feedback has no graded difficulty. */
    private static final int DIFFICULTY = 2;

    private static final String MOMENT = "/reference_information";
    private static final String RECOMMENDATION = "/recommendations/0";
    private static final RecordJson RECORD = new RecordJson(new AnswersMapping(List.of()));

    /**
     * Reads {@code {"moment", "recommendation", "accepted"}} from a body.
     *
     * @throws ApiException 400 naming the field that is missing or wrong, 413 for more than the limits allow
     */
    static Feedback read(RequestFields fields, FeedbackLimits limits) {
        JsonNode moment = object(fields, "moment");
        JsonNode recommendation = object(fields, "recommendation");
        fields.required("accepted");
        boolean accepted = fields.flag("accepted", false);
        ObjectNode record = JsonNodeFactory.instance.objectNode();
        record.putObject("benchmark_metadata")
                .put("id", "feedback-" + UUID.randomUUID())
                .put("difficulty_level", DIFFICULTY);
        record.set("reference_information", moment);
        record.putArray("recommendations").add(recommendation);
        List<Defect> defects = new ArrayList<>();
        Sample sample = RECORD.read(record, defects::add).sample();
        defects.stream().filter(Defect::isFatal).findFirst().ifPresent(Feedback::refuse);
        if (sample == null || sample.target() == null) {
            throw ApiException.invalid(
                    "recommendation.functions",
                    "recommendation.functions is empty: silence is neither accepted nor rejected");
        }
        requireNoPictureInWords(sample);
        limits.require(sample);
        limits.require(
                sample.target(), "recommendation." + (recommendation.has("functions") ? "functions" : "function"));
        return new Feedback(sample.with(sample.context(), sample.trajectory(), null), sample.target(), accepted);
    }

    /** Rejects an image within the captions: it would be kept although screenshots are withheld. */
    private static void requireNoPictureInWords(Sample sample) {
        List<TraceStep> steps = sample.trajectory().steps();
        for (int i = 0; i < steps.size(); i++) {
            if (steps.get(i) instanceof TraceStep.Caption told && DataUrl.within(told.text())) {
                String place = "moment.trace[" + i + "]";
                throw ApiException.invalid(
                        place,
                        place + " is a text that holds a data URL; a picture is sent as a step with \"picture\"");
            }
        }
    }

    private static JsonNode object(RequestFields fields, String name) {
        JsonNode value = fields.required(name);
        if (!value.isObject()) {
            throw fields.wrong(name, value, "an object");
        }
        return value;
    }

    private static void refuse(Defect defect) {
        String field = field(defect.path());
        throw ApiException.invalid(field, field + ": " + defect.message());
    }

    /** Converts {@code /reference_information/trace/0/source} to {@code moment.trace[0].source}. */
    private static String field(String pointer) {
        return pointer.replaceFirst("^" + MOMENT, "moment")
                .replaceFirst("^" + RECOMMENDATION, "recommendation")
                .replaceAll("/(\\d+)(?=/|$)", "[$1]")
                .replace('/', '.');
    }

    /** Returns the training record: the recommendation if it was accepted, silence if not. */
    Sample record(Sample allowed) {
        List<Recommendation> answers = accepted ? List.of(recommendation) : List.of();
        return allowed.with(allowed.context(), allowed.trajectory(), answers);
    }
}
