package dev.prpf.eval.calls;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Small synthetic records in the formats of the function-calling suites; each suite runs end to end without the real data. */
public final class MadeTasks {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(JsonReadFeature.ALLOW_SINGLE_QUOTES).build();

    private MadeTasks() {}

    /** Parses JSON that may have single quotes. */
    static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(text, e);
        }
    }

    private static String line(String text) {
        return json(text).toString();
    }

    private static Path folder(Path root, String suite) throws IOException {
        Path folder = root.resolve("function-calling").resolve(suite);
        Files.createDirectories(folder.resolve("possible_answer"));
        return folder;
    }

    private static String bfclFunction(String name) {
        return "{'name': '" + name + "', 'description': 'Play a " + name
                + ".', 'parameters': {'type': 'dict', 'properties':"
                + " {'title': {'type': 'string', 'description': 'Its title.'}, 'loud': {'type': 'boolean'}},"
                + " 'required': ['title']}}";
    }

    /** Writes six records: two simple, one multiple, one parallel, two irrelevant. */
    public static void bfcl(Path root) throws IOException {
        Path folder = folder(root, "bfcl");
        write(folder, "BFCL_v4_simple_python.json", bfclQuestion("simple_0", "song"), bfclQuestion("simple_1", "song"));
        write(folder, "BFCL_v4_multiple.json", bfclQuestion("multiple_0", "song", "film"));
        write(folder, "BFCL_v4_parallel.json", bfclQuestion("parallel_0", "song"));
        write(
                folder,
                "BFCL_v4_irrelevance.json",
                bfclQuestion("irrelevance_0", "song"),
                bfclQuestion("irrelevance_1", "film"));
        Path answers = folder.resolve("possible_answer");
        String song = "{'song': {'title': ['Blue Moon', 'Moon'], 'loud': [true, '']}}";
        write(
                answers,
                "BFCL_v4_simple_python.json",
                "{'id': 'simple_0', 'ground_truth': [" + song + "]}",
                "{'id': 'simple_1', 'ground_truth': [" + song + "]}");
        write(
                answers,
                "BFCL_v4_multiple.json",
                "{'id': 'multiple_0', 'ground_truth': [{'film': {'title': ['Heat']}}]}");
        write(
                answers,
                "BFCL_v4_parallel.json",
                "{'id': 'parallel_0', 'ground_truth': [" + song + ", {'song': {'title': ['Help']}}]}");
    }

    private static String bfclQuestion(String id, String... functions) {
        List<String> schemas = new ArrayList<>();
        for (String function : functions) {
            schemas.add(bfclFunction(function));
        }
        return "{'id': '" + id
                + "', 'question': [[{'role': 'user', 'content': 'Play the song Blue Moon.'}]], 'function': ["
                + String.join(", ", schemas) + "]}";
    }

    /** Writes one record for each of the eight categories. The boolean one has two answers, the parallel one two calls of one function. */
    public static void aceBench(Path root) throws IOException {
        Path folder = folder(root, "acebench-zh");
        for (String category : List.of(
                "atom_bool",
                "atom_enum",
                "atom_list",
                "atom_number",
                "atom_object_deep",
                "atom_object_short",
                "single_turn_parallel_function",
                "single_turn_single_function")) {
            String id = "normal_" + category + "_0";
            boolean old = category.equals("atom_number");
            write(
                    folder,
                    "data_normal_" + category + ".json",
                    "{'id': '" + id + "', 'question': 'user: 订一个房间\\nsystem: 住哪里？\\nuser: 巴黎，\\n两个人\\n', 'time':"
                            + " '今天是星期四。', 'function': [{'name': 'book_1', 'description': '订房', '"
                            + (old ? "arguments" : "parameters")
                            + "': {'type': 'object', 'properties': {'city': {'type': 'string', 'description': '城市'}, 'late': {'type':"
                            + " 'bool'}, 'guest': {'type': 'object', 'properties': {'name': {'type': 'string'}}}}, 'required':"
                            + " ['city']}}]}");
            String call = "{'city': '巴黎', 'late': true}";
            String truth =
                    switch (category) {
                        case "atom_bool" -> "[{'book_1': " + call + "}, {'book_1': {'city': '法国'}}]";
                        case "single_turn_parallel_function" ->
                            "{'book_1_1': " + call + ", 'book_1_2': {'city': '罗马'}}";
                        default -> "{'book_1': " + call + "}";
                    };
            write(
                    folder.resolve("possible_answer"),
                    "data_normal_" + category + ".json",
                    "{'id': '" + id + "', 'ground_truth': " + truth + "}");
        }
    }

    /** Writes one conversation in each of the fifteen files: single turns, single turns without the function, and three-turn ones. */
    public static void hammerBench(Path root) throws IOException {
        Path folder = folder(root, "hammerbench-zh");
        String call = "{'role': 'function call', 'content': {'name': 'Car.fines', 'arguments': %s}}";
        String user = "{'role': 'user', 'content': '%s'}";
        for (String category : List.of("ST_Perfect", "ST_Imperfect", "ST_External")) {
            String messages = user.formatted("查违章") + ", " + call.formatted("{'city': '广州'}");
            conversation(folder, category, messages, "Car.fines");
            conversation(folder, "ir_" + category, messages, "Car.sell");
        }
        String turns = String.join(
                ", ",
                user.formatted("查违章"),
                call.formatted("{}"),
                "{'role': 'assistant', 'content': '哪个城市'}",
                user.formatted("广州"));
        for (String category : List.of("Based", "External", "SO_case1", "SO_case2", "mQmA", "mQsA", "mSv", "sQmA")) {
            conversation(
                    folder, "HammerBench_" + category, turns + ", " + call.formatted("{'city': '广州'}"), "Car.fines");
        }
        conversation(
                folder,
                "HammerBench_IS",
                turns + ", {'role': 'assistant', 'content': 'Sorry, no tool is suitable for your request.'}",
                "Car.fines");
    }

    private static void conversation(Path folder, String category, String messages, String function)
            throws IOException {
        String tools =
                "[{'name': '" + function + "', 'description': '查询', 'parameters': {'type': 'object', 'properties':"
                        + " {'city': {'type': 'string', 'description': '城市'}}, 'required': ['city']}}]";
        write(folder, category + ".json", "[{'messages': [" + messages + "], 'multiple_tools': " + tools + "}]");
    }

    private static void write(Path folder, String name, String... lines) throws IOException {
        List<String> written = new ArrayList<>();
        for (String text : lines) {
            written.add(line(text));
        }
        Files.write(folder.resolve(name), written);
    }
}
