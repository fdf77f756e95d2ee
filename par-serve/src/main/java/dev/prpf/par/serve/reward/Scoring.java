package dev.prpf.par.serve.reward;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.json.EmbeddedJson;
import dev.prpf.par.reward.ResponseLine;
import dev.prpf.par.reward.ResponseScorer;
import dev.prpf.par.reward.ResponseScorer.Scored;
import dev.prpf.par.serve.http.ApiException;
import java.util.List;
import java.util.function.Function;
import org.apache.commons.lang3.StringUtils;

/** The checks that all reward protocols share: the sample of a response exists, and the responses are not too many. */
record Scoring(ResponseScorer scorer, int maxResponses) {
    /** Number of characters of an id in a message. */
    private static final int SHOWN = 60;

    /** A parsed, valid request of a trainer. */
    record Asked(List<ResponseLine> lines, Function<List<Scored>, Object> answer) {}

    /** @throws ApiException 413 for more responses than a request may have */
    void requireFew(String field, int responses) {
        if (responses > maxResponses) {
            throw ApiException.tooLarge(
                    field + " has " + responses + " elements, at most " + maxResponses + " are taken at once");
        }
    }

    /**
     * Checks that a sample has this id.
     *
     * @param path of the id's field
     * @throws ApiException 400 naming field and id if no sample has it
     * @return the id
     */
    String known(String path, String id) {
        if (!scorer.ids().contains(id)) {
            throw ApiException.invalid(
                    path,
                    path + " is \"" + StringUtils.abbreviate(id, SHOWN)
                            + "\", which no sample of the gold file has as its id");
        }
        return id;
    }

    /**
     * Returns the sample id of a trainer's label: the id itself, an object with {@code id}, or such an object as text, as {@code data export} writes
     * it.
     *
     * @throws ApiException 400 naming the field if it is neither, or names no sample
     */
    String labelled(String path, JsonNode label) {
        JsonNode id = label.isTextual() ? ofText(label) : label.path("id");
        if (!id.isTextual()) {
            throw ApiException.invalid(
                    path, path + " must be a sample's id, or an object {\"id\", …} or the text of one");
        }
        return known(path, id.textValue());
    }

    private JsonNode ofText(JsonNode label) {
        String text = label.textValue();
        JsonNode object = scorer.ids().contains(text) || !text.startsWith("{") ? null : EmbeddedJson.read(text);
        return object != null && object.path("id").isTextual() ? object.path("id") : label;
    }

    /** Returns a list element's text. @throws ApiException 400 naming the element if it is not text */
    static String text(String path, JsonNode element) {
        if (!element.isTextual()) {
            throw ApiException.invalid(path, path + " must be text");
        }
        return element.textValue();
    }

    /** @throws ApiException 400 if the lists differ in length */
    static void requireAligned(String field, List<JsonNode> elements, String other, int count) {
        if (elements.size() != count) {
            throw ApiException.invalid(
                    field,
                    field + " has " + elements.size() + " elements, must have " + count + " as " + other + " has");
        }
    }
}
