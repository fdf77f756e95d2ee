package dev.prpf.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.par.chat.ChatTemplates.ChatMl;
import dev.prpf.par.command.CallsCommand;
import dev.prpf.par.prompt.PromptRenderer.PromptTags;
import dev.prpf.par.response.ResponseGrammar;
import dev.prpf.par.tokenizer.BpeTraining;
import dev.prpf.par.tokenizer.BpeTraining.BpeVocabulary;
import dev.prpf.par.tokenizer.BpeTraining.BpeVocabulary.ControlToken;
import dev.prpf.par.tokenizer.TokenizerFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Encoders;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CallsJobTest extends JobTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String CONFIG = Path.of(System.getProperty("prpf.root", ".."))
            .resolve("configs/data-calls.yaml")
            .toString();

    @TempDir
    private static Path model;

    private final List<String> questions = new ArrayList<>();
    private final List<String> answers = new ArrayList<>();
    private final List<String> irrelevant = new ArrayList<>();

    @BeforeAll
    static void makeTokenizer() {
        List<ControlToken> control = new ArrayList<>();
        Stream.of(ChatMl.START, ChatMl.END, "<pad>").forEach(text -> control.add(new ControlToken(text, true)));
        Stream.concat(PromptTags.all().stream(), ResponseGrammar.tags().stream())
                .forEach(text -> control.add(new ControlToken(text, false)));
        BpeVocabulary vocabulary = new BpeTraining(new BpeTraining.Settings(300, 2, 6), List.of(), control).train();
        TokenizerFiles.write(model, vocabulary, ChatMl.TEMPLATE, ChatMl.END, "<pad>", 512);
    }

    /** A question about functions; {@code functions} alternates names and descriptions. */
    private static String question(String id, String request, String... functions) {
        List<String> schemas = new ArrayList<>();
        for (int i = 0; i < functions.length; i += 2) {
            schemas.add(
                    ("{\"name\":\"%s\",\"description\":\"%s\",\"parameters\":{\"type\":\"dict\",\"properties\":{\"x\":{\"type\":"
                                    + "\"integer\"}},\"required\":[\"x\"]}}")
                            .formatted(functions[i], functions[i + 1]));
        }
        return "{\"id\":\"%s\",\"question\":[[{\"role\":\"user\",\"content\":\"%s\"}]],\"function\":%s}"
                .formatted(id, request, schemas);
    }

    private static String answer(String id, String function, String values) {
        return "{\"id\":\"%s\",\"ground_truth\":[{\"%s\":{\"x\":%s}}]}".formatted(id, function, values);
    }

    /** Makes records that share functions or requests, contradict earlier ones, or are unusable. */
    @BeforeEach
    void makeRecords() throws IOException {
        for (int i = 0; i < 40; i++) {
            String function = "f" + i / 2;
            questions.add(question("q" + i, i % 8 == 7 ? "Do it" : "Do " + i, function, "Thing", "g" + i, "Beside"));
            answers.add(answer("q" + i, function, "[" + i + ",7]"));
        }
        questions.set(5, question("q5", "Do 5", "f2", "Thing", "h", "One way")); // the first h
        questions.set(
                9, question("q9", "Do 9", "f4", "Thing", "h", "Another way", "k", "One way")); // so this k is not taken
        questions.set(13, question("q13", "Do 13", "f6", "Thing", "k", "Another way"));
        questions.set(21, question("q21", "word ".repeat(400), "f10", "Thing", "m", "One way"));
        questions.set(23, question("q23", "Do 23", "f11", "Thing", "m", "Another way"));
        answers.set(30, answer("q30", "f15", List.of(range(100)).toString()));
        answers.add(answers.remove(0)); // in another order
        for (int i = 0; i < 20; i++) {
            irrelevant.add(question("i" + i, "Do nothing " + i, "f" + 5 * i, i == 3 ? "Contrary" : "Thing"));
        }
    }

    private static Integer[] range(int end) {
        return Stream.iterate(0, i -> i + 1).limit(end).toArray(Integer[]::new);
    }

    private void writeAll() throws IOException {
        writeLines("questions", questions);
        writeLines("answers", answers);
        writeLines("irrelevant", irrelevant);
    }

    private String[] arguments(String suffix, String out, String... more) {
        List<String> all = new ArrayList<>(List.of(
                "--config", CONFIG, "--reasoner", model.toString(), "--set", "set.max-length=1500", "--out", at(out)));
        all.addAll(List.of("--questions", at("questions" + suffix), "--answers", at("answers" + suffix)));
        all.addAll(List.of("--irrelevant", at("irrelevant" + suffix), "--json"));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    private String onSpark(int status, String out, String... more) {
        return job(
                status,
                Stream.concat(Stream.of("calls"), Stream.of(arguments("", out, more)))
                        .toArray(String[]::new));
    }

    private static ObjectNode counts(String printed) throws IOException {
        return ((ObjectNode) JSON.readTree(printed)).without(List.of("out"));
    }

    /** Returns the elements of a JSON Lines file. */
    private List<String> gold(String file) throws IOException {
        return Files.readAllLines(directory.resolve(file)).stream()
                .filter(line -> line.startsWith("{"))
                .map(line -> line.replaceAll(",$", ""))
                .toList();
    }

    private void assertSameSets(String spark, String local) throws IOException {
        for (String side : List.of("train", "test")) {
            assertThat(parts(spark + "/" + side + "/sft"))
                    .isEqualTo(Files.readAllLines(directory.resolve(local + "/" + side + "/sft.jsonl")))
                    .isNotEmpty();
            assertThat(parts(spark + "/" + side + "/gold")).isEqualTo(gold(local + "/" + side + "/gold.json"));
        }
        assertThat(directory.resolve(spark + "/function_pool.json"))
                .hasSameBinaryContentAs(directory.resolve(local + "/function_pool.json"));
    }

    @Test
    void setsEqualThoseOfOneMachine() throws IOException {
        writeAll();
        for (String seed : List.of("1", "2", "3")) {
            String set = "set.seed=" + seed;
            String expected = local(new CallsCommand(), 0, arguments(".jsonl", "local" + seed, "--set", set));
            String found = onSpark(0, "calls" + seed, "--set", set, "--partitions", seed);
            assertThat(counts(found)).isEqualTo(counts(expected));
            assertSameSets("calls" + seed, "local" + seed);
        }
        JsonNode counts = counts(onSpark(0, "dry", "--dry-run"));
        assertThat(counts.get("records").intValue()).isEqualTo(60);
        assertThat(counts.get("over_long").intValue()).isEqualTo(1);
        assertThat(counts.get("many_answers").intValue()).isEqualTo(1);
        assertThat(counts.get("conflicting").intValue())
                .as("q9 and i3: the first k and the first m are of records that were left out themselves")
                .isEqualTo(2);
        assertThat(directory.resolve("dry")).doesNotExist();
    }

    @Test
    void severalInputsAreNumberedInOrder() throws IOException {
        writeAll();
        writeLines("more", List.of(question("m0", "More", "f3", "Other"), question("m1", "Much more", "n", "New")));
        writeLines("more-answers", List.of(answer("m1", "n", "[1]"), answer("m0", "f3", "[1]")));
        String[] ofOne = {"--questions", at("more.jsonl"), "--answers", at("more-answers.jsonl")};
        String expected = local(new CallsCommand(), 0, arguments(".jsonl", "local", ofOne));
        String found = onSpark(0, "calls", "--questions", at("more"), "--answers", at("more-answers"));
        assertThat(counts(found)).isEqualTo(counts(expected));
        assertSameSets("calls", "local");
    }

    @Test
    void parquetRowsEqualJsonLines() throws IOException {
        writeAll();
        local(new CallsCommand(), 0, arguments(".jsonl", "local"));
        for (String name : List.of("questions", "answers", "irrelevant")) {
            SPARK.read()
                    .json(SPARK.createDataset(
                            Files.readAllLines(directory.resolve(name + ".jsonl")), Encoders.STRING()))
                    .coalesce(1)
                    .write()
                    .parquet(at(name + ".parquet"));
        }
        job(
                0,
                Stream.concat(Stream.of("calls"), Stream.of(arguments(".parquet", "calls")))
                        .toArray(String[]::new));
        assertSameSets("calls", "local");
    }

    @Test
    void firstInvalidRecordEndsTheJob() throws IOException {
        questions.set(20, question("q20", "Do 20", "f10", "Thing").replace("integer", "whole"));
        questions.set(30, "no JSON");
        writeAll();
        onSpark(65, "calls");
        assertThat(stderr()).contains(at("questions") + ": record 30: is not JSON: ");
        questions.set(30, question("q30", "Do 30", "f15", "Thing").replace("integer", "whole"));
        writeAll();
        onSpark(65, "calls");
        assertThat(stderr())
                .contains(at("questions") + ": record 20: is not a function-calling record: ", "whole")
                .doesNotContain("record 30");
        questions.set(20, questions.get(19));
        questions.set(30, question("q30", "Do 30", "f15", "Thing"));
        writeAll();
        onSpark(65, "calls");
        assertThat(stderr()).contains(at("questions") + ": record 20: id \"q19\" is a duplicate");
        questions.set(20, question("z", "Do 20", "f10", "Thing"));
        writeAll();
        onSpark(65, "calls");
        assertThat(stderr()).contains(at("questions") + ": record 20: id \"z\" is missing in " + at("answers"));
        answers.add(answer("z", "f10", "[1]"));
        writeAll();
        onSpark(65, "calls");
        assertThat(stderr())
                .contains(at("answers") + ": record 19: id \"q20\" is missing in " + at("questions")
                        + "; each record needs its answer and each answer its record");
        questions.set(20, question("q20", "Do 20", "f10", "Thing"));
        answers.remove(answers.size() - 1);
        irrelevant.set(2, question("q2", "Do nothing", "f1", "Thing"));
        writeAll();
        onSpark(65, "calls");
        assertThat(stderr()).contains("record id \"q2\" is a duplicate; ids must be unique in all files");
        assertThat(directory.resolve("calls")).doesNotExist();
    }

    @Test
    void unusableRecordsAreRejected() throws IOException {
        writeAll();
        onSpark(65, "calls", "--set", "set.max-length=20");
        assertThat(stderr()).contains("of 60 records 0 can be used (", "overLong=60", "raise set.max-length");
        onSpark(78, "calls", "--set", "prompt.scenes=true");
        assertThat(stderr()).contains("prompt.scenes = true", "set scenes to false");
        onSpark(2, "calls", "--questions", at("questions"));
        assertThat(stderr()).contains("2 --questions but 1 --answers; give each its own");
        write("none/part-0.jsonl", "\n");
        onSpark(65, "calls", "--irrelevant", at("none"));
        assertThat(stderr()).contains(at("none") + ": holds no function-calling records");
        job(
                69,
                "calls",
                "--config",
                CONFIG,
                "--reasoner",
                at("no-model"),
                "--questions",
                "q",
                "--answers",
                "a",
                "--out",
                at("o"));
        assertThat(stderr()).contains("the tokenizer is missing");
    }
}
