package dev.prpf.par.constraint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.par.constraint.Branch.Option;
import dev.prpf.par.response.ResponseGrammar;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The values that a pool allows for a parameter: those without a fatal defect in {@code data validate}. Where the pool does not specify a value, any
 * value but null may come, nested as deep as the settings allow. Examples are an unknown type, a list of anything, and a dict without fields.
 */
final class Values {
    private static final Set<String> TYPES = Set.of("string", "int", "bool", "list", "dict");
    private static final Pattern WHOLE = Pattern.compile("-?(0|[1-9][0-9]{0,17})");

    /** Most digits on either side of the point, so that readers can represent the number. */
    private static final int MAX_DIGITS = 18;

    private final TokenTrie trie;
    private final TextMachines machines;
    private final ConstraintSettings settings;
    private final List<Option> integers;
    private final List<Option> decimals;
    private final Map<Open, List<Option>> anything = new HashMap<>();
    private final Map<Open, Option> openObjects = new HashMap<>();

    private record Open(int depth, boolean mayBeEmpty) {}

    Values(TokenTrie trie, TextMachines machines, ConstraintSettings settings) {
        this.trie = trie;
        this.machines = machines;
        this.settings = settings;
        integers = number(List.of());
        Branch fraction = Branch.of(digits('0', moreDigits(MAX_DIGITS - 1, List.of())), trie);
        decimals = number(List.of(Option.of(".", fraction)));
    }

    List<Option> integers() {
        return integers;
    }

    List<Option> decimals() {
        return decimals;
    }

    /** Returns the alternatives for a call. Excludes functions without a valid call: those with a required enumeration without a usable value. */
    List<Option> calls(List<FunctionSpec> functions) {
        Branch end = Branch.literal("}", trie);
        List<Option> calls = new ArrayList<>();
        for (FunctionSpec function : functions) {
            if (function.name().isBlank()) {
                continue;
            }
            List<ObjectFields.Field> fields = function.parameters().stream()
                    .map(spec -> new ObjectFields.Field(spec.name(), spec.required(), of(spec)))
                    .toList();
            String name = ResponseGrammar.json(TextNode.valueOf(function.name()));
            Option call = Option.of(
                    "{\"name\":" + name + ",\"parameters\":{", new ObjectFields(fields, true, trie).first(), end);
            if (call.cost() < Expression.NEVER) {
                calls.add(call);
            }
        }
        return calls;
    }

    /** Returns a JSON number without an exponent: a whole number, then an optional fraction. */
    private List<Option> number(List<Option> fraction) {
        List<Option> options = digits('1', moreDigits(MAX_DIGITS - 1, fraction));
        options.add(Option.of("0", moreDigits(0, fraction)));
        options.add(Option.of("-", Branch.of(options, trie)));
        return options;
    }

    private static List<Option> digits(char from, Branch after) {
        List<Option> options = new ArrayList<>();
        for (char digit = from; digit <= '9'; digit++) {
            options.add(Option.of(String.valueOf(digit), after));
        }
        return options;
    }

    /** Returns at most this number of further digits, then the number's end or its fraction. */
    private Branch moreDigits(int most, List<Option> fraction) {
        List<Option> options = most == 0 ? new ArrayList<>() : digits('0', moreDigits(most - 1, fraction));
        options.addAll(fraction);
        options.add(Option.end(""));
        return Branch.of(options, trie);
    }

    /** Returns the alternatives for a value; empty if the pool allows no value. An optional one may be null or the empty text. */
    List<Option> of(ParameterSpec spec) {
        List<Option> options = new ArrayList<>(given(spec));
        if (!spec.required()) {
            addOnce(options, "null");
            if (options.stream().noneMatch(option -> option.text().equals("\""))) {
                addOnce(options, "\"\"");
            }
        }
        return options;
    }

    private static void addOnce(List<Option> options, String text) {
        if (options.stream().noneMatch(option -> option.text().equals(text))) {
            options.add(Option.end(text));
        }
    }

    private List<Option> given(ParameterSpec spec) {
        boolean mayBeEmpty = !spec.required();
        List<JsonNode> enumeration = spec.enumeration();
        JsonNode structure = spec.structure();
        if (spec.type().equals("list")) {
            return list(elements(enumeration, structure), mayBeEmpty);
        } else if (enumeration != null && !spec.type().equals("dict")) {
            return enumerated(spec.type(), enumeration, mayBeEmpty);
        }
        return switch (spec.type()) {
            case "dict" -> dict(structure, mayBeEmpty);
            case "string" -> List.of(text(mayBeEmpty));
            case "int" -> integers;
            case "bool" -> List.of(Option.end("true"), Option.end("false"));
            case "float", "double", "number" -> decimals;
            default ->
                structure != null && structure.isObject()
                        ? dict(structure, mayBeEmpty)
                        : anything(settings.depth(), mayBeEmpty);
        };
    }

    private Option text(boolean mayBeEmpty) {
        TextMachine machine = mayBeEmpty ? machines.string() : machines.requiredString();
        return Option.of("\"", Text.of(machine, settings.value(), List.of(List.of())));
    }

    /** Returns an enumeration's values. The pool writes the same value as {@code "1"} or {@code 1}; the parameter's type decides. */
    private static List<Option> enumerated(String type, List<JsonNode> enumeration, boolean mayBeEmpty) {
        Set<String> texts = new LinkedHashSet<>();
        for (JsonNode value : enumeration) {
            String text = value.asText();
            if (value.isContainerNode() || value.isNull() || (text.isBlank() && !mayBeEmpty)) {
                continue;
            }
            boolean fits =
                    switch (type) {
                        case "int" -> WHOLE.matcher(text).matches();
                        case "bool" -> text.equals("true") || text.equals("false");
                        default -> true;
                    };
            if (fits) {
                boolean bareWord = type.equals("int") || type.equals("bool");
                texts.add(
                        type.equals("string")
                                ? ResponseGrammar.json(TextNode.valueOf(text))
                                : bareWord ? text : ResponseGrammar.json(value));
            }
        }
        return texts.stream().map(Option::end).toList();
    }

    private List<Option> list(List<Option> element, boolean mayBeEmpty) {
        return List.of(Option.of("[", new Elements(element, "]", trie).first(mayBeEmpty)));
    }

    private List<Option> elements(@Nullable List<JsonNode> enumeration, @Nullable JsonNode structure) {
        if (enumeration != null) {
            return enumerated("", enumeration, true);
        }
        JsonNode element = structure != null && structure.isArray() ? structure.get(0) : structure;
        return element != null && element.isObject() ? dict(element, true) : anything(settings.depth(), true);
    }

    private List<Option> dict(@Nullable JsonNode structure, boolean mayBeEmpty) {
        if (structure == null || !structure.isObject() || structure.isEmpty()) {
            return List.of(openObject(settings.depth(), mayBeEmpty));
        }
        List<ObjectFields.Field> fields = new ArrayList<>();
        for (Map.Entry<String, JsonNode> field : structure.properties()) {
            boolean required = field.getValue().path("must_fill").asText().equals("required");
            fields.add(new ObjectFields.Field(field.getKey(), required, field(field.getValue(), required)));
        }
        return List.of(Option.of("{", new ObjectFields(fields, mayBeEmpty, trie).first()));
    }

    /** Returns a field's values. Fields are described by a text, a type word, an enumeration, or like a parameter. */
    private List<Option> field(JsonNode described, boolean required) {
        String type = described.isObject() ? described.path("type").asText() : described.asText();
        JsonNode allowed = described.isObject() ? described.path("value") : described;
        List<JsonNode> enumeration = null;
        if (allowed.isArray() && !allowed.isEmpty()) {
            enumeration = new ArrayList<>();
            allowed.forEach(enumeration::add);
        }
        boolean explained = TYPES.contains(type) || enumeration != null;
        return of(new ParameterSpec(
                "",
                "",
                explained ? type : "",
                required,
                enumeration,
                allowed.isObject() && explained ? allowed : null));
    }

    private List<Option> anything(int depth, boolean mayBeEmpty) {
        return known(anything, new Open(depth, mayBeEmpty), this::newAnything);
    }

    /** Returns the cached value of a key, or makes it. */
    static <K, V> V known(Map<K, V> all, K key, Function<K, V> maker) {
        V known = all.get(key);
        if (known == null) {
            known = maker.apply(key); // not computeIfAbsent: the maker may call this again
            all.put(key, known);
        }
        return known;
    }

    private List<Option> newAnything(Open open) {
        List<Option> options = new ArrayList<>(decimals);
        options.add(text(open.mayBeEmpty()));
        options.add(Option.end("true"));
        options.add(Option.end("false"));
        if (open.depth() > 0) {
            options.addAll(list(anything(open.depth() - 1, true), open.mayBeEmpty()));
            options.add(openObject(open.depth() - 1, open.mayBeEmpty()));
        }
        return options;
    }

    private Option openObject(int depth, boolean mayBeEmpty) {
        return known(openObjects, new Open(depth, mayBeEmpty), open -> {
            Branch value = Branch.of(anything(open.depth(), true), trie);
            return OpenObject.of(machines.key(), value, open.mayBeEmpty(), trie);
        });
    }
}
