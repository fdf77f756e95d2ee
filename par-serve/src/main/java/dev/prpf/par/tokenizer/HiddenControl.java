package dev.prpf.par.tokenizer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Gives the control tokens of a {@code tokenizer.json} names that no text has. Where one stands in the model's vocabulary, too, it is renamed
 * there: the tokenizer's library numbers added tokens that the vocabulary has not anew, behind all others, which would shift those of added
 * words; and a vocabulary is searched for its pieces by some models (Unigram, BPE that ignores merges), in whatever text.
 */
final class HiddenControl {
    private static final String CONTENT = "content";

    private final String unguessable = UUID.randomUUID().toString();
    private final Map<String, Long> ids = new LinkedHashMap<>();
    private final Map<String, String> names = new HashMap<>();

    private HiddenControl() {}

    /** Whether an added token steers a model, whatever its file says of it: in angle brackets. */
    static boolean hasControlShape(String token) {
        return token.startsWith("<") && token.endsWith(">");
    }

    /** Renames in place; returns the ids of what is hidden, by its old names, in the file's order. */
    static Map<String, Long> in(ObjectNode json) {
        HiddenControl hidden = new HiddenControl();
        json.path("added_tokens").forEach(hidden::added);
        if (json.path("model") instanceof ObjectNode model) {
            hidden.model(model);
        }
        return hidden.ids;
    }

    private void added(JsonNode token) {
        String content = token.path(CONTENT).asText();
        if (token.path("special").asBoolean() || hasControlShape(content)) {
            ids.put(content, token.path("id").asLong());
            names.put(content, "\uE000" + unguessable + ids.size() + "\uE001");
            ((ObjectNode) token).put(CONTENT, names.get(content));
        }
    }

    private void model(ObjectNode model) {
        Set<String> renamed = vocabulary(model.path("vocab"));
        if (renamed.isEmpty()) {
            return;
        }
        String unknown = model.path("unk_token").asText();
        if (renamed.contains(unknown)) {
            model.put("unk_token", names.get(unknown));
        }
        for (Iterator<JsonNode> merges = model.path("merges").iterator(); merges.hasNext(); ) {
            if (touches(merges.next(), renamed)) {
                merges.remove();
            }
        }
    }

    /** What was found in the vocabulary: ids by token, or pairs of a token and its score. */
    private Set<String> vocabulary(JsonNode vocabulary) {
        Set<String> renamed = new HashSet<>();
        if (vocabulary instanceof ObjectNode tokens) {
            names.forEach((old, name) -> {
                JsonNode id = tokens.remove(old);
                if (id != null) {
                    tokens.set(name, id);
                    renamed.add(old);
                }
            });
        }
        for (JsonNode pair : vocabulary) {
            String old = pair.path(0).asText();
            if (pair instanceof ArrayNode scored && names.containsKey(old)) {
                scored.set(0, scored.textNode(names.get(old)));
                renamed.add(old);
            }
        }
        return renamed;
    }

    /** A merge is a pair, or its two halves with a blank between. */
    private static boolean touches(JsonNode merge, Set<String> renamed) {
        String[] halves = merge.isArray()
                ? new String[] {merge.path(0).asText(), merge.path(1).asText()}
                : merge.asText().split(" ", 2);
        return halves.length == 2
                && (renamed.contains(halves[0])
                        || renamed.contains(halves[1])
                        || renamed.contains(halves[0] + halves[1]));
    }
}
