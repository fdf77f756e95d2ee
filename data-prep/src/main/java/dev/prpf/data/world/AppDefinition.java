package dev.prpf.data.world;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.config.Defaults;
import dev.prpf.base.config.Rule;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.Suggestion;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.episode.EpisodeStep.Effect;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.world.EffectScript.Refusal;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An app as one YAML file: its state, its functions, and its screens.
 *
 * @param app name of the app in calls, such as {@code Notes} in {@code Notes__create_note}
 * @param start state of the app if the scenario states no other
 * @param tick script that runs before each call, move and read of the state, such as one that sends due notifications; null for none
 * @param pool script of the shipped pool's functions; reads {@code called}, {@code arguments} and {@code writes}; null for none
 * @param functions further calls of agents and events, by name
 * @param screens the user's moves of each screen; the first screen is the app's first
 */
@Defaults.Sparse
public record AppDefinition(
        String app,
        JsonNode start,
        @Nullable String tick,
        @Nullable String pool,
        Map<String, AppFunction> functions,
        Map<String, Map<String, Move>> screens) {
    private static final Pattern READS = Pattern.compile("(search|check)_.*");

    /** The names of the apps that the project ships. */
    public static final List<String> SHIPPED = List.of(
            "apartment",
            "cab",
            "calendar",
            "contacts",
            "email",
            "files",
            "messaging",
            "notes",
            "phone",
            "reminder",
            "shopping");

    /**
     * A function of an app.
     *
     * @param effect whether the function changes the state
     * @param args parameters in order: {@code string}, {@code int}, {@code number}, {@code bool}, {@code list}, {@code dict} or {@code any};
     *     after {@code optional} the parameter may be absent, and {@code = VALUE} states a default in JSON
     * @param run a JEXL script over {@code state}, the parameters and {@link EffectScript}'s functions; its last value is the result
     * @param user text for the user when an event calls the function, with {@code {parameter}} for values; null if the user sees nothing
     * @param agent text for the agent, with whole values; null if the agent sees nothing
     */
    @Defaults.Sparse
    public record AppFunction(
            Effect effect, Map<String, String> args, String run, @Nullable String user, @Nullable String agent) {
        public AppFunction {
            args.values().forEach(Parameter::of);
            EffectScript.of(run);
        }
    }

    /**
     * A move of the user on a screen.
     *
     * @param args parameters, like those of a function
     * @param run a JEXL script, like that of a function; null if the move only leads to another screen
     * @param to the next screen, {@code back} for the one before, {@code first} for the app's first, or null to stay
     * @param keep values of the next screen by name: JEXL expressions over the parameters and {@code result}
     */
    @Defaults.Sparse
    public record Move(Map<String, String> args, @Nullable String run, @Nullable String to, Map<String, String> keep) {
        static final String BACK = "back";
        static final String FIRST = "first";

        public Move {
            args.values().forEach(Parameter::of);
            if (run != null) {
                EffectScript.of(run);
            }
            keep.values().forEach(EffectScript::of);
        }
    }

    /** A parameter's type, and whether a call may omit it. */
    record Parameter(String type, boolean optional, @Nullable Object value) {
        private static final Pattern FORM =
                Pattern.compile("(optional )?(string|int|number|bool|list|dict|any)(\\s*=\\s*(.+))?", Pattern.DOTALL);

        static Parameter of(String text) {
            Matcher form = FORM.matcher(text);
            Rule.require(form.matches(), "args", text, "TYPE, \"optional TYPE\" or TYPE = VALUE, such as \"int = 10\"");
            String value = form.group(4);
            boolean optional = form.group(1) != null || value != null;
            return new Parameter(form.group(2), optional, value == null ? null : JsonValues.parse(value));
        }

        /** Returns a value for each parameter; refuses an argument that is unknown, missing, or of another type. */
        static Map<String, @Nullable Object> checked(Map<String, String> types, Map<String, @Nullable Object> args)
                throws Refusal {
            for (String name : args.keySet()) {
                if (!types.containsKey(name)) {
                    throw new Refusal("there is no argument " + name + "; arguments: " + types.keySet());
                }
            }
            Map<String, @Nullable Object> checked = new LinkedHashMap<>();
            for (Map.Entry<String, String> entry : types.entrySet()) {
                Parameter parameter = of(entry.getValue());
                String name = entry.getKey();
                Object given = args.get(name);
                if (given == null && !parameter.optional) {
                    throw new Refusal("the argument " + name + " is missing (" + parameter.type + ")");
                }
                if (given != null && !parameter.accepts(given)) {
                    throw new Refusal("the argument " + name + " is " + given + ", must be of type " + parameter.type);
                }
                checked.put(name, given == null ? JsonValues.copy(parameter.value) : given);
            }
            return checked;
        }

        private boolean accepts(@Nullable Object given) {
            return switch (type) {
                case "string" -> given instanceof String;
                case "int" -> given instanceof Integer || given instanceof Long;
                case "number" -> given instanceof Number;
                case "bool" -> given instanceof Boolean;
                case "list" -> given instanceof List;
                case "dict" -> given instanceof Map;
                default -> true;
            };
        }
    }

    public AppDefinition {
        if (tick != null) {
            EffectScript.of(tick);
        }
        if (pool != null) {
            Map<String, AppFunction> all = new LinkedHashMap<>(functions);
            FunctionPoolFile.shipped().functions().forEach(one -> all.put(one.name(), pooled(one, pool)));
            functions = all;
        }
        screens.forEach((name, moves) -> moves.forEach((move, does) -> Rule.require(
                does.to == null || List.of(Move.BACK, Move.FIRST).contains(does.to) || screens.containsKey(does.to),
                "screens." + name + "." + move + ".to",
                does.to,
                "a screen of the app, back, or first")));
        String first = screens.keySet().stream().findFirst().orElse("");
        screens.forEach((name, moves) -> Rule.require(
                name.equals(first) || moves.values().stream().anyMatch(move -> move.to != null),
                "screens." + name,
                moves.keySet(),
                "moves, at least one of them to another screen"));
    }

    /** Returns a function of the pool, which refuses values outside of an enumeration. */
    private static AppFunction pooled(FunctionSpec function, String pool) {
        Map<String, String> args = new LinkedHashMap<>();
        StringBuilder run = new StringBuilder();
        for (ParameterSpec parameter : function.parameters()) {
            args.put(parameter.name(), (parameter.required() ? "" : "optional ") + parameter.type());
            if (parameter.type().equals("string") && parameter.enumeration() != null) {
                String name = parameter.name();
                run.append("refuse(%s != null && !has(%s, %s), '%s must be one of ' + join(%s, ', '));%n"
                        .formatted(name, parameter.enumeration(), name, name, parameter.enumeration()));
            }
        }
        String arguments = args.keySet().stream()
                .map(name -> "'" + name + "': " + name)
                .collect(Collectors.joining(", ", "given({", args.isEmpty() ? ":})" : "})"));
        Effect effect = READS.matcher(function.name()).matches() ? Effect.READ : Effect.WRITE;
        run.append("var called = '%s'; var writes = %s; var arguments = %s;%n%s"
                .formatted(function.name(), effect == Effect.WRITE, arguments, pool));
        return new AppFunction(effect, args, run.toString(), null, null);
    }

    /**
     * Returns why a call of a function, or a move, must be refused in every state.
     *
     * @param move whether the name is that of a move on some screen
     * @param args null to check only the name
     * @return null if a call may succeed
     */
    public @Nullable String misfit(boolean move, String name, @Nullable Map<String, JsonNode> args) {
        List<Map<String, String>> types = move
                ? screens.values().stream()
                        .filter(moves -> moves.containsKey(name))
                        .map(moves -> Objects.requireNonNull(moves.get(name)).args())
                        .toList()
                : Stream.ofNullable(functions.get(name)).map(AppFunction::args).toList();
        String misfit =
                types.isEmpty() ? app + " has no " + (move ? "move " : "function ") + name + near(move, name) : null;
        for (int i = 0; args != null && i < types.size() && (i == 0 || misfit != null); i++) {
            try {
                Parameter.checked(types.get(i), JsonValues.plain(args));
                misfit = null;
            } catch (Refusal refusal) {
                misfit = name + ": " + refusal.getMessage();
            }
        }
        return misfit;
    }

    private String near(boolean move, String name) {
        return Suggestion.hint(
                name,
                move
                        ? screens.values().stream()
                                .flatMap(moves -> moves.keySet().stream())
                                .distinct()
                                .toList()
                        : functions.keySet());
    }

    /**
     * Reads an app from a file.
     *
     * @throws PrpfException 78 with every defect and its line
     */
    public static AppDefinition read(Path file) {
        return StrictYaml.read(file, AppDefinition.class, List.of());
    }

    /** Reads one of {@link #SHIPPED}. */
    public static AppDefinition shipped(String name) {
        return StrictYaml.shipped(name + ".yaml", AppDefinition.class);
    }

    /** Returns the first screen; null for an app without screens. */
    @Nullable
    String firstScreen() {
        return screens.isEmpty() ? null : screens.keySet().iterator().next();
    }
}
