package dev.prpf.par.schema;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.io.JsonText;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The references of one schema, collected while it is read, so that each target is read once. */
final class SchemaReferences {
    private final JsonNode root;
    private final Map<String, JsonNode> targets = new LinkedHashMap<>();
    private final Map<String, Set<String>> from = new LinkedHashMap<>();
    private final Deque<String> unread = new ArrayDeque<>();
    private Set<String> ofReader = new LinkedHashSet<>();

    SchemaReferences(JsonNode root) {
        this.root = root;
    }

    /** Returns the pointer of a {@code $ref} in the current target; throws 65 unless it refers to a part of this schema. */
    String reference(JsonNode reference, String at) {
        String text = reference.isTextual() ? reference.textValue() : "";
        if (!text.equals("#") && !text.startsWith("#/")) {
            throw SchemaReader.refused(
                    at,
                    "$ref is " + JsonText.abbreviate(reference)
                            + ", must be a place in this schema, such as #/$defs/NAME");
        }
        JsonNode target = root.at(pointer(text.substring(1), at));
        if (target.isMissingNode()) {
            throw SchemaReader.refused(at, "$ref is " + JsonText.abbreviate(reference) + ", which does not exist");
        }
        String pointer = decoded(text.substring(1), at);
        if (targets.putIfAbsent(pointer, target) == null) {
            unread.add(pointer);
        }
        ofReader.add(pointer);
        return pointer;
    }

    private static JsonPointer pointer(String fragment, String at) {
        return JsonPointer.compile(decoded(fragment, at));
    }

    private static String decoded(String fragment, String at) {
        try {
            return URLDecoder.decode(fragment.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw SchemaReader.refused(at, "$ref is \"#" + fragment + "\", which has an invalid % escape");
        }
    }

    /** Returns the target to read next, which becomes the current one; null when all are read. */
    @Nullable
    String next() {
        String next = unread.poll();
        if (next != null) {
            ofReader = new LinkedHashSet<>();
            from.put(next, ofReader);
        }
        return next;
    }

    JsonNode target(String pointer) {
        return targets.getOrDefault(pointer, root);
    }

    /** Returns the targets that refer to themselves, directly or indirectly. */
    Set<String> recursive() {
        Set<String> recursive = new HashSet<>();
        for (String start : from.keySet()) {
            Set<String> reached = new HashSet<>();
            Deque<String> open = new ArrayDeque<>(from.getOrDefault(start, Set.of()));
            while (!open.isEmpty()) {
                String next = open.remove();
                if (reached.add(next)) {
                    open.addAll(from.getOrDefault(next, Set.of()));
                }
            }
            if (reached.contains(start)) {
                recursive.add(start);
            }
        }
        return recursive;
    }
}
