package dev.prpf.par.constraint;

import com.fasterxml.jackson.databind.JsonNode;

/** Parts of a response as {@link dev.prpf.par.response.ResponseWriter} writes them. */
final class ResponseText {
    private ResponseText() {}

    static String json(JsonNode value) {
        return value.toString().replace("<", "\\u003c");
    }
}
