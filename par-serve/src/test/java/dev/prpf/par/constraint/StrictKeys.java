package dev.prpf.par.constraint;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.prpf.par.constraint.States.State;
import dev.prpf.par.response.ResponseGrammar;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Finds duplicate keys in an incomplete response with a JSON reader, independent of constraints. */
final class StrictKeys {
    private static final JsonFactory STRICT = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private final String json;

    StrictKeys(TokenTrie trie, List<Long> ids) {
        StringBuilder text = new StringBuilder();
        ids.forEach(id -> text.append(latin(Objects.requireNonNull(trie.written(id)))));
        String tag = ResponseGrammar.open(ResponseGrammar.RECOMMENDATIONS);
        int at = text.indexOf(tag);
        json = at < 0 ? "" : text.substring(at + tag.length());
    }

    /** Decodes each byte as a character, so that incomplete text can be compared. */
    static String latin(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    boolean standTwiceAfter(String more) {
        try (JsonParser parser = STRICT.createParser(json + more)) {
            JsonToken token = parser.nextToken();
            while (token != null) {
                token = parser.nextToken();
            }
            return false;
        } catch (JsonParseException e) {
            return e.getOriginalMessage().startsWith("Duplicate field");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the state after a token. Returns null if the token cannot come, contains a whole key of an open object, or completes a duplicate key.
     */
    @Nullable
    State follow(State state, byte[] token) {
        State at = state;
        boolean began = false;
        for (byte b : token) {
            State next = at.step(b & 0xFF);
            if (next == null || (began && !next.inKey())) {
                return null;
            }
            began |= next.inKey() && !at.inKey();
            at = next;
        }
        return state.inKey() && standTwiceAfter(latin(token)) ? null : at;
    }
}
