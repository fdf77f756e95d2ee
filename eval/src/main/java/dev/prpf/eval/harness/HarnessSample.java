package dev.prpf.eval.harness;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Sample;
import dev.prpf.data.io.RecordJson;
import dev.prpf.eval.score.Metric;
import dev.prpf.eval.score.SampleScore;
import dev.prpf.par.cascade.Prediction;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A line of {@code samples_TASK_DATE.jsonl}. The harness's lists have one element: one request a sample, one response a request.
 *
 * @param docId the sample's position in the gold file, from 0
 * @param doc the record, with the paths of its screenshots
 * @param target the valid call sequences, JSON; {@code []} is silence
 * @param arguments of the request: {@code arg_0} its prompt, which predictions do not keep (null), {@code arg_1} the perceiver's output
 * @param resps the response's text; null if the gate was silent
 * @param filteredResps the scored call sequence, JSON; null if the response was malformed
 * @param filter the harness's name for no filter
 * @param metrics metrics that count this sample; each is also a key of the line
 * @param docHash SHA-256 of the record
 * @param promptHash null, as the prompt
 * @param targetHash SHA-256 of the target
 * @param values by metric, from 0 to 1
 */
record HarnessSample(
        int docId,
        JsonNode doc,
        String target,
        Map<String, Map<String, @Nullable Object>> arguments,
        List<List<@Nullable String>> resps,
        List<@Nullable String> filteredResps,
        String filter,
        List<String> metrics,
        String docHash,
        @Nullable String promptHash,
        String targetHash,
        @JsonAnyGetter Map<String, Double> values) {
    static final String NO_FILTER = "none";
    static final String MALFORMED = "malformed";

    static HarnessSample of(int docId, Sample sample, Prediction prediction, SampleScore score) {
        JsonNode doc = RecordJson.write(sample);
        String target = JsonRecords.write(sample.validSequences());
        Map<String, Double> values = new LinkedHashMap<>();
        for (Metric metric : Metric.values()) {
            if (metric.counts(score)) {
                values.put(metric.key(), metric.value(score));
            }
        }
        values.put(MALFORMED, score.malformed() ? 1.0 : 0.0);
        List<FunctionCall> scored = prediction.scored();
        return new HarnessSample(
                docId,
                doc,
                target,
                Map.of("gen_args_0", arguments(prediction)),
                List.of(Collections.singletonList(prediction.response())),
                Collections.singletonList(scored == null ? null : JsonRecords.write(scored)),
                NO_FILTER,
                List.copyOf(values.keySet()),
                sha256(doc.toString()),
                null,
                sha256(target),
                values);
    }

    private static Map<String, @Nullable Object> arguments(Prediction prediction) {
        Map<String, @Nullable Object> perceived = new LinkedHashMap<>();
        perceived.put("route", prediction.route());
        perceived.put("p_trigger", prediction.pTrigger());
        perceived.put("scenarios", prediction.scenarios());
        Map<String, @Nullable Object> arguments = new LinkedHashMap<>();
        arguments.put("arg_0", null);
        arguments.put("arg_1", perceived);
        return arguments;
    }

    private static String sha256(String text) {
        return AtomicFiles.sha256(text.getBytes(StandardCharsets.UTF_8));
    }
}
