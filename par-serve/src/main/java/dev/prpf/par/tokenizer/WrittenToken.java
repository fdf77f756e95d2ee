package dev.prpf.par.tokenizer;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.InvalidDataException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A token and the bytes that it writes.
 *
 * @param id in the vocabulary
 * @param bytes UTF-8, possibly partial characters; never empty
 */
public record WrittenToken(int id, byte[] bytes) {
    /** Reads all tokens of a byte-level BPE that can occur in text, and the named control tokens; throws 65 for another tokenizer. */
    static List<WrittenToken> read(Path file, JsonNode json, Set<String> control) {
        requireByteLevel(file, json);
        List<WrittenToken> tokens = new ArrayList<>();
        Set<Integer> added = new HashSet<>();
        for (JsonNode token : json.path("added_tokens")) {
            int id = token.path("id").asInt();
            added.add(id);
            String content = token.path("content").asText();
            boolean steers = token.path("special").asBoolean() || HiddenControl.hasControlShape(content);
            boolean written = steers ? control.contains(content) : !ByteAlphabet.ambiguous(content);
            if (written && !content.isEmpty()) {
                tokens.add(new WrittenToken(id, content.getBytes(StandardCharsets.UTF_8)));
            }
        }
        for (Map.Entry<String, JsonNode> entry :
                json.path("model").path("vocab").properties()) {
            byte[] bytes = ByteAlphabet.bytes(entry.getKey());
            int id = entry.getValue().asInt();
            if (bytes != null && bytes.length > 0 && !added.contains(id)) {
                tokens.add(new WrittenToken(id, bytes));
            }
        }
        return tokens;
    }

    private static void requireByteLevel(Path file, JsonNode json) {
        String model = json.path("model").path("type").asText();
        if (!model.equals("BPE") || !isByteLevel(json.path("decoder"))) {
            throw new InvalidDataException(file + ": is not a byte-level BPE (model \"" + model + "\", decoder \""
                    + json.path("decoder").path("type").asText()
                    + "\"), so the bytes of tokens are unknown; constrained decoding needs one");
        }
    }

    private static boolean isByteLevel(JsonNode decoder) {
        return decoder.path("type").asText().equals("ByteLevel")
                || decoder.path("decoders").valueStream().anyMatch(WrittenToken::isByteLevel);
    }
}
