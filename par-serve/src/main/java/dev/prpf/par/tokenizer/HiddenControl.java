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
 * Keeps plain text from forging control tokens: renames them in a {@code tokenizer.json} and its vocabulary to names that no text contains.
 * The library gives added tokens outside the vocabulary new ids after all others, which would shift added words. And some models (Unigram,
 * BPE that ignores merges) match any piece of the vocabulary in text.
 */
final class HiddenControl {
    private static final String CONTENT = "content";

    private final String unguessable = UUID.randomUUID().toString();
    private final Map<String, Long> ids = new LinkedHashMap<>();
    private final Map<String, String> names = new HashMap<>();

    private HiddenControl() {}

    /** Returns whether an added token looks like a control token: in angle brackets. */
    static boolean hasControlShape(String token) {
        return token.startsWith("<") && token.endsWith(">");
    }

    /** Renames in place; returns the hidden tokens' ids by old name, in the file's order. */
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

    /** Renames tokens in a vocabulary (ids by token, or pairs of token and score) and returns those found. */
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

    /** Returns whether a merge, a pair or two halves separated by a blank, contains a renamed token. */
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
