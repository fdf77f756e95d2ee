package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Sample;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.SampleReader;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.chat.ChatTemplates.ChatMl;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.engine.Golden;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.SmallTokenizer;
import dev.prpf.par.tokenizer.Tokenizer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code data calls}, then a model from elsewhere that is adopted and answers the set. */
class CallsCommandTest {
    private static final Path CONFIGS = SmallWorld.CONFIGS;
    private static final int RECORDS = 12;

    @TempDir
    private static Path folder;

    private static Path model;

    @BeforeAll
    static void makeRecordsAndModel() throws IOException {
        model = SmallWorld.in(folder).model();
        List<String> questions = new ArrayList<>();
        List<String> answers = new ArrayList<>();
        List<String> irrelevant = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
            String function = "[{\"name\": \"f" + i + "\", \"description\": \"Thing " + i
                    + ".\", \"parameters\": {\"type\": \"dict\", \"properties\": {\"x\": {\"type\": \"integer\"}},"
                    + " \"required\": [\"x\"]}}]";
            String line = "{\"id\": \"%s\", \"question\": [[{\"role\": \"user\", \"content\": \"Do " + i
                    + "\"}]], \"function\": " + function + "}";
            if (i % 2 == 0) {
                questions.add(line.formatted("q" + i));
                answers.add("{\"id\": \"q" + i + "\", \"ground_truth\": [{\"f" + i + "\": {\"x\": [1, 2]}}]}");
            } else {
                irrelevant.add(line.formatted("i" + i));
            }
        }
        Files.write(folder.resolve("q.json"), questions);
        Files.write(folder.resolve("a.json"), answers);
        Files.write(folder.resolve("i.json"), irrelevant);
    }

    private static String run(int expectedStatus, Object command, String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
        CommandLine line = new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((exception, at, parsed) -> {
            ResultStream.line(String.valueOf(exception.getMessage()));
            return exception instanceof PrpfException known ? ExitCode.of(known).status() : 1;
        });
        int status = line.execute(arguments);
        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(status).as(text).isEqualTo(expectedStatus);
        return text;
    }

    private static String calls(int expectedStatus, String out, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--config=" + CONFIGS.resolve("data-calls.yaml"),
                "--reasoner=" + model,
                "--questions=" + folder.resolve("q.json"),
                "--out=" + folder.resolve(out),
                "--set=set.max-length=2000",
                "--json"));
        arguments.addAll(List.of(more));
        return run(expectedStatus, new CallsCommand(), arguments.toArray(String[]::new));
    }

    private static String answers() {
        return "--answers=" + folder.resolve("a.json");
    }

    private static String irrelevant() {
        return "--irrelevant=" + folder.resolve("i.json");
    }

    @Test
    void recordsBecomeSetsThatAnAdoptedModelAnswers() throws IOException {
        JsonNode said = new ObjectMapper().readTree(calls(0, "calls", answers(), irrelevant()));
        assertThat(said.get("records").intValue()).isEqualTo(RECORDS);
        assertThat(said.get("train").intValue() + said.get("test").intValue()).isEqualTo(RECORDS);
        Path test = folder.resolve("calls/test");
        List<Sample> gold = SampleReader.readAll(test.resolve("gold.json"));
        assertThat(gold).hasSize(said.get("test").intValue()).allMatch(Sample::labelled);
        assertThat(gold.stream().filter(sample -> !sample.wantsIntervention()))
                .hasSize(said.get("test_silent").intValue());
        assertThat(FunctionPoolFile.read(folder.resolve("calls/function_pool.json"))
                        .names())
                .hasSize(RECORDS);

        Path adopted = folder.resolve("adopted");
        String config = "--config=" + CONFIGS.resolve("reasoner-adopt.yaml");
        run(0, new AdoptCommand(), config, "--reasoner=" + model, "--out=" + adopted);
        assertThat(PromptProvenance.find(model))
                .as("the model's own folder stays as it is")
                .isNull();
        assertThat(adopted.resolve("model.safetensors")).isSymbolicLink();

        Path answers = folder.resolve("answers");
        String runDir = "--run-dir=" + answers;
        String examples = "--examples=" + test.resolve("sft.jsonl");
        JsonNode summary = new ObjectMapper()
                .readTree(run(
                        0, new RespondCommand(), "--reasoner=" + adopted, examples, runDir, "--max-new=5", "--json"));
        assertThat(summary.get("n").intValue()).isEqualTo(gold.size());
        assertThat(summary.get("malformed").intValue()).isEqualTo(gold.size());
        List<Prediction> predictions = Prediction.read(answers.resolve("predictions.jsonl"));
        assertThat(predictions)
                .extracting(Prediction::id)
                .containsExactlyElementsOf(gold.stream().map(Sample::id).toList());
        assertThat(predictions).allMatch(prediction -> prediction.response() != null && prediction.calls() == null);

        constrainedAnswersKeepToTheirOwnFunctions(adopted, test);

        Path file = answers.resolve("predictions.jsonl");
        List<String> lines = Files.readAllLines(file);
        Files.write(file, lines.subList(0, 1));
        run(0, new RespondCommand(), "--reasoner=" + adopted, examples, runDir, "--max-new=5");
        assertThat(Files.readAllLines(file)).as("goes on where it was").isEqualTo(lines);
        assertThat(run(78, new RespondCommand(), "--reasoner=" + adopted, examples, runDir, "--max-new=6"))
                .contains("holds a run with another configuration");

        assertThat(run(65, new RespondCommand(), "--reasoner=" + model, examples, runDir))
                .contains("has no prpf.json", "reasoner adopt");
        assertThat(run(2, new RespondCommand(), "--reasoner=" + adopted, examples, runDir, "--max-new=0"))
                .contains("--max-new = 0 must be at least 1");
        assertThat(run(78, new RespondCommand(), "--reasoner=" + adopted, examples, runDir, "--max-new=999999"))
                .contains("--max-new = 999999: the longest prompt has ", "positions, so it must be at most ");
    }

    private static void constrainedAnswersKeepToTheirOwnFunctions(Path adopted, Path test) throws IOException {
        String pool = "--pool=" + folder.resolve("calls/function_pool.json");
        String examples = "--examples=" + test.resolve("sft.jsonl");
        String model = "--reasoner=" + adopted;
        String kept = "--run-dir=" + folder.resolve("kept");
        JsonNode summary = new ObjectMapper()
                .readTree(run(
                        0,
                        new RespondCommand(),
                        model,
                        examples,
                        kept,
                        pool,
                        "--constrained",
                        "--max-new=80",
                        "--json"));
        assertThat(summary.get("malformed").intValue()).as("of random weights").isZero();
        for (Prediction prediction : Prediction.read(folder.resolve("kept/predictions.jsonl"))) {
            String own = "f" + prediction.id().substring(1);
            assertThat(Objects.requireNonNull(prediction.calls()).stream().flatMap(List::stream))
                    .as(prediction.id())
                    .allMatch(call -> call.name().equals(own));
        }

        String no = "--run-dir=" + folder.resolve("no");
        assertThat(run(2, new RespondCommand(), model, examples, no, pool))
                .contains("has an effect on constrained responses only: add --constrained, or leave it out");
        assertThat(run(65, new RespondCommand(), model, examples, no, "--constrained"))
                .contains("its prompt shows f", "which the pool does not have; give the set's pool with --pool");
        assertThat(run(2, new RespondCommand(), model, examples, no, pool, "--constrained", "--max-new=1"))
                .contains("max-new-tokens = 1: the shortest response has ");
        assertThat(run(78, new RespondCommand(), model, examples, kept, "--max-new=80"))
                .contains("holds a run with another configuration");
    }

    @Test
    void aDryRunWritesNothing() {
        assertThat(calls(0, "dry", answers(), irrelevant(), "--dry-run")).contains("\"out\":null");
        assertThat(folder.resolve("dry")).doesNotExist();
    }

    @Test
    void wrongUsageIsSaid() {
        assertThat(calls(2, "x", answers(), answers())).contains("1 --questions but 2 --answers");
        assertThat(run(
                        2,
                        new CallsCommand(),
                        "--reasoner=" + model,
                        "--questions=q",
                        answers(),
                        "--out=" + folder.resolve("x")))
                .contains("data calls needs --config; configs/data-calls.yaml is an example");
        assertThat(calls(2, "x", irrelevant())).isEmpty(); // picocli says on standard error that --answers is missing
    }

    @Test
    void whatIsAdoptedMustReadAndEndOurTurns() throws IOException {
        String config = "--config=" + CONFIGS.resolve("reasoner-adopt.yaml");
        Path copy = copy("own");
        run(0, new AdoptCommand(), config, "--reasoner=" + copy);
        run(0, new AdoptCommand(), config, "--reasoner=" + copy); // says the same again
        assertThat(PromptProvenance.read(copy).prompt().wording().name()).isEqualTo("ENGLISH");
        assertThat(run(78, new AdoptCommand(), config, "--reasoner=" + copy, "--set=prompt.wording=full"))
                .contains("prpf.json: prompt hash = ");
        assertThat(run(2, new AdoptCommand(), config, "--reasoner=" + model, "--out=" + copy))
                .contains("exists and is no folder of links to the files of");

        Path bare = copy("without-template");
        Files.deleteIfExists(bare.resolve("tokenizer_config.json"));
        run(0, new AdoptCommand(), config, "--reasoner=" + bare);
        assertThat(bare.resolve("chat_template.jinja")).hasContent(ChatMl.TEMPLATE);
        assertThat(PromptProvenance.read(bare)).isEqualTo(PromptProvenance.read(copy));

        Path qwen = copy("qwen");
        Path jinja = qwen.resolve("chat_template.jinja");
        Files.copy(Golden.resource("chat-templates").resolve("qwen3_5_nothink.jinja"), jinja);
        run(0, new AdoptCommand(), config, "--reasoner=" + qwen);
        assertThat(PromptProvenance.read(qwen).template()).isEqualTo("qwen3.5");
        assertThat(PromptProvenance.read(qwen).promptHash())
                .isNotEqualTo(PromptProvenance.read(copy).promptHash());
        try (ChatTokenizer chat = PromptProvenance.tokenizer(qwen)) {
            assertThat(chat.tokenizer().decode(chat.prompt("S", List.of(Piece.plain(" a\n")))))
                    .isEqualTo(
                            """
                            <|im_start|>system
                            S<|im_end|>
                            <|im_start|>user
                            a<|im_end|>
                            <|im_start|>assistant
                            <think>

                            </think>

                            """);
        }

        Path unknown = copy("unknown-template");
        Files.writeString(unknown.resolve("chat_template.jinja"), "{{ bos_token }}");
        assertThat(run(65, new AdoptCommand(), config, "--reasoner=" + unknown))
                .contains("chat_template.jinja: this chat template is not known, its sha256 = ", "docs/TEMPLATES.md");
        assertThat(PromptProvenance.find(unknown)).isNull();

        Path other = copy("other-end");
        Files.writeString(other.resolve("generation_config.json"), "{\"eos_token_id\": 3}");
        assertThat(run(65, new AdoptCommand(), config, "--reasoner=" + other))
                .contains("its responses end at the tokens [3], ours end at <|im_end|> = ", "set \"eos_token_id\"");
        assertThat(PromptProvenance.find(other)).isNull();

        Path strange = copy("no-chatml");
        Path tokenizer = strange.resolve("tokenizer.json");
        Files.writeString(tokenizer, Files.readString(tokenizer).replace("<|im_start|>", "<|turn|>"));
        assertThat(run(65, new AdoptCommand(), config, "--reasoner=" + strange)).contains("has no token <|im_start|>");

        Path narrow = copy("narrow");
        Files.writeString(
                narrow.resolve("config.json"),
                Files.readString(narrow.resolve("config.json"))
                        .replaceAll("\"vocab_size\" ?: ?\\d+", "\"vocab_size\": 2"));
        assertThat(run(65, new AdoptCommand(), config, "--reasoner=" + narrow))
                .contains("the model has 2 rows of embeddings");

        Path lower = copy("lower");
        SmallTokenizer.write(lower);
        Path small = lower.resolve("tokenizer.json");
        Files.writeString(
                small,
                Files.readString(small)
                        .replaceFirst("\"normalizer\" ?: ?null", "\"normalizer\": {\"type\": \"Lowercase\"}"));
        Files.writeString(lower.resolve("generation_config.json"), "{\"eos_token_id\": " + end(lower) + "}");
        assertThat(run(65, new AdoptCommand(), config, "--reasoner=" + lower))
                .contains("back as", "a tokenizer that keeps every character is needed");
        assertThat(run(2, new AdoptCommand(), "--reasoner=" + model))
                .contains("configs/reasoner-adopt.yaml is an example");
    }

    private static long end(Path directory) {
        try (Tokenizer tokenizer = Tokenizer.load(directory)) {
            return tokenizer.controlToken("<|im_end|>");
        }
    }

    private static Path copy(String name) throws IOException {
        Path copy = Files.createDirectories(folder.resolve(name));
        try (var files = Files.list(model)) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        return copy;
    }
}
