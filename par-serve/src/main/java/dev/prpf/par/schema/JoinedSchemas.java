package dev.prpf.par.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.io.JsonText;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Joins schemas that a value must all satisfy into one schema: those of an {@code allOf}, or keywords next to a {@code $ref}. Schemas of
 * shared properties and elements become an {@code allOf}, which is read later.
 */
final class JoinedSchemas {
    private static final long OPERATIONS = 1 << 13;
    private static final int MAX_DEPTH = 64;
    private static final Set<String> LOWER_BOUNDS = Set.of("minimum", "exclusiveMinimum", "minLength", "minItems");
    private static final Set<String> UPPER_BOUNDS = Set.of("maximum", "exclusiveMaximum", "maxLength", "maxItems");
    private static final List<String> ALTERNATIVES = List.of("anyOf", "oneOf");
    private static final Kind NUMBER =
            new Kind(value -> value.isNumber() && Double.isFinite(value.doubleValue()), "a number");

    /** Kinds of the values of keywords that are joined by value. */
    private static final Map<String, Kind> KINDS = Map.of(
            "required",
            new Kind(JsonNode::isArray, "an array of names"),
            "properties",
            new Kind(JsonNode::isObject, "an object of schemas"),
            "enum",
            new Kind(JsonNode::isArray, "an array of values"),
            "uniqueItems",
            new Kind(JsonNode::isBoolean, "true or false"),
            "nullable",
            new Kind(JsonNode::isBoolean, "true or false"));

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private record Kind(Predicate<JsonNode> is, String name) {}

    private final SchemaReferences references;
    private final WorkBudget budget = new WorkBudget("joining the schemas of allOf", OPERATIONS);
    private final WorkBudget reading;
    private int depth;

    /** @param reading the budget, which counts the values that are compared or copied */
    JoinedSchemas(SchemaReferences references, WorkBudget reading) {
        this.references = references;
        this.reading = reading;
    }

    /** Returns the conjunction of two schemas, without {@code $ref} and {@code allOf} at its top. */
    JsonNode join(JsonNode a, JsonNode b, String at) {
        budget.spend(1L + a.size() + b.size());
        if (++depth > MAX_DEPTH) {
            throw SchemaReader.refused(at, "allOf and $ref nest deeper than " + MAX_DEPTH);
        }
        JsonNode joined = joined(a, b, at);
        depth--;
        return joined;
    }

    private JsonNode joined(JsonNode a, JsonNode b, String at) {
        if (a.isBoolean() || b.isBoolean()) {
            JsonNode other = a.isBoolean() ? b : a;
            return (a.isBoolean() ? a : b).booleanValue() ? other : BooleanNode.FALSE;
        } else if (!a.isObject() || !b.isObject()) {
            throw SchemaReader.refused(
                    at, "has " + JsonText.abbreviate(a.isObject() ? b : a) + ", must be a schema, a JSON object");
        } else if (a.has("$ref") || a.has("allOf")) {
            return join(resolved((ObjectNode) a, at), b, at);
        } else if (b.has("$ref") || b.has("allOf")) {
            return join(a, resolved((ObjectNode) b, at), at);
        }
        for (String keyword : ALTERNATIVES) {
            if (a.has(keyword)) {
                return distributed((ObjectNode) a, keyword, b, at);
            } else if (b.has(keyword)) {
                return distributed((ObjectNode) b, keyword, a, at);
            }
        }
        return plain((ObjectNode) a, (ObjectNode) b, at);
    }

    /** Returns a shallow copy: joined schemas share their fields. */
    private static ObjectNode copy(ObjectNode schema) {
        return JSON.objectNode().setAll(schema);
    }

    private JsonNode resolved(ObjectNode schema, String at) {
        ObjectNode rest = copy(schema);
        JsonNode reference = rest.remove("$ref");
        JsonNode all = rest.remove("allOf");
        JsonNode joined = rest;
        if (reference != null) {
            joined = join(references.target(references.reference(reference, at)), joined, at);
        }
        for (JsonNode one : all == null ? List.<JsonNode>of() : all) {
            joined = join(joined, one, at);
        }
        return joined;
    }

    private static JsonNode distributed(ObjectNode schema, String keyword, JsonNode other, String at) {
        ObjectNode rest = copy(schema);
        JsonNode branches = rest.remove(keyword);
        if (!branches.isArray() || branches.isEmpty()) {
            throw SchemaReader.refused(
                    at, keyword + " is " + JsonText.abbreviate(branches) + ", must be an array of schemas");
        }
        ObjectNode distributed = JSON.objectNode();
        ArrayNode joined = distributed.putArray(keyword);
        branches.forEach(branch -> joined.add(allOf(allOf(branch, rest), other)));
        return distributed;
    }

    private static JsonNode allOf(JsonNode a, JsonNode b) {
        ObjectNode all = JSON.objectNode();
        all.putArray("allOf").add(a).add(b);
        return b.isObject() && b.isEmpty() ? a : a.isObject() && a.isEmpty() ? b : all;
    }

    private JsonNode plain(ObjectNode first, ObjectNode second, String at) {
        ObjectNode a = withoutAnnotation(first);
        ObjectNode b = withoutAnnotation(second);
        requireJoinable(a, b, at);
        ObjectNode joined = copy(a);
        joined.remove("nullable");
        if (takesNull(a, at) && takesNull(b, at) && (a.has("nullable") || b.has("nullable"))) {
            joined.put("nullable", true);
        }
        for (String keyword : List.of("type", "enum")) {
            if (a.has(keyword) && b.has(keyword)) {
                SchemaReader.spendOn(reading, a.path(keyword));
                SchemaReader.spendOn(reading, b.path(keyword));
                ArrayNode common = common(keyword, a.path(keyword), b.path(keyword));
                if (common.isEmpty()) {
                    return BooleanNode.FALSE;
                }
                joined.set(keyword, common);
            }
        }
        if (a.has("const") && b.has("const") && !isEqual(a.path("const"), b.path("const"))) {
            return BooleanNode.FALSE;
        }
        for (var field : b.properties()) {
            String keyword = field.getKey();
            JsonNode mine = a.path(keyword);
            if (mine.isMissingNode() && !keyword.equals("nullable")) {
                joined.set(keyword, field.getValue());
            } else if (LOWER_BOUNDS.contains(keyword) || UPPER_BOUNDS.contains(keyword)) {
                boolean theirs = mine.decimalValue().compareTo(field.getValue().decimalValue()) < 0
                        == LOWER_BOUNDS.contains(keyword);
                joined.set(keyword, theirs ? field.getValue() : mine);
            } else if (Set.of("items", "additionalProperties").contains(keyword)) {
                joined.set(keyword, both(mine, field.getValue()));
            } else if (keyword.equals("uniqueItems")) {
                joined.put(keyword, mine.asBoolean() || field.getValue().asBoolean());
            } else if (keyword.equals("required")) {
                reading.spend((long) mine.size() + field.getValue().size());
                Set<JsonNode> names = new LinkedHashSet<>();
                mine.forEach(names::add);
                field.getValue().forEach(names::add);
                joined.set(keyword, JSON.arrayNode().addAll(names));
            }
        }
        if (a.has("properties") || b.has("properties")) {
            joined.set("properties", properties(a, b));
        }
        return joined;
    }

    private boolean isEqual(JsonNode a, JsonNode b) {
        SchemaReader.spendOn(reading, a);
        SchemaReader.spendOn(reading, b);
        return JsonEquality.key(a).equals(JsonEquality.key(b));
    }

    /** Removes a format without a pattern: it is an annotation, compatible with any other. */
    private static ObjectNode withoutAnnotation(ObjectNode schema) {
        ObjectNode rest = copy(schema);
        if (SchemaReader.isAnnotation(rest, "format")) {
            rest.remove("format");
        }
        return rest;
    }

    /** Returns whether a schema is nullable or has no rule for a value. */
    private static boolean takesNull(ObjectNode schema, String at) {
        return schema.path("nullable").booleanValue()
                || SchemaReader.keywords(schema, at).isEmpty();
    }

    private static JsonNode both(JsonNode a, JsonNode b) {
        boolean none = (a.isBoolean() && !a.booleanValue()) || (b.isBoolean() && !b.booleanValue());
        return none ? BooleanNode.FALSE : allOf(a, b);
    }

    /** Applies a schema's {@code additionalProperties} to the properties that only the other schema names. */
    private ObjectNode properties(ObjectNode a, ObjectNode b) {
        budget.spend((long) a.path("properties").size() + b.path("properties").size());
        ObjectNode joined = JSON.objectNode();
        for (List<ObjectNode> pair : List.of(List.of(a, b), List.of(b, a))) {
            ObjectNode one = pair.get(0);
            ObjectNode other = pair.get(1);
            one.path("properties").properties().forEach(property -> {
                JsonNode theirs = other.path("properties").path(property.getKey());
                JsonNode further = theirs.isMissingNode() ? other.path("additionalProperties") : theirs;
                JsonNode value = property.getValue();
                if (!joined.has(property.getKey())) {
                    joined.set(property.getKey(), further.isMissingNode() ? value : both(value, further));
                }
            });
        }
        return joined;
    }

    private static ArrayNode common(String keyword, JsonNode a, JsonNode b) {
        List<JsonNode> mine = list(a);
        List<JsonNode> theirs = list(b);
        ArrayNode common = JSON.arrayNode();
        Set<Object> keys = theirs.stream().map(JsonEquality::key).collect(Collectors.toSet());
        mine.stream().filter(value -> keys.contains(JsonEquality.key(value))).forEach(common::add);
        JsonNode number = JSON.textNode("number");
        JsonNode integer = JSON.textNode("integer");
        if (keyword.equals("type")
                && !mine.equals(theirs)
                && ((mine.contains(number) && theirs.contains(integer))
                        || (mine.contains(integer) && theirs.contains(number)))
                && !common.valueStream().toList().contains(integer)) {
            common.add(integer);
        }
        return common;
    }

    private static List<JsonNode> list(JsonNode one) {
        return one.isArray() ? one.valueStream().toList() : List.of(one);
    }

    private static void requireJoinable(ObjectNode a, ObjectNode b, String at) {
        for (String keyword : List.of("pattern", "format")) {
            if (a.has(keyword) && b.has(keyword) && !a.path(keyword).equals(b.path(keyword))) {
                throw SchemaReader.refused(
                        at,
                        "allOf joins " + keyword + " " + JsonText.abbreviate(a.path(keyword)) + " and "
                                + JsonText.abbreviate(b.path(keyword)) + "; only one " + keyword + " is supported");
            }
        }
        boolean listed = (a.has("prefixItems") && (b.has("prefixItems") || b.has("items")))
                || (b.has("prefixItems") && a.has("items"));
        if (listed) {
            throw SchemaReader.refused(
                    at, "allOf joins prefixItems and another prefixItems or items; only one is supported");
        }
        for (ObjectNode one : List.of(a, b)) {
            for (var field : one.properties()) {
                boolean bound = LOWER_BOUNDS.contains(field.getKey()) || UPPER_BOUNDS.contains(field.getKey());
                Kind kind = bound ? NUMBER : KINDS.get(field.getKey());
                if (kind != null && !kind.is().test(field.getValue())) {
                    throw SchemaReader.refused(
                            at,
                            field.getKey() + " is " + JsonText.abbreviate(field.getValue()) + ", must be "
                                    + kind.name());
                }
            }
        }
    }
}
