package dev.prpf.eval.calls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.FunctionSpec;
import dev.prpf.eval.suite.BenchmarkFile;
import dev.prpf.eval.suite.DataFolder;
import dev.prpf.eval.suite.Suite;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

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
}
