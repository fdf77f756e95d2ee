package dev.prpf.par.serve.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.io.Defect;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.RequestFields;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;
import org.apache.commons.lang3.StringUtils;

/**
 * A user's answer to a recommendation.
 *
 * @param sample the sample as received, without answers
 */
record Feedback(Sample sample, Recommendation recommendation, boolean accepted) {
    /** The middle level: feedback has no graded difficulty. */
    private static final int DIFFICULTY = 2;

    private static final String RECOMMENDATION = "recommendation";
    private static final int SHOWN = 60;

    /**
     * Reads {@code {"moment", "recommendation", "accepted"}} from a body.
     *
     * @param pool the functions that a recommendation may call
     * @param reader reads a sample from an object, given the sample's id
     * @throws ApiException 400 naming the field that is missing or wrong, 413 for more than the reader's bounds allow
     */
    static Feedback read(RequestFields fields, FunctionPool pool, BiFunction<RequestFields, String, Sample> reader) {
        RequestFields moment = fields.requiredObject("moment");
        JsonNode recommendation = fields.required(RECOMMENDATION);
        fields.object(RECOMMENDATION); // refuses another type
        fields.required("accepted");
        boolean accepted = fields.flag("accepted", false);
        return new Feedback(
                reader.apply(moment, "feedback-" + UUID.randomUUID()), recommended(recommendation, pool), accepted);
    }

    private static Recommendation recommended(JsonNode json, FunctionPool pool) {
        List<Defect> defects = new ArrayList<>();
        List<FunctionCallJson.LocatedAnswer> answers =
                FunctionCallJson.readAnswers(json, "/" + RECOMMENDATION, defects::add);
        defects.stream().filter(Defect::isFatal).findFirst().ifPresent(defect -> {
            throw refused(field(defect.path()), ": " + defect.message());
        });
        if (answers.isEmpty() || answers.get(0).calls().isEmpty()) {
            throw refused(RECOMMENDATION + ".functions", " is empty: silence is neither accepted nor rejected");
        }
        for (FunctionCallJson.LocatedCall located : answers.get(0).calls()) {
            FunctionCall call = located.call();
            if (!pool.contains(call.name())) {
                throw refused(
                        field(located.path()) + ".name",
                        " is \"" + StringUtils.abbreviate(call.name(), SHOWN) + "\", must be a function of the pool");
            }
        }
        return answers.get(0).recommendation();
    }

    private static ApiException refused(String field, String why) {
        return ApiException.invalid(field, field + why);
    }

    /** Converts {@code /recommendation/functions/0} to {@code recommendation.functions[0]}. */
    private static String field(String pointer) {
        return pointer.substring(1).replaceAll("/(\\d+)(?=/|$)", "[$1]").replace('/', '.');
    }

    /** Returns the training record: the recommendation if it was accepted, silence if not. */
    Sample record(Sample allowed) {
        List<Recommendation> answers = accepted ? List.of(recommendation) : List.of();
        return new Sample(allowed.id(), DIFFICULTY, null, null, allowed.context(), allowed.trajectory(), answers);
    }
}
