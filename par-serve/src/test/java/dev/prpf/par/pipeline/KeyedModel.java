package dev.prpf.par.pipeline;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.io.CallChecker;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.par.openai.ChatModel;
import dev.prpf.par.openai.ChatRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A fake model that knows the hidden key of each seed: its number stands for one task and one call. A share of its answers is wrong, chosen
 * by a hash of model, item and step, so that equal requests get equal answers.
 */
final class KeyedModel implements ChatModel {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final Pattern KEY = Pattern.compile("(?:KEY|task) (\\d+)");
    private static final Pattern NUMBERED = Pattern.compile("(?m)^(\\d+)\\. (?:help with task (\\d+)|-)");
    static final int WRONG_KEYS = 1000;

    private final String name;
    private final double wrong;
    final List<String> asked = new ArrayList<>();

    KeyedModel(String name, double wrong) {
        this.name = name;
        this.wrong = wrong;
    }

    /** Returns the functions whose calls can be filled, in the pool's order. */
    static List<FunctionCall> calls() {
        FunctionPool pool = FunctionPoolFile.shippedEnglish();
        return pool.functions().stream()
                .map(KeyedModel::call)
                .filter(call -> CallChecker.fatal(pool, call).isEmpty())
                .toList();
    }

    /** Returns the call that a key stands for; a wrong key stands for another function. */
    static FunctionCall callOf(int key) {
        List<FunctionCall> calls = calls();
        return calls.get((key % WRONG_KEYS + key / WRONG_KEYS) % calls.size());
    }

    private static FunctionCall call(FunctionSpec function) {
        Map<String, JsonNode> parameters = new LinkedHashMap<>();
        function.parameters().stream()
                .filter(ParameterSpec::required)
                .forEach(parameter -> parameters.put(parameter.name(), value(parameter)));
        return new FunctionCall(function.name(), parameters);
    }

    private static JsonNode value(ParameterSpec parameter) {
        List<JsonNode> allowed = parameter.enumeration();
        JsonNode one = allowed == null ? JSON.textNode("value") : allowed.get(0);
        return switch (parameter.type()) {
            case "int" -> allowed == null ? JSON.numberNode(2) : one;
            case "bool" -> JSON.booleanNode(true);
            case "list" -> JSON.arrayNode().add(one);
            default -> one;
        };
    }

    boolean isWrong(String item, String what) {
        return draw(item + "|" + what) < wrong;
    }

    private double draw(String text) {
        int hash = (name + "|" + text).hashCode() * 0x9E3779B9;
        return (hash >>> 8) / (double) (1 << 24);
    }

    @Override
    public String model() {
        return name;
    }

    @Override
    public void ask(List<ChatRequest> requests, Listener listener) {
        for (int i = 0; i < requests.size(); i++) {
            ChatRequest request = requests.get(i);
            asked.add(request.body(name).toString());
            String text = answer(request);
            listener.came(i, new ChatOutcome.Answer(text, "stop", 100, 10));
        }
    }

    /** Answers a prompt as a server does, with the item and the step read from the schema at its end. */
    String answerTo(String prompt) {
        Matcher item = Pattern.compile("\"item\":\\{\"enum\":\\[\"([^\"]+)\"]},\"(\\w+)\"")
                .matcher(prompt);
        if (!item.find()) {
            throw new IllegalArgumentException(prompt);
        }
        String step =
                switch (item.group(2)) {
                    case "data" -> "needs";
                    case "groups" -> "group";
                    case "reasoning" -> "reason";
                    case "calls" -> "map";
                    case "accept" -> "review";
                    case "profile" -> prompt.contains(" characters in all") ? "noise" : "context";
                    default -> item.group(2);
                };
        return answer(step, item.group(1), prompt).put("item", item.group(1)).toString();
    }

    private String answer(ChatRequest request) {
        String[] id = request.id().split("#", -1);
        ObjectNode answer = answer(id[1], id[0], request.turns().get(0).text());
        return answer.put("item", id[0]).toString();
    }

    private ObjectNode answer(String step, String item, String prompt) {
        int key = key(prompt);
        return switch (step) {
            case "situation" -> JSON.objectNode().put("situation", "On the phone there is KEY " + key);
            case "needs" -> texts("data", "messages about KEY " + key);
            case "trigger" ->
                JSON.objectNode()
                        .put("trigger", "a message with KEY " + key + " arrives")
                        .put("condition", "the person is free")
                        .put("person", "a clerk");
            case "context" -> context(key, item, prompt);
            case "plausible" ->
                JSON.objectNode()
                        .put("plausible", prompt.contains("IMPOSSIBLE") == isWrong(item, prompt))
                        .put("reason", "days and places");
            case "intents" -> intents(key, item);
            case "group" -> groups(item, prompt);
            case "reason" ->
                JSON.objectNode()
                        .put("reasoning", "the message asks for it")
                        .put("instruction", "Shall I do number " + intentKey(prompt) + "?");
            case "map" -> calls(intentKey(prompt));
            case "review" ->
                JSON.objectNode()
                        .put("accept", prompt.contains("\"" + callOf(key).name() + "\"") != isWrong(item, prompt))
                        .put("reason", "the call");
            case "noise" -> noise(item, prompt);
            default -> throw new IllegalArgumentException(step);
        };
    }

    private static int key(String text) {
        Matcher key = KEY.matcher(text);
        return key.find() ? Integer.parseInt(key.group(1)) : -1;
    }

    private static int intentKey(String prompt) {
        Matcher key = Pattern.compile("(?:is|Task): help with task (\\d+)").matcher(prompt);
        return key.find() ? Integer.parseInt(key.group(1)) : -1;
    }

    private static ObjectNode texts(String field, String... texts) {
        ObjectNode object = JSON.objectNode();
        for (String text : texts) {
            object.withArray(field).add(text);
        }
        return object;
    }

    /** Contexts are implausible in the share of wrong answers. */
    private ObjectNode context(int key, String item, String prompt) {
        boolean impossible = isWrong(item, prompt);
        ObjectNode context = texts(
                "trace",
                "09:40:01 Open " + words(item),
                "09:41:07 Tap the message with KEY " + key + " of " + words(item + "t"));
        return context.put("profile", "A clerk of " + words(item + "p"))
                .put(
                        "phone",
                        "Message of " + words(item + "d") + " with KEY " + key + (impossible ? " IMPOSSIBLE" : ""))
                .put("world", "Monday in " + words(item + "w"));
    }

    private static String words(String item) {
        Random random = new Random(item.hashCode());
        return IntStream.range(0, 4)
                .mapToObj(i -> Long.toString(random.nextLong(), 36).replaceAll("[-\\d]", ""))
                .collect(Collectors.joining(" "));
    }

    private ObjectNode intents(int key, String item) {
        return texts(
                "intents",
                IntStream.range(0, 5)
                        .mapToObj(i -> isWrong(item, "intent" + i)
                                ? key + WRONG_KEYS * (1 + (int) (draw(item + i) * 20))
                                : key)
                        .map(chosen -> "help with task " + chosen)
                        .toArray(String[]::new));
    }

    /** Groups by key; in the share of wrong answers the first number goes to the last group. */
    private ObjectNode groups(String item, String prompt) {
        Map<String, List<Integer>> groups = new LinkedHashMap<>();
        Matcher line = NUMBERED.matcher(prompt);
        while (line.find()) {
            groups.computeIfAbsent(String.valueOf(line.group(2)), first -> new ArrayList<>())
                    .add(Integer.parseInt(line.group(1)));
        }
        List<List<Integer>> all = new ArrayList<>(groups.values());
        if (all.size() > 1 && isWrong(item, "group")) {
            all.get(all.size() - 1).add(all.get(0).remove(0));
        }
        ObjectNode answer = JSON.objectNode();
        all.stream().filter(group -> !group.isEmpty()).forEach(group -> {
            var numbers = answer.withArray("groups").addArray();
            group.forEach(numbers::add);
        });
        return answer;
    }

    private static ObjectNode calls(int key) {
        FunctionCall call = callOf(key);
        ObjectNode answer = JSON.objectNode();
        ObjectNode written = answer.withArray("calls").addObject().put("name", call.name());
        ObjectNode parameters = written.putObject("parameters");
        call.parameters().forEach(parameters::set);
        return answer;
    }

    private static ObjectNode noise(String item, String prompt) {
        Matcher length = Pattern.compile("about (\\d+) characters").matcher(prompt);
        int wanted = length.find() ? Integer.parseInt(length.group(1)) : 0;
        ObjectNode noise = texts("trace", "09:39:30 Swipe up on the home screen");
        noise.putArray("phone");
        noise.putArray("world").add("It is dry in the town of " + item);
        for (int i = 0; i * 40 < wanted + 40; i++) {
            noise.withArray("profile")
                    .add("Fact " + (i * 7919 + item.hashCode()) % 100_003 + " of the person " + i + " is known.");
        }
        return noise;
    }

    @Override
    public void close() {}
}
