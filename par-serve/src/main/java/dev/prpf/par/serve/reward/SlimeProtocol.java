package dev.prpf.par.serve.reward;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.reward.ResponseLine;
import dev.prpf.par.reward.ResponseScorer.Scored;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.serve.reward.Scoring.Asked;
import java.util.ArrayList;
import java.util.List;

/**
 * Answers the reward requests of slime and miles ({@code --rm-type remote_rm}): {@code {"prompt", "response", "label"}} to the reward as a bare
 * number. Lists of responses and labels give a list of numbers. The label names the sample; the prompt is not needed.
 */
record SlimeProtocol(Scoring scoring) {
    private static final String RESPONSE = "response";
    private static final String LABEL = "label";

    Asked read(RequestFields fields) {
        fields.json("prompt");
        JsonNode response = fields.required(RESPONSE);
        JsonNode label = fields.required(LABEL);
        if (!response.isArray()) {
            ResponseLine line = line(RESPONSE, response, LABEL, label);
            return new Asked(List.of(line), scored -> totals(scored).get(0));
        }
        List<JsonNode> responses = fields.list(RESPONSE);
        List<JsonNode> labels = fields.list(LABEL);
        scoring.requireFew(RESPONSE, responses.size());
        Scoring.requireAligned(LABEL, labels, RESPONSE, responses.size());
        List<ResponseLine> lines = new ArrayList<>();
        for (int i = 0; i < responses.size(); i++) {
            String at = "[" + i + "]";
            lines.add(line(RESPONSE + at, responses.get(i), LABEL + at, labels.get(i)));
        }
        return new Asked(lines, SlimeProtocol::totals);
    }

    /** @throws ApiException 400 naming the invalid field */
    private ResponseLine line(String path, JsonNode response, String labelPath, JsonNode label) {
        String text = TrainerResponse.withoutControl(Scoring.text(path, response));
        return new ResponseLine(scoring.labelled(labelPath, label), text, null);
    }

    private static List<Double> totals(List<Scored> scored) {
        return scored.stream().map(one -> one.reward().total()).toList();
    }
}
