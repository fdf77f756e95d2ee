package dev.prpf.par.openai;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.json.JsonRecords;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One request for an answer.
 *
 * @param id of the sample that it is about
 * @param turns oldest first
 * @param sampling how the answer is drawn
 * @param responseFormat what the answer must follow, or null for free text
 */
public record ChatRequest(String id, List<Turn> turns, SamplingSettings sampling, @Nullable ObjectNode responseFormat) {
    public ChatRequest {
        turns = List.copyOf(turns);
        if (turns.isEmpty()) {
            throw new IllegalArgumentException("a request needs at least one message");
        }
    }

    /** How messages name it. */
    String name() {
        return "sample " + id;
    }

    private record Body(
            String model,
            List<Turn> messages,
            double temperature,
            double topP,
            int maxTokens,
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long seed,
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable ObjectNode responseFormat,
            boolean stream) {}

    /** The request as it is sent; a field of {@code extra-body} replaces the protocol's, and a null one removes it. */
    public ObjectNode body(String model) {
        ObjectNode body = (ObjectNode) JsonRecords.tree(new Body(
                model,
                turns,
                sampling.temperature(),
                sampling.topP(),
                sampling.maxTokens(),
                sampling.seed(),
                responseFormat,
                false));
        sampling.extraBody().properties().forEach(field -> {
            if (field.getValue().isNull()) {
                body.remove(field.getKey());
            } else {
                body.set(field.getKey(), field.getValue());
            }
        });
        return body;
    }

    /**
     * One message.
     *
     * @param role {@code system}, {@code user} or {@code assistant}
     * @param content its text
     */
    public record Turn(String role, String content) {
        /**
         * A prompt of one user's turn.
         *
         * @param system the system message before it, or null for none
         */
        public static List<Turn> prompt(@Nullable String system, String user) {
            Turn turn = new Turn("user", user);
            return system == null ? List.of(turn) : List.of(new Turn("system", system), turn);
        }
    }
}
