package dev.prpf.eval.calls;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionSpec;
import dev.prpf.eval.calls.CallTask.CallRule;
import dev.prpf.eval.calls.CallTask.CallRule.CallError;
import dev.prpf.eval.suite.BenchmarkFile;
import dev.prpf.eval.suite.DataFolder;
import dev.prpf.eval.suite.Suite;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * HammerBench in Chinese: requests to a phone's assistant. Every call in a conversation is a task with the messages before it (the paper's
 * snapshots). The end of a conversation without a fitting function is a task too. If the task lacks the called function, no call is right.
 */
final class HammerBench {
    static final CallSuite SUITE = new CallSuite(
            "hammerbench",
            "1,500 Chinese conversations with a phone's assistant, each call of which is a task",
            new Suite.DataSource("MadeAgents/HammerBench", "cdbe885b", "Apache-2.0"),
            "function-calling/hammerbench-zh",
            HammerBench::read,
            "Rules: the wanted function with exactly the wanted parameters; values by our own comparison (see"
                    + " docs/SUITES.md).");

    private static final List<String> CATEGORIES = List.of(
            ("ST_Perfect ST_Imperfect ST_External ir_ST_Perfect ir_ST_Imperfect ir_ST_External HammerBench_Based "
                            + "HammerBench_External HammerBench_IS HammerBench_SO_case1 HammerBench_SO_case2 HammerBench_mQmA "
                            + "HammerBench_mQsA HammerBench_mSv HammerBench_sQmA")
                    .split(" "));
    private static final String CALL = "function call";
    private static final String NO_FUNCTION = "Sorry, no tool is suitable";

    private HammerBench() {}

    static List<CallTask> read(DataFolder data) {
        List<CallTask> tasks = new ArrayList<>();
        for (String category : CATEGORIES) {
            BenchmarkFile file = data.file(data.find(category + ".json"));
            JsonNode conversations = file.tree();
            file.require(
                    conversations.isArray() && !conversations.isEmpty(), "/", conversations, "a list of conversations");
            for (int i = 0; i < conversations.size(); i++) {
                tasks.addAll(new Conversation(file, category, i, conversations.get(i)).tasks());
            }
        }
        return tasks;
    }

    private record Conversation(BenchmarkFile file, String category, int number, JsonNode json) {
        String place() {
            return "/" + number;
        }

        List<CallTask> tasks() {
            JsonNode messages = json.path("messages");
            file.require(
                    messages.isArray() && messages.size() > 1, place() + "/messages", messages, "a list of messages");
            List<FunctionSpec> functions =
                    TaskReading.functions(file, place() + "/multiple_tools", json.path("multiple_tools"));
            List<CallTask> tasks = new ArrayList<>();
            List<String> said = new ArrayList<>();
            String group = null;
            for (int m = 0; m < messages.size(); m++) {
                JsonNode message = messages.get(m);
                String role = file.text(message, "role", place() + "/messages/" + m);
                boolean calls = role.equals(CALL);
                if (calls) {
                    requireCall(m, message.path("content"));
                    group = group == null ? message.path("content").path("name").asText() : group;
                }
                if (calls || message.path("content").asText().startsWith(NO_FUNCTION)) {
                    tasks.add(task(m, group, said, functions, calls ? message.path("content") : null));
                }
                said.add(role + ": "
                        + (calls
                                ? message.path("content").toString()
                                : message.path("content").asText()));
            }
            file.require(!tasks.isEmpty(), place() + "/messages", messages, "messages with a function call among them");
            return tasks;
        }

        private void requireCall(int m, JsonNode call) {
            file.require(
                    call.path("name").isTextual() && call.path("arguments").isObject(),
                    place() + "/messages/" + m + "/content",
                    call,
                    "{\"name\", \"arguments\"}");
        }

        private CallTask task(
                int m,
                @Nullable String group,
                List<String> said,
                List<FunctionSpec> functions,
                @Nullable JsonNode call) {
            String conversation = category + ":" + number;
            String id = conversation + ":" + m;
            String name = call == null ? "" : call.path("name").asText();
            boolean served =
                    functions.stream().anyMatch(function -> function.name().equals(name));
            Map<String, JsonNode> values = call == null ? Map.of() : TaskReading.fields(call.path("arguments"));
            List<String> steps = said.size() == 1 ? List.of(said.get(0).replaceFirst("^user: ", "")) : said;
            return new CallTask(
                    id,
                    category,
                    group == null ? conversation : group,
                    json.path("messages").size() > 2 ? conversation : null,
                    CallTask.sample(id, "", steps),
                    functions,
                    served ? List.of(name) : List.of(),
                    served ? new HammerBenchRule(name, values) : CallRule.NO_CALL);
        }
    }

    /**
     * HammerBench's rule (arXiv 2412.16516): one call of the wanted function with exactly the wanted parameters. The script of
     * its repository was not available, so the comparison of values is ours. It compares numbers by value and all else as text
     * without blanks and in lower case.
     */
    record HammerBenchRule(String function, Map<String, JsonNode> values) implements CallRule {
        @Override
        public @Nullable CallError judge(List<FunctionCall> calls) {
            if (calls.size() != 1) {
                return CallError.WRONG_COUNT;
            }
            FunctionCall call = calls.get(0);
            if (!call.name().equals(function)) {
                return CallError.WRONG_FUNCTION;
            }
            if (!values.keySet().containsAll(call.parameters().keySet())) {
                return CallError.UNEXPECTED_PARAMETER;
            }
            if (!call.parameters().keySet().containsAll(values.keySet())) {
                return CallError.MISSING_REQUIRED;
            }
            return call.parameters().entrySet().stream()
                            .allMatch(given -> isRight(given.getValue(), values.get(given.getKey())))
                    ? null
                    : CallError.WRONG_VALUE;
        }

        private static boolean isRight(JsonNode given, @Nullable JsonNode wanted) {
            return wanted != null
                    && (JsonComparison.same(given, wanted, false) || text(given).equals(text(wanted)));
        }

        private static String text(JsonNode value) {
            return JsonRecords.text(value).replaceAll("(?U)\\s", "").toLowerCase(Locale.ROOT);
        }
    }
}
