package dev.prpf.par.serve.openai;

import dev.prpf.par.generate.Generation;
import dev.prpf.par.serve.http.ApiException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The finish reason of an answer, in OpenAI's words.
 *
 * @param reason {@code stop}, {@code length} or {@code tool_calls}
 * @param stopReason the stop text or the id of the stop token; null for the model's own end, or without an end
 */
record Finish(String reason, @Nullable Object stopReason) {
    static final String STOP = "stop";
    static final String LENGTH = "length";

    /**
     * @param stop the stop text that was found, or null
     * @param ownEnd the model's end tokens
     * @throws ApiException 504 if its time ran out, 503 if it was cancelled
     */
    static Finish of(Generation generation, @Nullable String stop, List<Integer> ownEnd) {
        return switch (generation.finish()) {
            case END_TOKEN -> {
                int last = Math.toIntExact(generation.ids()[generation.ids().length - 1]);
                yield new Finish(STOP, ownEnd.contains(last) ? null : Integer.valueOf(last));
            }
            case STOP_TEXT -> new Finish(STOP, stop);
            case LENGTH -> new Finish(LENGTH, null);
            case TIMEOUT -> throw ApiException.timeout("the answer was not written in time; ask for fewer tokens");
            case CANCELLED -> throw ApiException.unavailable(null, "the answer was called off");
        };
    }
}
