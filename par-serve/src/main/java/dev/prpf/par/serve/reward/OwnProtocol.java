package dev.prpf.par.serve.reward;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.par.reward.ResponseLine;
import dev.prpf.par.reward.ResponseScorer.RewardLine;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.serve.reward.Scoring.Asked;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers our own reward requests: maps {@code {"items": [{"id", "response"} or {"id", "calls"}]}} to {@code {"items": [output of reasoner
 * reward]}}.
 *
 * @param ignored receives each item after it was read, to count ignored fields
 */
record OwnProtocol(Scoring scoring, Consumer<RequestFields> ignored) {
    private record Answer(List<RewardLine> items) {}

    Asked read(RequestFields fields) {
        fields.required("items");
        scoring.requireFew("items", fields.list("items").size());
        List<ResponseLine> lines = new ArrayList<>();
        for (RequestFields item : fields.objects("items")) {
            lines.add(line(item));
            ignored.accept(item);
        }
        return new Asked(
                lines, scored -> new Answer(scored.stream().map(RewardLine::of).toList()));
    }

    private ResponseLine line(RequestFields item) {
        String id = scoring.known(item.path("id"), item.requiredText("id"));
        String response = item.text("response");
        JsonNode calls = item.json("calls");
        if ((response == null) == (calls == null)) {
            String path = item.path("response");
            throw ApiException.invalid(
                    path, path + ": an item has one of \"response\" and \"calls\", this has " + has(response));
        }
        return calls == null ? new ResponseLine(id, response, null) : calls(item, id, calls);
    }

    private static String has(@Nullable String response) {
        return response == null ? "neither" : "both";
    }

    private static ResponseLine calls(RequestFields item, String id, JsonNode calls) {
        try {
            return new ResponseLine(id, null, FunctionCallJson.readSequences(calls));
        } catch (PrpfException e) {
            throw ApiException.invalid(item.path("calls"), item.path("calls") + ": " + e.getMessage());
        }
    }
}
