package dev.prpf.data.command;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.error.Suggestion;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The columns of flat rows by the field of a record.
 *
 * @param columns each a field and its column, in the order of the command line
 * @param pool functions with parameters, which take the columns of their names; may be empty
 */
record FlatRows(List<Column> columns, FunctionPool pool) {
    private static final ObjectReader JSON =
            new JsonMapper().reader().with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    private static final List<String> STEPS = List.of("trace", "image");
    private static final String PARAMETER = "parameters.";
    /** Fields by the usual names of their columns. */
    private static final Map<String, String> USUAL = Map.of("when", "world", "event", "trace", "action", "function");

    private static final Map<String, Predicate<JsonNode>> TYPES =
            Map.of("number", JsonNode::isNumber, "boolean", JsonNode::isBoolean);
    private static final Map<String, String> TYPES_OF_POOLS =
            Map.of("int", ":number", "float", ":number", "bool", ":boolean");
    private static final Pattern NUMBERED_STEP = Pattern.compile("(?i)(?:step|event|trace)[ _]?([0-9]+)");
    private static final List<String> FIELDS =
            List.of("id", "profile", "phone", "world", "trace", "image", "instruction", "function", "parameters");

    record Column(String field, String name) {
        boolean isParameter() {
            return field.startsWith(PARAMETER);
        }

        /** Returns the parameter's name and the type of its texts; without a type a text remains one. */
        private String[] parameter() {
            String[] parts = (field.substring(PARAMETER.length()) + ":").split(":", -1);
            if (parts.length > 2 && !TYPES.containsKey(parts[1])) {
                throw new UsageException(field + ": the type " + parts[1]
                        + " is unknown; write :number, :boolean, or no type for a text");
            }
            return parts;
        }
    }

    /** Parses the values of {@code --map}. */
    static FlatRows mapped(List<String> texts, FunctionPool pool) {
        List<Column> columns = new ArrayList<>();
        for (String text : texts) {
            String[] parts = text.split("=", 2);
            boolean known = FIELDS.contains(parts[0]) || parts[0].startsWith(PARAMETER);
            if (parts.length < 2 || !known) {
                throw new UsageException("--map " + text + ": must be FIELD=COLUMN"
                        + (known ? "" : " with a known field" + Suggestion.hint(parts[0], FIELDS)));
            }
            Column column = new Column(parts[0], parts[1]);
            if (column.isParameter()) {
                column.parameter(); // requires a known type
            }
            columns.add(column);
        }
        return new FlatRows(List.copyOf(columns), pool);
    }

    /**
     * Returns these columns, and for other fields the row's columns of the field's name or of its usual name. Numbered steps and columns named
     * like a parameter belong to them.
     *
     * @throws InvalidDataException if a column without {@code --map} is named like a field and like a parameter
     */
    FlatRows in(ObjectNode row, Path file) {
        List<String> names = row.propertyStream().map(Map.Entry::getKey).toList();
        List<Column> found = new ArrayList<>(columns);
        FIELDS.stream().filter(row::has).forEach(field -> add(found, new Column(field, field)));
        names.stream().filter(name -> name.startsWith(PARAMETER)).forEach(name -> add(found, new Column(name, name)));
        names.forEach(name -> {
            String field = USUAL.get(name.toLowerCase(Locale.ROOT));
            if (field != null) {
                add(found, new Column(field, name));
            }
        });
        if (found.stream().noneMatch(column -> STEPS.contains(column.field()))) {
            names.stream()
                    .map(NUMBERED_STEP::matcher)
                    .filter(Matcher::matches)
                    .sorted(Comparator.comparing(step -> new BigInteger(step.group(1))))
                    .forEach(step -> found.add(new Column("trace", step.group())));
        }
        requireClear(found, file);
        addParameters(found, row);
        return new FlatRows(found, pool);
    }

    /** Refuses a column that {@code --map} does not name if a field and a parameter of that name could both take it. */
    private void requireClear(List<Column> found, Path file) {
        for (Column column : found) {
            FunctionSpec function = columns.contains(column) ? null : withParameter(column.name());
            if (function != null) {
                ParameterSpec parameter = function.parametersByName().get(column.name());
                String type = TYPES_OF_POOLS.getOrDefault(
                        Objects.requireNonNull(parameter).type(), "");
                throw new InvalidDataException(String.format(
                        Locale.ROOT,
                        "%s: column \"%s\" is the usual name of the field %s, and a parameter of %s in functions.json;"
                                + " choose one: --map %s=%2$s or --map %s%2$s%s=%2$s",
                        file,
                        column.name(),
                        column.field(),
                        function.name(),
                        column.field(),
                        PARAMETER,
                        type));
            }
        }
    }

    private @Nullable FunctionSpec withParameter(String name) {
        return pool.functions().stream()
                .filter(function -> function.parameters().stream()
                        .anyMatch(parameter -> parameter.name().equals(name)))
                .findFirst()
                .orElse(null);
    }

    /** Adds the columns named like a parameter, with the type that the row's function gives it. */
    private void addParameters(List<Column> found, ObjectNode row) {
        Set<String> taken = found.stream()
                .flatMap(column -> column.isParameter()
                        ? Stream.of(column.name(), column.parameter()[0])
                        : Stream.of(column.name()))
                .collect(Collectors.toSet());
        FunctionSpec called = found.stream()
                .filter(column -> column.field().equals("function"))
                .map(column -> pool.get(text(row.path(column.name()))))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        pool.functions().stream()
                .flatMap(function -> function.parameters().stream())
                .map(ParameterSpec::name)
                .distinct()
                .filter(name -> row.has(name) && !taken.contains(name))
                .forEach(name -> {
                    ParameterSpec own =
                            called == null ? null : called.parametersByName().get(name);
                    String type = own == null ? "" : TYPES_OF_POOLS.getOrDefault(own.type(), "");
                    found.add(new Column(PARAMETER + name + type, name));
                });
    }

    /**
     * Adds a column unless its field has one by {@code --map} or by a name that comes first; trace and image count as one field there. A
     * parameter's name that {@code --map} uses is not added either.
     */
    private void add(List<Column> found, Column column) {
        boolean step = STEPS.contains(column.field());
        boolean mapped = columns.stream()
                .anyMatch(other -> other.field().equals(column.field()) || (step && STEPS.contains(other.field())));
        boolean parameter = columns.stream().anyMatch(other -> other.name().equals(column.name()))
                && withParameter(column.name()) != null;
        if (!mapped
                && !parameter
                && found.stream().noneMatch(other -> other.field().equals(column.field()))) {
            found.add(column);
        }
    }

    /** Returns the columns of a row that no field takes. */
    Set<String> unused(ObjectNode row) {
        Set<String> unused =
                row.propertyStream().map(Map.Entry::getKey).collect(Collectors.toCollection(LinkedHashSet::new));
        columns.forEach(column -> unused.remove(column.name()));
        return unused;
    }

    /** Returns the columns that a field takes by their usual name, as {@code FIELD=COLUMN}. */
    List<String> usual() {
        return columns.stream()
                .filter(column -> column.field().equals(USUAL.get(column.name().toLowerCase(Locale.ROOT))))
                .map(column -> column.field() + "=" + column.name())
                .toList();
    }

    private List<String> of(String field, ObjectNode row, String place) {
        List<String> names = columns.stream()
                .filter(column -> column.field().equals(field))
                .map(Column::name)
                .toList();
        names.stream().filter(name -> !row.has(name)).findFirst().ifPresent(name -> {
            List<String> there = row.propertyStream().map(Map.Entry::getKey).toList();
            throw new InvalidDataException(
                    place + ": has no column \"" + name + "\" (--map " + field + ")" + Suggestion.hint(name, there));
        });
        return names;
    }

    private String text(String field, ObjectNode row, String place) {
        return of(field, row, place).stream()
                .map(name -> text(row.path(name)))
                .findFirst()
                .orElse("");
    }

    private static String text(JsonNode value) {
        return value.isNull() ? "" : value.asText().strip();
    }

    /**
     * Makes the record of a row.
     *
     * @throws dev.prpf.base.error.PrpfException 65 for a missing column, a row without a step, or parameters that are no JSON object
     */
    Sample sample(ObjectNode row, int number, Path file) {
        String place = file + ": row " + number;
        String id = text("id", row, place);
        List<TraceStep> steps = steps(row, place);
        if (steps.isEmpty()) {
            throw new InvalidDataException(
                    place + ": has no step; name the column of what happened, such as --map trace=COLUMN");
        }
        DeviceContext context =
                new DeviceContext(text("profile", row, place), text("phone", row, place), text("world", row, place));
        String function = text("function", row, place);
        String words = text("instruction", row, place);
        String instruction = words.isEmpty() ? function.replace('_', ' ') : words;
        List<Recommendation> answers = function.isEmpty()
                ? List.of()
                : List.of(new Recommendation(instruction, List.of(new FunctionCall(function, parameters(row, place)))));
        boolean labelled = !of("function", row, place).isEmpty();
        return new Sample(
                id.isEmpty() ? "row-" + number : id,
                1,
                null,
                null,
                context,
                new Trajectory(steps),
                labelled ? answers : null);
    }

    private List<TraceStep> steps(ObjectNode row, String place) {
        List<Column> named = columns.stream()
                .filter(column -> STEPS.contains(column.field()))
                .peek(column -> of(column.field(), row, place)) // requires the columns
                .toList();
        List<TraceStep> steps = new ArrayList<>();
        for (Column column : named) {
            JsonNode value = row.path(column.name());
            for (JsonNode step : value.isArray() ? value : List.of(value)) {
                String text = text(step);
                if (!text.isEmpty()) {
                    steps.add(
                            column.field().equals("image")
                                    ? new TraceStep.Screenshot(text)
                                    : new TraceStep.Caption(text));
                }
            }
        }
        return steps;
    }

    private Map<String, JsonNode> parameters(ObjectNode row, String place) {
        Map<String, JsonNode> parameters = new LinkedHashMap<>();
        for (String name : of("parameters", row, place)) {
            JsonNode value = row.path(name);
            object(JsonRecords.text(value), place, name)
                    .properties()
                    .forEach(entry -> parameters.put(entry.getKey(), entry.getValue()));
        }
        columns.stream().filter(Column::isParameter).forEach(column -> {
            of(column.field(), row, place);
            JsonNode value = row.path(column.name());
            if (!text(value).isEmpty()) {
                String[] parameter = column.parameter();
                parameters.put(parameter[0], typed(value, parameter[1], place, column));
            }
        });
        return parameters;
    }

    private static JsonNode typed(JsonNode value, String type, String place, Column column) {
        Predicate<JsonNode> isTyped = TYPES.get(type);
        if (isTyped == null) {
            return value;
        }
        try {
            JsonNode read = JSON.readTree(text(value));
            if (isTyped.test(read)) {
                return read;
            }
        } catch (IOException e) {
            // Reported below, like a value of another type.
        }
        throw new InvalidDataException(place + ": " + column.name() + " is \"" + text(value) + "\", must be "
                + (type.equals("boolean") ? "true or false" : "a " + type) + " (--map " + column.field()
                + "); correct the row, or leave out :" + type + " for a text");
    }

    private static JsonNode object(String text, String place, String column) {
        try {
            JsonNode value = JSON.readTree(text.isBlank() ? "{}" : text);
            if (value.isObject()) {
                return value;
            }
        } catch (IOException e) {
            // Reported below, like JSON of another type.
        }
        throw new InvalidDataException(place + ": " + column + " is " + text
                + ", must be a JSON object such as {\"time\": \"9:30\"}; take parameters.NAME for a single value");
    }
}
