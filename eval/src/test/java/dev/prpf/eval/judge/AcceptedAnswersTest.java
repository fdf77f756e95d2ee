package dev.prpf.eval.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.calls.CallRecord;
import dev.prpf.data.calls.CallRecordReader;
import dev.prpf.eval.judge.Judge.ExactJudge;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks the exact judge with answers that people accept. The judge accepts each, also in another style (order of parameters, capitals, full
 * width, 3.0 for 3), and rejects each with one change.
 */
class AcceptedAnswersTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MOST = 64;
    private static final int FULL_WIDTH = 0xFEE0;

    /** Codes, paths, addresses, and numbers with a unit. */
    private static final Pattern CASED = Pattern.compile("\\S*[\\d/@]\\S*|\\d[\\d.,]* \\p{L}{1,4}");

    @TempDir
    private Path directory;

    /** How many sequences were accepted, how many changed ones refused, how many accepted ones equal the record's first. */
    private record Counts(int records, int accepted, int asFirst, int refused) {
        Counts plus(Counts other) {
            return new Counts(
                    records + other.records,
                    accepted + other.accepted,
                    asFirst + other.asFirst,
                    refused + other.refused);
        }
    }

    private static boolean equivalent(FunctionPool pool, List<FunctionCall> predicted, List<FunctionCall> answer) {
        return Boolean.TRUE.equals(ExactJudge.judge(new Judge.Case(Pairs.sample("s"), pool, predicted, answer))
                .equivalent());
    }

    private static Counts check(String id, FunctionPool pool, List<List<FunctionCall>> accepted) {
        int asFirst = 0;
        int refused = 0;
        for (List<FunctionCall> answer : accepted) {
            assertThat(equivalent(pool, answer, answer)).as(id).isTrue();
            assertThat(equivalent(pool, restyled(answer), answer))
                    .as("%s: %s", id, restyled(answer))
                    .isTrue();
            asFirst += equivalent(pool, answer, accepted.get(0)) ? 1 : 0;
        }
        for (List<FunctionCall> changed : changed(accepted.get(0))) {
            if (!accepted.contains(changed)) {
                assertThat(accepted).as("%s: %s", id, changed).noneMatch(answer -> equivalent(pool, changed, answer));
                refused++;
            }
        }
        return new Counts(1, accepted.size(), asFirst, refused);
    }

    private static List<FunctionCall> restyled(List<FunctionCall> calls) {
        return calls.stream()
                .map(call -> {
                    List<String> names = new ArrayList<>(call.parameters().keySet());
                    Collections.reverse(names);
                    Map<String, JsonNode> parameters = new LinkedHashMap<>();
                    parameters.put("a parameter that is left empty", TextNode.valueOf(""));
                    names.forEach(name ->
                            parameters.put(name, restyled(call.parameters().getOrDefault(name, TextNode.valueOf("")))));
                    return new FunctionCall(call.name(), parameters);
                })
                .toList();
    }

    private static JsonNode restyled(JsonNode value) {
        if (value.isTextual()) {
            String text = value.textValue();
            return TextNode.valueOf(" "
                    + (CASED.matcher(text).matches() ? text : text.toUpperCase(Locale.ROOT))
                            .chars()
                            .map(c -> c > ' ' && c < 0x7f ? c + FULL_WIDTH : c)
                            .mapToObj(Character::toString)
                            .collect(Collectors.joining()));
        }
        if (value.isNumber()) {
            return DecimalNode.valueOf(new BigDecimal(value.asText()).setScale(20));
        }
        if (value.isArray()) {
            ArrayNode elements = JSON.createArrayNode();
            value.forEach(element -> elements.add(restyled(element)));
            return elements;
        }
        if (value.isObject()) {
            ObjectNode fields = JSON.createObjectNode();
            List<String> names = new ArrayList<>();
            value.fieldNames().forEachRemaining(names::add);
            Collections.reverse(names);
            names.forEach(name -> fields.set(name, restyled(value.get(name))));
            return fields;
        }
        return value;
    }

    /** The sequence with one thing changed: a call more, less or renamed, a parameter left out, a value or its type. */
    private static List<List<FunctionCall>> changed(List<FunctionCall> calls) {
        List<List<FunctionCall>> all = new ArrayList<>();
        for (int i = 0; i < calls.size(); i++) {
            FunctionCall call = calls.get(i);
            all.add(with(calls, i, Stream.of(call, call)));
            all.add(with(calls, i, Stream.of(new FunctionCall(call.name() + "_x", call.parameters()))));
            if (calls.size() > 1) {
                all.add(with(calls, i, Stream.of()));
            }
            for (Map.Entry<String, JsonNode> parameter : call.parameters().entrySet()) {
                if (!parameter.getValue().asText("x").isBlank()) {
                    Map<String, JsonNode> without = new LinkedHashMap<>(call.parameters());
                    without.remove(parameter.getKey());
                    all.add(with(calls, i, Stream.of(new FunctionCall(call.name(), without))));
                }
                for (JsonNode value : changed(parameter.getValue())) {
                    Map<String, JsonNode> changed = new LinkedHashMap<>(call.parameters());
                    changed.put(parameter.getKey(), value);
                    all.add(with(calls, i, Stream.of(new FunctionCall(call.name(), changed))));
                }
            }
        }
        return all;
    }

    private static List<FunctionCall> with(List<FunctionCall> calls, int at, Stream<FunctionCall> instead) {
        return Stream.of(calls.subList(0, at).stream(), instead, calls.subList(at + 1, calls.size()).stream())
                .flatMap(part -> part)
                .toList();
    }

    private static List<JsonNode> changed(JsonNode value) {
        List<JsonNode> all = new ArrayList<>();
        if (value.isTextual()) {
            all.add(TextNode.valueOf(value.textValue() + "x"));
        } else if (value.isNumber()) {
            all.add(
                    value.isInt()
                            ? IntNode.valueOf(value.intValue() + 1)
                            : DoubleNode.valueOf(value.doubleValue() + 1));
            all.add(TextNode.valueOf(value.asText()));
        } else if (value.isBoolean()) {
            all.add(BooleanNode.valueOf(!value.booleanValue()));
            all.add(TextNode.valueOf(value.asText()));
        } else if (value.isArray()) {
            ArrayNode longer = ((ArrayNode) value).deepCopy().add("one more");
            all.add(longer);
            for (int i = 0; i < value.size(); i++) {
                for (JsonNode element : changed(value.get(i))) {
                    all.add(((ArrayNode) value.deepCopy()).set(i, element));
                }
            }
        } else if (value.isObject()) {
            value.properties().forEach(field -> changed(field.getValue())
                    .forEach(other -> all.add(((ObjectNode) value.deepCopy()).set(field.getKey(), other))));
        }
        return all;
    }

    private static Counts check(List<CallRecord> records) {
        return records.stream()
                .map(record -> {
                    List<List<FunctionCall>> accepted = record.answers(MOST);
                    return check(record.id(), new FunctionPool(record.functions()), accepted);
                })
                .reduce(new Counts(0, 0, 0, 0), Counts::plus);
    }

    @Test
    void madeRecords() throws IOException {
        Path questions = Files.writeString(
                directory.resolve("questions.json"),
                "{\"id\":\"r1\",\"question\":[[{\"role\":\"user\",\"content\":\"Wake me\"}]],\"function\":[{\"name\":\"alarm\","
                        + "\"parameters\":{\"type\":\"dict\",\"properties\":{\"at\":{\"type\":\"string\"},\"days\":{\"type\":"
                        + "\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"mon\",\"tue\"]}},\"loud\":{\"type\":\"boolean\"},"
                        + "\"volume\":{\"type\":\"float\"},\"more\":{\"type\":\"dict\"}},\"required\":[\"at\"]}}]}\n");
        Path answers = Files.writeString(
                directory.resolve("answers.json"),
                "{\"id\":\"r1\",\"ground_truth\":[{\"alarm\":{\"at\":[\"7:30\",\"07:30\"],\"days\":[[\"mon\",\"tue\"]],\"loud\":"
                        + "[true,\"\"],\"volume\":[0.5],\"more\":[{\"label\":[\"Gym\"]}]}},{\"alarm\":{\"at\":[\"8 am\"]}}]}\n");
        assertThat(check(CallRecordReader.read(questions, answers)))
                .as("of 4 sequences those with loud = true equal the first: 7:30 is 07:30")
                .isEqualTo(new Counts(1, 4, 2, 19));
    }

    @Test
    void theBerkeleyLeaderboardsAnswers() {
        Path data = folder(
                "function-calling/bfcl",
                """
                git clone https://github.com/ShishirPatil/gorilla.git && git -C gorilla checkout 6ea57973
                mkdir -p $PRPF_TESTDATA/function-calling
                cp -r $(dirname $(find gorilla -name BFCL_v4_irrelevance.json)) $PRPF_TESTDATA/function-calling/bfcl""");
        Counts counts = Stream.of("simple_python", "multiple", "parallel")
                .map(name -> "BFCL_v4_" + name + ".json")
                .map(file -> check(CallRecordReader.read(
                        data.resolve(file), data.resolve("possible_answer").resolve(file))))
                .reduce(new Counts(0, 0, 0, 0), Counts::plus);
        assertThat(counts).isEqualTo(new Counts(800, 4471, 987, 10723));
    }

    @Test
    void acebenchsAnswers() throws IOException {
        Path data = folder(
                "function-calling/acebench-zh",
                """
                git clone https://github.com/ACEBench/ACEBench.git && git -C ACEBench checkout e6db74b7
                mkdir -p $PRPF_TESTDATA/function-calling
                cp -r ACEBench/data_all/data_zh $PRPF_TESTDATA/function-calling/acebench-zh""");
        Counts counts = new Counts(0, 0, 0, 0);
        try (Stream<Path> files = Files.list(data.resolve("possible_answer"))) {
            for (Path file : files.sorted().toList()) {
                for (String line : Files.readAllLines(file)) {
                    JsonNode record = JSON.readTree(line);
                    counts = counts.plus(check(record.path("id").asText(), Pairs.NO_POOL, accepted(record)));
                }
            }
        }
        assertThat(counts).isEqualTo(new Counts(500, 502, 500, 7356));
    }

    /** Calls by their function's name; several of them, in a list, are alternatives. */
    private static List<List<FunctionCall>> accepted(JsonNode record) {
        JsonNode truth = record.path("ground_truth");
        Stream<JsonNode> alternatives = truth.isArray() ? truth.valueStream() : Stream.of(truth);
        return alternatives
                .map(calls -> calls.properties().stream()
                        .map(call -> {
                            Map<String, JsonNode> parameters = new LinkedHashMap<>();
                            call.getValue().properties().forEach(p -> parameters.put(p.getKey(), p.getValue()));
                            return new FunctionCall(call.getKey(), parameters);
                        })
                        .toList())
                .toList();
    }

    /** Records that other people published; where they are missing the test is skipped, with the commands that get them. */
    private static Path folder(String name, String fetch) {
        String root = System.getProperty("prpf.testdata", System.getenv().getOrDefault("PRPF_TESTDATA", ""));
        Path folder = Path.of(root, name);
        assumeTrue(
                !root.isEmpty() && Files.isDirectory(folder),
                () -> "skipped: no " + name
                        + " in the folder that PRPF_TESTDATA (or -Dprpf.testdata) names. To fetch the" + " records:\n"
                        + fetch);
        return folder;
    }
}
