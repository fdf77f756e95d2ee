package dev.prpf.par.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.io.JsonText;
import dev.prpf.par.schema.Schema.Regex;
import dev.prpf.par.schema.Schema.SchemaDocument;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;

/**
 * Reads one JSON schema. Keywords for another type than the value's have no effect, like in the standard. Unsupported keywords that restrict
 * values are rejected; others are annotations.
 */
public final class SchemaReader {
    /** Maximum number of characters of a schema. */
    public static final int LONGEST = 1 << 16;

    private static final int MAX_DEPTH = 64;

    /** Numbers with a bound have at most 15 digits before the point; bounds have at most 6 decimal places, and numbers up to 9 more. */
    private static final BigDecimal MOST = new BigDecimal("999999999999999");

    /** Replaces all bounds above {@link #MOST}: as a lower bound it leaves no number. */
    private static final BigDecimal BEYOND = MOST.add(BigDecimal.ONE);

    private static final int MAX_PLACES = 6;
    private static final double TINIEST = 1e-9;
    private static final long OPERATIONS = 1 << 21;

    private static final List<String> TYPES =
            List.of("string", "integer", "number", "boolean", "null", "array", "object");
    private static final Set<String> TEXT = Set.of("minLength", "maxLength", "pattern", "format");
    private static final Set<String> ARRAY = Set.of("items", "prefixItems", "minItems", "maxItems", "uniqueItems");
    private static final Set<String> OBJECT = Set.of("properties", "required", "additionalProperties");
    private static final Set<String> NUMBER = Set.of("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum");
    private static final Set<String> VALUES = Set.of("enum", "const");
    private static final List<String> COMBINING = List.of("$ref", "anyOf", "oneOf", "allOf");
    /** Unsupported keywords of JSON Schema that restrict values; all other unsupported keywords are annotations. */
    private static final Set<String> RULES = Set.of(
            StringUtils.split(
                    """
            not if then else dependentRequired dependentSchemas dependencies patternProperties propertyNames
            minProperties maxProperties contains minContains maxContains additionalItems unevaluatedItems
            unevaluatedProperties multipleOf $dynamicRef $recursiveRef"""));

    /** Nodes of a document; joined schemas are read once for each place that has them. */
    private static final long NODES = 1 << 18;

    private final WorkBudget reading = new WorkBudget("reading the schema", NODES);
    private final SchemaReferences references;
    private final JoinedSchemas joined;
    private final List<OneOf> disjoint = new ArrayList<>();
    private final Set<Schema> untyped = Collections.newSetFromMap(new IdentityHashMap<>());

    private SchemaReader(JsonNode root) {
        references = new SchemaReferences(root);
        joined = new JoinedSchemas(references, reading);
    }

    /**
     * Reads a schema with its references.
     *
     * @throws PrpfException 65 for an invalid, unsupported or too long schema, naming the JSON Pointer, the keyword and the supported ones
     */
    public static SchemaDocument read(JsonNode schema) {
        int length = schema.toString().length();
        if (length > LONGEST) {
            throw new InvalidDataException(
                    "the schema has " + length + " characters, at most " + LONGEST + " are supported");
        }
        SchemaReader reader = new SchemaReader(schema);
        Schema root = reader.read(schema, "", 0);
        Map<String, Schema> targets = new LinkedHashMap<>();
        String next = reader.references.next();
        while (next != null) {
            targets.put(next, reader.read(reader.references.target(next), next, 0));
            next = reader.references.next();
        }
        SchemaDocument document = new SchemaDocument(root, targets, reader.references.recursive());
        WorkBudget budget = new WorkBudget("comparing the branches of oneOf", OPERATIONS);
        reader.disjoint.forEach(oneOf -> oneOf.require(document, budget));
        return document;
    }

    static InvalidDataException refused(String at, String what) {
        return new InvalidDataException("the schema" + (at.isEmpty() ? "" : " at " + at) + ": " + what);
    }

    private Schema read(JsonNode json, String at, int depth) {
        if (json.isBoolean()) {
            return json.booleanValue() ? new Schema.Anything() : new Schema.Literals(List.of());
        }
        if (!json.isObject()) {
            throw refused(at, "is " + JsonText.abbreviate(json) + ", must be a schema, a JSON object");
        }
        reading.spend(1L + json.size());
        if (depth > MAX_DEPTH) {
            throw refused(at, "nests deeper than " + MAX_DEPTH);
        }
        Set<String> keywords = keywords(json, at);
        Schema schema = COMBINING.stream()
                .filter(keywords::contains)
                .findFirst()
                .map(alone -> combined(json, at, alone, keywords, depth))
                .orElseGet(() -> plain(json, at, keywords, depth));
        JsonNode nullable = json.path("nullable");
        if (!nullable.isMissingNode() && !nullable.isBoolean()) {
            throw refused(at, "nullable is " + JsonText.abbreviate(nullable) + ", must be true or false");
        }
        JsonNode listed = json.path("enum"); // must list null too, as in OpenAPI 3.0.3
        boolean takesNull = listed.isMissingNode()
                || StreamSupport.stream(listed.spliterator(), false).anyMatch(JsonNode::isNull);
        return nullable.booleanValue() && takesNull
                ? new Schema.Union(List.of(schema, new Schema.Literals(List.of(NullNode.instance))))
                : schema;
    }

    /** Returns the keywords that restrict values. */
    static Set<String> keywords(JsonNode json, String at) {
        Set<String> keywords = new LinkedHashSet<>();
        json.fieldNames().forEachRemaining(keywords::add);
        for (String keyword : keywords) {
            if (RULES.contains(keyword)) {
                throw refused(at, "the keyword \"" + keyword + "\" is not supported; supported are " + supported());
            }
        }
        keywords.removeIf(keyword -> !isSupported(json, keyword));
        return keywords;
    }

    private static boolean isSupported(JsonNode json, String keyword) {
        return keyword.equals("type")
                || (TEXT.contains(keyword) && !isAnnotation(json, keyword))
                || ARRAY.contains(keyword)
                || OBJECT.contains(keyword)
                || NUMBER.contains(keyword)
                || VALUES.contains(keyword)
                || COMBINING.contains(keyword);
    }

    /** A format without a pattern here is an annotation, which is the standard's default for all formats. */
    static boolean isAnnotation(JsonNode json, String keyword) {
        JsonNode value = json.path(keyword);
        return keyword.equals("format") && value.isTextual() && !StringFormats.has(value.textValue());
    }

    private static String supported() {
        return "type, enum, const, properties, required, additionalProperties, items, prefixItems, minItems, maxItems, uniqueItems,"
                + " minLength, maxLength, pattern, format, minimum, maximum, exclusiveMinimum, exclusiveMaximum, anyOf, oneOf, allOf, $ref and nullable"
                + " (docs/GENERATION.md)";
    }

    private Schema combined(JsonNode json, String at, String keyword, Set<String> keywords, int depth) {
        JsonNode value = json.path(keyword);
        if (keywords.size() > 1) {
            ObjectNode others = JsonNodeFactory.instance.objectNode().setAll((ObjectNode) json);
            others.remove(List.of(keyword, "nullable"));
            ObjectNode alone = JsonNodeFactory.instance.objectNode().set(keyword, value);
            return read(joined.join(alone, others, at), at, depth + 1);
        }
        if (keyword.equals("$ref")) {
            return new Schema.Reference(references.reference(value, at));
        }
        if (!value.isArray() || value.isEmpty()) {
            throw refused(at, keyword + " is " + JsonText.abbreviate(value) + ", must be an array of schemas");
        }
        if (keyword.equals("allOf") && value.size() > 1) {
            JsonNode all = BooleanNode.TRUE;
            for (JsonNode one : value) {
                all = joined.join(all, one, at);
            }
            return read(all, at, depth + 1);
        }
        List<Schema> branches = new ArrayList<>();
        for (int i = 0; i < value.size(); i++) {
            branches.add(read(value.path(i), at + "/" + keyword + "/" + i, depth + 1));
        }
        if (keyword.equals("oneOf")) {
            disjoint.add(new OneOf(at, branches, untyped));
        }
        return branches.size() == 1 ? branches.get(0) : new Schema.Union(branches);
    }

    private Schema plain(JsonNode json, String at, Set<String> keywords, int depth) {
        List<String> types = types(json, at, keywords);
        if (keywords.stream().anyMatch(VALUES::contains)) {
            return literals(json, at, keywords, types);
        }
        if (types.isEmpty()) {
            return new Schema.Anything();
        }
        List<Schema> branches =
                types.stream().map(type -> typed(type, json, at, depth)).toList();
        if (!json.has("type")) {
            untyped.addAll(branches);
        }
        return branches.size() == 1 ? branches.get(0) : new Schema.Union(branches);
    }

    /** Returns the named types, or else the type of the other keywords; empty for any type. */
    private static List<String> types(JsonNode json, String at, Set<String> keywords) {
        JsonNode type = json.path("type");
        if (type.isMissingNode()) {
            return keywords.stream().anyMatch(OBJECT::contains)
                    ? List.of("object")
                    : keywords.stream().anyMatch(ARRAY::contains)
                            ? List.of("array")
                            : keywords.stream().anyMatch(TEXT::contains)
                                    ? List.of("string")
                                    : keywords.stream().anyMatch(NUMBER::contains) ? List.of("number") : List.of();
        }
        Set<String> types = new LinkedHashSet<>();
        for (JsonNode name : type.isArray() ? type : List.of(type)) {
            if (!name.isTextual() || !TYPES.contains(name.textValue())) {
                throw refused(at, "type is " + JsonText.abbreviate(type) + ", must be of " + TYPES);
            }
            types.add(name.textValue());
        }
        if (types.isEmpty()) {
            throw refused(at, "type is [], must name at least one of " + TYPES);
        }
        if (types.contains("number")) {
            types.remove("integer");
        }
        return List.copyOf(types);
    }

    private Schema literals(JsonNode json, String at, Set<String> keywords, List<String> types) {
        for (String keyword : keywords) {
            if (!VALUES.contains(keyword) && !keyword.equals("type")) {
                throw refused(
                        at, "enum and const are given with \"" + keyword + "\"; they are supported only with type");
            }
        }
        JsonNode listed = json.path("enum");
        if (json.has("enum") && (!listed.isArray() || listed.isEmpty())) {
            throw refused(at, "enum is " + JsonText.abbreviate(listed) + ", must be an array of values");
        }
        Set<JsonNode> values = new LinkedHashSet<>();
        spendOn(reading, listed);
        spendOn(reading, json.path("const"));
        (json.has("enum") ? listed : List.of(json.path("const"))).forEach(values::add);
        Predicate<JsonNode> fits = value -> types.isEmpty() || types.stream().anyMatch(type -> isOf(value, type));
        JsonNode only = json.path("const");
        return new Schema.Literals(values.stream()
                .filter(fits)
                .filter(value -> only.isMissingNode() || JsonEquality.key(value).equals(JsonEquality.key(only)))
                .toList());
    }

    /** Counts the nodes of a value. */
    static void spendOn(WorkBudget budget, JsonNode value) {
        budget.spend(1);
        value.forEach(inner -> spendOn(budget, inner));
    }

    private static boolean isOf(JsonNode value, String type) {
        return switch (type) {
            case "string" -> value.isTextual();
            case "integer" ->
                value.isIntegralNumber() || (value.isNumber() && value.doubleValue() == Math.rint(value.doubleValue()));
            case "number" -> value.isNumber();
            case "boolean" -> value.isBoolean();
            case "null" -> value.isNull();
            case "array" -> value.isArray();
            default -> value.isObject();
        };
    }

    private Schema typed(String type, JsonNode json, String at, int depth) {
        return switch (type) {
            case "string" -> text(json, at);
            case "integer", "number" -> numbers(json, at, type.equals("integer"));
            case "boolean" -> new Schema.Literals(List.of(BooleanNode.TRUE, BooleanNode.FALSE));
            case "null" -> new Schema.Literals(List.of(NullNode.instance));
            case "array" -> items(json, at, depth);
            default -> properties(json, at, depth);
        };
    }

    private static Schema numbers(JsonNode json, String at, boolean whole) {
        if (NUMBER.stream().noneMatch(json::has)) {
            return new Schema.Numbers(whole);
        }
        BigDecimal low = bound(json, at, "minimum", MOST.negate());
        BigDecimal above = bound(json, at, "exclusiveMinimum", MOST.negate());
        BigDecimal high = bound(json, at, "maximum", MOST);
        BigDecimal below = bound(json, at, "exclusiveMaximum", MOST);
        int places = whole ? 0 : Math.max(1, Math.max(places(low.max(above)), places(high.min(below))));
        if (places > MAX_PLACES) {
            throw refused(at, "its bounds have more than " + MAX_PLACES + " decimal places");
        }
        BigDecimal step = BigDecimal.ONE.movePointLeft(places);
        if (json.has("exclusiveMinimum")) {
            low = low.max(above.setScale(places, RoundingMode.FLOOR).add(step));
        }
        if (json.has("exclusiveMaximum")) {
            high = high.min(below.setScale(places, RoundingMode.CEILING).subtract(step));
        }
        low = low.max(MOST.negate()).setScale(places, RoundingMode.CEILING);
        high = high.min(MOST).setScale(places, RoundingMode.FLOOR);
        return new Schema.Written(new Regex.Choice(new NumberRange(low, high, places).written()));
    }

    private static int places(BigDecimal bound) {
        return Math.max(0, bound.stripTrailingZeros().scale());
    }

    private static BigDecimal bound(JsonNode json, String at, String keyword, BigDecimal otherwise) {
        JsonNode value = json.path(keyword);
        if (value.isMissingNode()) {
            return otherwise;
        }
        if (!value.isNumber() || !Double.isFinite(value.doubleValue())) {
            throw refused(at, keyword + " is " + JsonText.abbreviate(value) + ", must be a number");
        }
        double about = value.doubleValue(); // expanding a huge exponent would need billions of digits
        return Math.abs(about) > MOST.doubleValue()
                ? BEYOND.multiply(BigDecimal.valueOf(Math.signum(about)))
                : Math.abs(about) < TINIEST ? BigDecimal.ZERO : value.decimalValue();
    }

    private Schema text(JsonNode json, String at) {
        int min = count(json, at, "minLength", 0);
        int max = count(json, at, "maxLength", Schema.UNBOUNDED);
        requireOrder(at, "minLength", min, "maxLength", max);
        boolean format = json.has("format") && !isAnnotation(json, "format");
        if (!json.has("pattern") && !format) {
            return new Schema.Text(min, max, null);
        }
        if (json.has("pattern") && format) {
            throw refused(at, "pattern and format are both given; only one of them is supported");
        }
        String keyword = json.has("pattern") ? "pattern" : "format";
        JsonNode value = json.path(keyword);
        if (!value.isTextual()) {
            throw refused(at, keyword + " is " + JsonText.abbreviate(value) + ", must be text");
        }
        String pattern = keyword.equals("pattern") ? value.textValue() : StringFormats.pattern(value.textValue());
        Regex read = RegexReader.read("the schema" + (at.isEmpty() ? "" : " at " + at), pattern);
        boolean bounded = min > 0 || max < Schema.UNBOUNDED;
        try {
            Regex as = bounded ? BoundedPattern.of(read, min, max, reading) : read;
            return as == null ? new Schema.Literals(List.of()) : new Schema.Text(0, Schema.UNBOUNDED, as);
        } catch (InvalidDataException e) {
            throw refused(at, e.getMessage());
        }
    }

    private static int count(JsonNode json, String at, String keyword, int otherwise) {
        JsonNode value = json.path(keyword);
        if (value.isMissingNode()) {
            return otherwise;
        }
        if (!value.isNumber() || value.doubleValue() < 0 || value.doubleValue() != Math.rint(value.doubleValue())) {
            throw refused(at, keyword + " is " + JsonText.abbreviate(value) + ", must be a whole number, at least 0");
        }
        return (int) Math.min(Schema.UNBOUNDED, value.doubleValue());
    }

    private static void requireOrder(String at, String least, int min, String most, int max) {
        if (min > max) {
            throw refused(at, least + " is " + min + ", must not be more than " + most + " = " + max);
        }
    }

    private Schema items(JsonNode json, String at, int depth) {
        int min = count(json, at, "minItems", 0);
        int max = count(json, at, "maxItems", Schema.UNBOUNDED);
        requireOrder(at, "minItems", min, "maxItems", max);
        JsonNode listed = json.path("prefixItems");
        if (!listed.isMissingNode() && (!listed.isArray() || listed.isEmpty())) {
            throw refused(at, "prefixItems is " + JsonText.abbreviate(listed) + ", must be an array of schemas");
        }
        List<Schema> prefix = new ArrayList<>();
        for (int i = 0; i < listed.size(); i++) {
            prefix.add(read(listed.path(i), at + "/prefixItems/" + i, depth + 1));
        }
        JsonNode unique = json.path("uniqueItems");
        if (!unique.isMissingNode() && !unique.isBoolean()) {
            throw refused(at, "uniqueItems is " + JsonText.abbreviate(unique) + ", must be true or false");
        } else if (unique.booleanValue() && !prefix.isEmpty()) {
            throw refused(at, "uniqueItems is given with prefixItems; it is supported only with items");
        }
        return new Schema.Items(prefix, further(json, at, "items", depth), min, max, unique.booleanValue() && max > 1);
    }

    /** Returns the schema of further elements or fields: by default any value; null if not allowed. */
    private @Nullable Schema further(JsonNode json, String at, String keyword, int depth) {
        JsonNode value = json.path(keyword);
        if (value.isMissingNode()) {
            return new Schema.Anything();
        }
        return value.isBoolean() && !value.booleanValue() ? null : read(value, at + "/" + keyword, depth + 1);
    }

    private Schema properties(JsonNode json, String at, int depth) {
        JsonNode given = json.path("properties");
        if (!given.isMissingNode() && !given.isObject()) {
            throw refused(at, "properties is " + JsonText.abbreviate(given) + ", must be an object of schemas");
        }
        Schema open = further(json, at, "additionalProperties", depth);
        Set<String> required = required(json.path("required"), at);
        List<Schema.Property> properties = new ArrayList<>();
        given.properties().forEach(entry -> {
            String name = entry.getKey();
            Schema value = read(entry.getValue(), JsonText.member(at + "/properties", name), depth + 1);
            properties.add(new Schema.Property(name, value, required.remove(name)));
        });
        for (String name : required) {
            Schema value = open == null ? new Schema.Literals(List.of()) : open;
            properties.add(new Schema.Property(name, value, true));
        }
        return new Schema.Properties(properties, open);
    }

    private static Set<String> required(JsonNode names, String at) {
        Set<String> required = new LinkedHashSet<>();
        if (!names.isMissingNode() && !names.isArray()) {
            throw refused(at, "required is " + JsonText.abbreviate(names) + ", must be an array of names");
        }
        for (JsonNode name : names) {
            if (!name.isTextual() || !required.add(name.textValue())) {
                throw refused(at, "required is " + JsonText.abbreviate(names) + ", must be names without duplicates");
            }
        }
        return required;
    }
}
