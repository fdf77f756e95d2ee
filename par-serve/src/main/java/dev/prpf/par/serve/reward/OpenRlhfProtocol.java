package dev.prpf.par.serve.reward;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.reward.ResponseLine;
import dev.prpf.par.reward.ResponseScorer.Scored;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.serve.reward.Scoring.Asked;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Answers the reward requests of OpenRLHF 0.10 and 0.11 ({@code --reward.remote_url}): {@code {"query": [prompt and response], "prompts": […],
 * "labels": […]}} to {@code {"rewards": […], "scores": […], "extra_logs": {term: […]}}}. A label names the sample. Scores are a response's
 * correctness in [0, 1], by which OpenRLHF filters groups. With several servers OpenRLHF sends empty lists to all but one; the answer then has empty
 * lists.
 */
record OpenRlhfProtocol(Scoring scoring) {
    private static final String QUERY = "query";
    private static final String PROMPTS = "prompts";
    private static final String LABELS = "labels";

    private record Answer(List<Double> rewards, List<Double> scores, Map<String, List<Double>> extraLogs) {}

    Asked read(RequestFields fields) {
        fields.required(QUERY);
        fields.required(LABELS);
        List<JsonNode> queries = fields.list(QUERY);
        List<JsonNode> prompts = fields.list(PROMPTS);
        List<JsonNode> labels = fields.list(LABELS);
        scoring.requireFew(QUERY, queries.size());
        Scoring.requireAligned(LABELS, labels, QUERY, queries.size());
        if (fields.json(PROMPTS) != null) {
            Scoring.requireAligned(PROMPTS, prompts, QUERY, queries.size());
        }
        List<ResponseLine> lines = new ArrayList<>();
        for (int i = 0; i < queries.size(); i++) {
            String at = "[" + i + "]";
            String prompt = prompts.isEmpty() ? "" : Scoring.text(PROMPTS + at, prompts.get(i));
            String query = Scoring.text(QUERY + at, queries.get(i));
            String id = scoring.labelled(LABELS + at, labels.get(i));
            lines.add(new ResponseLine(id, TrainerResponse.afterPrompt(query, prompt, QUERY + at), null));
        }
        return new Asked(lines, OpenRlhfProtocol::answer);
    }

    private static Answer answer(List<Scored> scored) {
        List<Double> rewards = new ArrayList<>();
        List<Double> scores = new ArrayList<>();
        Map<String, List<Double>> logs = new LinkedHashMap<>();
        for (Scored one : scored) {
            rewards.add(one.reward().total());
            scores.add(one.reward().correctness());
            one.reward().terms().forEach((term, value) -> log(logs, term, value));
            log(logs, "malformed", one.fault() == null ? 0 : 1);
        }
        return new Answer(rewards, scores, logs);
    }

    private static void log(Map<String, List<Double>> logs, String name, double value) {
        logs.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
    }
}
