package dev.prpf.eval.calls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionSpec;
import dev.prpf.eval.calls.CallTask.CallRule;
import dev.prpf.eval.calls.CallTask.CallRule.CallError;
import dev.prpf.eval.suite.BenchmarkFile;
import dev.prpf.eval.suite.DataFolder;
import dev.prpf.eval.suite.Suite;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** ACEBench in Chinese, category "normal": arguments of atomic types, and single or parallel calls. */
final class AceBench {
    static final CallSuite SUITE = new CallSuite(
            "acebench",
            "500 Chinese requests of ACEBench: typed, enumerated, listed and nested arguments, parallel calls",
            new Suite.DataSource("ACEBench/ACEBench", "e6db74b7", "MIT"),
            "function-calling/acebench-zh",
            AceBench::read,
            "Rules: ACEBench's checker of normal calls as evalscope ports it, texts by containment; numbers and booleans"
                    + " must be equal, which that one does not ask for.");

    private static final List<String> CATEGORIES =
            List.of(("normal_atom_bool normal_atom_enum normal_atom_list normal_atom_number normal_atom_object_deep "
                            + "normal_atom_object_short normal_single_turn_parallel_function normal_single_turn_single_function")
                    .split(" "));
    private static final Pattern TURN = Pattern.compile("(?m)^(?=(?:user|system): )");
    private static final Pattern REPEATED = Pattern.compile("(.+?)_\\d+");

    private AceBench() {}

    static List<CallTask> read(DataFolder data) {
        List<CallTask> tasks = new ArrayList<>();
        for (String category : CATEGORIES) {
            String name = "data_" + category + ".json";
            Path questions = data.find(name);
            BenchmarkFile answers =
                    data.file(questions.resolveSibling("possible_answer").resolve(name));
            Map<String, JsonNode> truths = new LinkedHashMap<>();
            answers.lines().forEach(line -> truths.put(line.path("id").asText(), line.path("ground_truth")));
            BenchmarkFile file = data.file(questions);
            List<JsonNode> lines = file.lines();
            for (int i = 0; i < lines.size(); i++) {
                tasks.add(task(file, "line " + (i + 1), category, lines.get(i), truths));
            }
        }
        return tasks;
    }

    private static CallTask task(
            BenchmarkFile file, String place, String category, JsonNode line, Map<String, JsonNode> truths) {
        String id = file.words(line, "id", place, "which record it is");
        JsonNode truth = truths.get(id);
        if (truth == null) {
            throw file.bad(
                    place + "/id", "is " + id + ", which has no line in the file of the same name in possible_answer/");
        }
        JsonNode schemas = line.path("function").deepCopy();
        schemas.forEach(AceBench::toSchema);
        List<FunctionSpec> functions = TaskReading.functions(file, place + "/function", schemas);
        List<List<AceBenchRule.Wanted>> answers = Stream.of(truth)
                .flatMap(one -> one.isArray() ? one.valueStream() : Stream.of(one))
                .map(answer -> answer(file, place, answer, schemas))
                .toList();
        file.require(!answers.isEmpty(), place + "/ground_truth", truth, "an answer, or a list of some");
        String question = file.words(line, "question", place, "what is asked");
        return new CallTask(
                id,
                category,
                id,
                null,
                CallTask.sample(id, line.path("time").asText(), turns(question)),
                functions,
                answers.get(0).stream().map(AceBenchRule.Wanted::function).toList(),
                new AceBenchRule(answers));
    }

    /** Returns one step per turn; a single request without the speaker's name. */
    private static List<String> turns(String question) {
        List<String> turns = TURN.splitAsStream(question)
                .map(String::strip)
                .filter(turn -> !turn.isEmpty())
                .toList();
        return turns.size() == 1 ? List.of(turns.get(0).replaceFirst("^user: ", "")) : turns;
    }

    /** Normalises a function's schema: the files have three keys for parameters and two names for boolean. */
    private static void toSchema(JsonNode function) {
        TaskReading.rename((ObjectNode) function, List.of("arguments", "_arguments"), "parameters");
        function.at("/parameters/properties").forEach(property -> {
            if (property.path("type").asText().equals("bool")) {
                ((ObjectNode) property).put("type", "boolean");
            }
        });
    }

    /** Returns an answer's calls; repeated calls of a function have numbered names. */
    private static List<AceBenchRule.Wanted> answer(
            BenchmarkFile file, String place, JsonNode answer, JsonNode schemas) {
        List<AceBenchRule.Wanted> calls = new ArrayList<>();
        for (Map.Entry<String, JsonNode> call : TaskReading.fields(answer).entrySet()) {
            String name = call.getKey();
            Matcher repeated = REPEATED.matcher(name);
            if (TaskReading.schema(schemas, name).isMissingNode() && repeated.matches()) {
                name = repeated.group(1);
            }
            JsonNode schema = TaskReading.schema(schemas, name);
            file.require(
                    !schema.isMissingNode(), place + "/ground_truth", call.getValue(), "a call of its own functions");
            calls.add(new AceBenchRule.Wanted(name, schema, TaskReading.fields(call.getValue())));
        }
        return calls;
    }

    /**
     * ACEBench's check of normal calls, as ported by evalscope 1.14.1 (evalscope/benchmarks/acebench/checker.py). Each function must
     * be called as often as in the answer, in any order. Required parameters must be given, other parameters of the answer may be
     * omitted, and further ones are wrong. A string must contain the answer's in standard form, a list must be equal, a dict must
     * have the same fields with matching texts. Unlike the source, numbers and booleans must be equal: there they are compared as
     * text inside dicts and not at all outside.
     *
     * @param alternatives the right answers, each a list of calls
     */
    record AceBenchRule(List<List<Wanted>> alternatives) implements CallRule {
        /**
         * A call of an answer.
         *
         * @param schema the function's {@code parameters}
         */
        record Wanted(String function, JsonNode schema, Map<String, JsonNode> values) {}

        @Override
        public @Nullable CallError judge(List<FunctionCall> calls) {
            CallError first = null;
            for (List<Wanted> answer : alternatives) {
                CallError error = judge(answer, calls);
                if (error == null) {
                    return null;
                }
                first = first == null ? error : first;
            }
            return first;
        }

        private static @Nullable CallError judge(List<Wanted> answer, List<FunctionCall> calls) {
            if (calls.size() != answer.size()) {
                return CallError.WRONG_COUNT;
            }
            if (!counts(answer.stream().map(Wanted::function).toList())
                    .equals(counts(calls.stream().map(FunctionCall::name).toList()))) {
                return CallError.WRONG_FUNCTION;
            }
            for (Wanted wanted : answer) {
                CallError error = CallError.NO_MATCH;
                for (FunctionCall call : calls) {
                    if (error != null && call.name().equals(wanted.function())) {
                        error = judge(wanted, call.parameters());
                    }
                }
                if (error != null) {
                    return answer.size() > 1 ? CallError.NO_MATCH : error;
                }
            }
            return null;
        }

        private static Map<String, Integer> counts(List<String> names) {
            Map<String, Integer> counts = new HashMap<>();
            names.forEach(name -> counts.merge(name, 1, Integer::sum));
            return counts;
        }

        private static @Nullable CallError judge(Wanted wanted, Map<String, JsonNode> given) {
            boolean nothingGiven =
                    given.isEmpty() && !wanted.schema().path("properties").isEmpty();
            if (nothingGiven || !given.keySet().containsAll(JsonComparison.required(wanted.schema()))) {
                return CallError.MISSING_REQUIRED;
            }
            for (Map.Entry<String, JsonNode> parameter : given.entrySet()) {
                JsonNode right = wanted.values().get(parameter.getKey());
                if (right == null) {
                    return CallError.UNEXPECTED_PARAMETER;
                }
                JsonNode value = read(parameter.getValue(), right);
                if (right.getNodeType() != value.getNodeType()) {
                    return CallError.WRONG_TYPE;
                }
                if (!isRight(value, right)) {
                    return CallError.WRONG_VALUE;
                }
            }
            return null;
        }

        /** Reads the strings true and false as booleans where the answer has a boolean. */
        private static JsonNode read(JsonNode value, JsonNode right) {
            boolean word = value.asText().equals("true") || value.asText().equals("false");
            return right.isBoolean() && word
                    ? BooleanNode.valueOf(value.asText().equals("true"))
                    : value;
        }

        private static boolean isRight(JsonNode value, JsonNode right) {
            return switch (right.getNodeType()) {
                case STRING ->
                    JsonComparison.standard(value.textValue()).contains(JsonComparison.standard(right.textValue()));
                case OBJECT -> dict(value, right);
                case ARRAY -> list(value, right);
                default -> JsonComparison.same(value, right, false);
            };
        }

        /** Checks a list like list_checker, or list_dict_checker for a list of dicts. */
        private static boolean list(JsonNode value, JsonNode right) {
            if (!right.path(0).isObject()) {
                return JsonComparison.sameLists(value, right);
            }
            return value.size() == right.size()
                    && IntStream.range(0, right.size()).allMatch(i -> dict(value.get(i), right.get(i)));
        }

        /** Checks a dict like dict_checker: the same fields, and each value's text contains the answer's. */
        private static boolean dict(JsonNode value, JsonNode right) {
            return value.isObject()
                    && value.size() == right.size()
                    && value.propertyStream().allMatch(field -> field(field.getValue(), right.path(field.getKey())));
        }

        /** Returns whether a field is right; a field that the answer lacks is wrong. */
        private static boolean field(JsonNode value, JsonNode right) {
            if (right.isNumber() || right.isBoolean()) {
                return JsonComparison.same(read(value, right), right, false);
            }
            if (right.isObject()) {
                return dict(value, right);
            }
            return !right.isMissingNode() && text(value).contains(text(right));
        }

        private static String text(JsonNode value) {
            return value.isTextual() ? JsonComparison.standard(value.textValue()) : value.toString();
        }
    }
}
