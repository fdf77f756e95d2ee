package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Outputs;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class GenerateCommandTest {
    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private Exception failure = new IllegalStateException("nothing failed");

    @BeforeEach
    void writeModel() throws IOException {
        try (DecoderWeights weights = ModelInit.random(TinyModels.config(40, 64, false), 7)) {
            HuggingFaceDirectory.write(directory, weights, null);
        }
        ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
    }

    private int run(String... arguments) {
        CommandLine line = new CommandLine(new ReasonerCommand()).setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((exception, command, parsed) -> {
            failure = exception;
            return exception instanceof PrpfException known ? ExitCode.of(known).status() : 1;
        });
        return line.execute(arguments);
    }

    private JsonNode generate(String... more) throws IOException {
        out.reset();
        String[] arguments = new String[more.length + 6];
        System.arraycopy(
                new String[] {"generate", "--reasoner", directory.toString(), "--ids", "5,9,2", "--json"},
                0,
                arguments,
                0,
                6);
        System.arraycopy(more, 0, arguments, 6, more.length);
        assertThat(run(arguments)).isZero();
        return new ObjectMapper().readTree(out.toString(StandardCharsets.UTF_8));
    }

    @Test
    void idsNeedNoTokenizerAndGiveNullText() throws IOException {
        JsonNode result = generate("--max-new", "8", "--greedy", "--ignore-eos");

        assertThat(result.fieldNames()).toIterable().containsExactly("ids", "text", "logprobs");
        assertThat(result.path("ids")).hasSize(8);
        assertThat(result.path("text").isNull()).isTrue();
        assertThat(result.path("logprobs")).hasSize(8).allMatch(p -> p.asDouble() < 0);
    }

    @Test
    void greedyAndIgnoreEosOverrideTheModelsSettings() throws IOException {
        JsonNode greedy = generate("--max-new", "8", "--greedy", "--ignore-eos");
        int second = greedy.path("ids").path(1).asInt();
        Files.writeString(
                directory.resolve("generation_config.json"),
                "{\"do_sample\":true,\"temperature\":5.0,\"eos_token_id\":" + second + "}");

        assertThat(generate("--max-new", "8", "--greedy", "--ignore-eos")).isEqualTo(greedy);
        assertThat(generate("--max-new", "8", "--greedy").path("ids").size()).isLessThanOrEqualTo(2);
        assertThat(generate("--max-new", "8", "--ignore-eos").path("ids")).isNotEqualTo(greedy.path("ids"));
    }

    @Test
    void severalSamplesAreThoseOfTheirSeedsAlone() throws IOException {
        JsonNode result = generate("--max-new", "8", "--ignore-eos", "--n", "3", "--temperature", "1.5", "--seed", "4");

        assertThat(result.fieldNames()).toIterable().containsExactly("ids", "text", "logprobs", "samples");
        assertThat(result.path("samples")).hasSize(3);
        for (JsonNode sample : result.path("samples")) {
            assertThat(sample.fieldNames())
                    .toIterable()
                    .containsExactly("seed", "ids", "text", "logprobs", "sampling_logprobs", "finish");
            String seed = sample.path("seed").asText();
            JsonNode alone = generate("--max-new", "8", "--ignore-eos", "--temperature", "1.5", "--seed", seed);
            assertThat(alone.path("ids")).isEqualTo(sample.path("ids"));
            assertThat(sample.path("finish").asText()).isEqualTo("length");
            assertThat(sample.path("sampling_logprobs")).hasSize(8);
        }
        assertThat(result.path("ids")).isEqualTo(result.at("/samples/0/ids"));
        assertThat(result.at("/samples/2/seed").asLong()).isEqualTo(6);
        assertThat(result.at("/samples/1/ids")).isNotEqualTo(result.at("/samples/0/ids"));
    }

    @Test
    void optionsOfSamplingOverrideTheModelsOneByOne() throws IOException {
        JsonNode greedy = generate("--max-new", "8", "--ignore-eos");
        Files.writeString(
                directory.resolve("generation_config.json"), "{\"do_sample\":true,\"temperature\":9.0,\"top_k\":0}");
        JsonNode sampled = generate("--max-new", "8", "--ignore-eos");

        assertThat(sampled).isNotEqualTo(greedy);
        for (String[] option :
                new String[][] {{"--top-k", "1"}, {"--top-p", "1e-9"}, {"--min-p", "1"}, {"--temperature", "0"}}) {
            assertThat(generate("--max-new", "8", "--ignore-eos", option[0], option[1]))
                    .as(option[0])
                    .isEqualTo(greedy);
        }
        JsonNode penalised = generate("--max-new", "30", "--ignore-eos", "--greedy", "--repetition-penalty", "1e9");
        assertThat(penalised.path("ids")).as("every token once").doesNotHaveDuplicates();
    }

    @Test
    void optionsThatMakeNoSenseAreUsageErrors() {
        String[][] cases = {
            {"--n = 0", "--n", "0"},
            {"--n = 2: the likeliest tokens are the same", "--n", "2"},
            {"--greedy takes the likeliest token", "--greedy", "--top-k", "5"},
            {"--temperature = -1.0 must be > 0", "--temperature", "-1"},
            {"--top-p = 1.5 must be in (0, 1]", "--top-p", "1.5"},
            {"--top-k = -2 must be >= 0", "--top-k", "-2"},
            {"--min-p = -0.5 must be in [0, 1]", "--min-p", "-0.5"},
            {"--repetition-penalty = 0.0 must be >= 0.01", "--repetition-penalty", "0"},
            {"--stop is empty", "--stop", ""},
        };
        for (String[] words : cases) {
            List<String> arguments =
                    new ArrayList<>(List.of("generate", "--reasoner", directory.toString(), "--ids", "5"));
            arguments.addAll(List.of(words).subList(1, words.length));
            assertThat(run(arguments.toArray(String[]::new))).isEqualTo(ExitCode.USAGE.status());
            assertThat(failure).hasMessageContaining(words[0]);
        }
        assertThat(run("generate", "--reasoner", directory.toString(), "--ids", "5", "--stop", "x"))
                .isEqualTo(ExitCode.UNAVAILABLE.status());
        assertThat(failure).hasMessageContaining("tokenizer.json").hasMessageContaining("--stop");
    }

    @Test
    void aPromptWithoutATokenizerIsUnavailable() {
        assertThat(run("generate", "--reasoner", directory.toString(), "--prompt", "hello"))
                .isEqualTo(ExitCode.UNAVAILABLE.status());
        assertThat(failure).hasMessageContaining("tokenizer.json");
    }

    @Test
    void noNewTokensIsAUsageError() {
        assertThat(run("generate", "--reasoner", directory.toString(), "--ids", "5", "--max-new", "0"))
                .isEqualTo(ExitCode.USAGE.status());
        assertThat(failure).hasMessage("--max-new = 0, must be at least 1");
    }

    @Test
    void onePromptIsNeeded() {
        assertThat(run("generate", "--reasoner", directory.toString())).isEqualTo(2);
    }

    @Test
    void logitsAreWrittenForEveryPosition() {
        Path file = directory.resolve("deep/logits.safetensors");

        assertThat(run("logits", "--reasoner", directory.toString(), "--ids", "5,9,2", "--out", file.toString()))
                .isZero();

        try (SafeTensors written = SafeTensors.open(file);
                CausalLm decoder = HuggingFaceDirectory.open(directory).decoder(Precision.FP32)) {
            assertThat(written.entry("logits").shape()).containsExactly(3, 40);
            float[] values = written.floats("logits");
            float[] last = Outputs.logits(decoder, new long[] {5, 9, 2})[2];
            assertThat(java.util.Arrays.copyOfRange(values, 80, 120)).isEqualTo(last);
        }
    }

    @Test
    void aPlaceThatTakesNoLogitsIsUnavailable() throws IOException {
        Files.writeString(directory.resolve("file"), "mine");
        for (String taken : List.of("file/logits.safetensors", ".")) {
            String place = directory.resolve(taken).toString();
            assertThat(run("logits", "--reasoner", directory.toString(), "--ids", "5", "--out", place))
                    .isEqualTo(ExitCode.UNAVAILABLE.status());
            assertThat(failure).hasMessageContaining("cannot write " + place);
        }
        assertThat(directory.resolve("file")).hasContent("mine");
    }

    @Test
    void dtypeIsReadInAnyCase() {
        Path file = directory.resolve("logits.safetensors");

        assertThat(run(
                        "logits",
                        "--reasoner",
                        directory.toString(),
                        "--ids",
                        "5,9",
                        "--dtype",
                        "bf16",
                        "--out",
                        file.toString()))
                .isZero();
        assertThat(file).exists();
    }

    @Test
    void aLengthBeyondThePositionsIsRefusedBeforeTheFirstStep() throws IOException {
        assertThat(run("generate", "--reasoner", directory.toString(), "--ids", "5,9,2", "--max-new", "63"))
                .isEqualTo(ExitCode.USAGE.status());
        assertThat(failure)
                .hasMessage(
                        "--max-new = 63: the model has 64 positions and the prompt takes 3, so it must be at most 62");
        assertThat(out.size()).isZero();
        assertThat(generate("--max-new", "62", "--greedy", "--ignore-eos").path("ids"))
                .as("the last one needs no position")
                .hasSize(62);
        assertThat(generate("--greedy", "--ignore-eos").path("ids"))
                .as("as many as there is room for, where no length is asked for")
                .hasSize(62);
        assertThat(run("generate", "--reasoner", directory.toString(), "--ids", "5", "--max-new", "0"))
                .isEqualTo(ExitCode.USAGE.status());
        assertThat(failure).hasMessageContaining("must be at least 1");
    }

    @Test
    void moreSamplesThanAnybodyReadsAreRefused() {
        assertThat(run(
                        "generate",
                        "--reasoner",
                        directory.toString(),
                        "--ids",
                        "5",
                        "--n",
                        "100000000",
                        "--temperature",
                        "1"))
                .isEqualTo(ExitCode.USAGE.status());
        assertThat(failure).hasMessage("--n = 100000000, must be from 1 to 65536");
    }

    @Test
    void aTokenOutsideTheVocabularyIsBadData() {
        assertThat(run("generate", "--reasoner", directory.toString(), "--ids", "5,4000"))
                .isEqualTo(ExitCode.BAD_DATA.status());
        assertThat(failure).hasMessageContaining("4000").hasMessageContaining("39");
    }
}
