package dev.prpf.eval.calls;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.calls.CallRecord;
import dev.prpf.data.calls.CallRecord.AcceptedCall;
import dev.prpf.data.calls.CallRecordReader;
import dev.prpf.eval.calls.CallTask.CallRule;
import dev.prpf.eval.calls.JsonComparison.Kind;
import dev.prpf.eval.suite.BenchmarkFile;
import dev.prpf.eval.suite.DataFolder;
import dev.prpf.eval.suite.Suite;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Berkeley Function Calling Leaderboard v4, single turn, Python: simple, multiple (one of several functions), parallel (several
 * calls) and irrelevance (no function fits). Its Java records are excluded, since their answers are Java source, not JSON.
 */
final class Bfcl {
    static final CallSuite SUITE = new CallSuite(
            "bfcl",
            "1,040 requests of BFCL v4: simple, multiple, parallel, irrelevance",
            new Suite.DataSource("ShishirPatil/gorilla", "6ea57973", "Apache-2.0"),
            "function-calling/bfcl",
            Bfcl::read,
            "Rules: bfcl_eval's ast_checker of Python, parallel calls in any order; a malformed response is wrong"
                    + " everywhere, in BFCL one that cannot be read is right where no call is.");

    private static final List<String> SERVED = List.of("simple_python", "multiple", "parallel");
    private static final String IRRELEVANCE = "irrelevance";

    private Bfcl() {}

    static List<CallTask> read(DataFolder data) {
        List<CallTask> tasks = new ArrayList<>();
        for (String category : SERVED) {
            Path questions = data.find(file(category));
            Path answers = data.file(questions.resolveSibling("possible_answer").resolve(file(category)))
                    .path();
            add(tasks, category, data.file(questions), CallRecordReader.read(questions, answers));
        }
        Path questions = data.find(file(IRRELEVANCE));
        add(tasks, IRRELEVANCE, data.file(questions), CallRecordReader.readIrrelevant(questions));
        return tasks;
    }

    private static String file(String category) {
        return "BFCL_v4_" + category + ".json";
    }

    private static void add(List<CallTask> tasks, String category, BenchmarkFile file, List<CallRecord> records) {
        Map<String, JsonNode> schemas = new LinkedHashMap<>();
        file.lines().forEach(line -> schemas.put(line.path("id").asText(), line.path("function")));
        for (CallRecord record : records) {
            JsonNode own = Objects.requireNonNull(schemas.get(record.id()), "the reader read the same lines");
            String place = record.id() + "/function";
            tasks.add(new CallTask(
                    record.id(),
                    category,
                    record.id(),
                    null,
                    CallTask.sample(record.id(), "", record.requests()),
                    TaskReading.functions(file, place, own),
                    record.accepted().stream()
                            .map(call -> call.function().name())
                            .toList(),
                    record.acts() ? rule(file, place, record, own) : CallRule.NO_CALL));
        }
    }

    private static BfclRule rule(BenchmarkFile file, String place, CallRecord record, JsonNode schemas) {
        List<BfclRule.Wanted> wanted = new ArrayList<>();
        for (AcceptedCall call : record.accepted()) {
            String name = call.function().name();
            JsonNode schema = TaskReading.schema(schemas, name);
            for (String parameter : call.values().keySet()) {
                JsonNode type = schema.at("/properties").path(parameter).path("type");
                file.require(
                        Kind.ofSchema(type.asText()) != null,
                        place + "/" + name + "/" + parameter,
                        type,
                        "a BFCL type");
            }
            wanted.add(new BfclRule.Wanted(name, schema, call.values()));
        }
        return new BfclRule(wanted);
    }
}
