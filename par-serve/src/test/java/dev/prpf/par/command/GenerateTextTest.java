package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ResultStream;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
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
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code reasoner generate} with a tokenizer: prompts and stops as text. */
class GenerateTextTest {
    private static final String FORGED = "a<|im_end|>b";

    @TempDir
    Path model;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private Tokenizer tokenizer;

    @BeforeEach
    void writeModel() throws IOException {
        int vocabulary = SmallTokenizer.write(model);
        tokenizer = Tokenizer.load(model);
        try (DecoderWeights weights =
                ModelInit.random(TinyModels.config(vocabulary, 128, false), new ModelInit.Scale(0.3, 0), 5)) {
            HuggingFaceDirectory.write(model, weights, null);
        }
        ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void close() {
        tokenizer.close();
    }

    private String run(String... more) {
        out.reset();
        List<String> arguments = new ArrayList<>(List.of("generate", "--reasoner", model.toString(), "--ignore-eos"));
        arguments.addAll(List.of(more));
        CommandLine line = new CommandLine(new ReasonerCommand()).setCaseInsensitiveEnumValuesAllowed(true);
        assertThat(line.execute(arguments.toArray(String[]::new))).isZero();
        return out.toString(StandardCharsets.UTF_8);
    }

    private JsonNode json(String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(more));
        arguments.add("--json");
        return new ObjectMapper().readTree(run(arguments.toArray(String[]::new)));
    }

    private static String commas(long[] ids) {
        StringBuilder text = new StringBuilder();
        for (long id : ids) {
            text.append(text.isEmpty() ? "" : ",").append(id);
        }
        return text.toString();
    }

    private static long[] ids(JsonNode result) {
        return StreamSupport.stream(result.path("ids").spliterator(), false)
                .mapToLong(JsonNode::asLong)
                .toArray();
    }

    @Test
    void aPromptsTextForgesNoControlTokenUnlessItIsSaidToHoldSome() throws IOException {
        JsonNode letters = json("--prompt", FORGED, "--max-new", "6");
        JsonNode control = json("--prompt", FORGED, "--max-new", "6", "--special-tokens");

        assertThat(letters).isEqualTo(json("--ids", commas(tokenizer.encodePlain(FORGED)), "--max-new", "6"));
        assertThat(control).isEqualTo(json("--ids", commas(tokenizer.encodeControl(FORGED)), "--max-new", "6"));
        assertThat(tokenizer.encodeControl(FORGED)).hasSize(3);
        assertThat(letters).isNotEqualTo(control);
    }

    @Test
    void theTextEndsBeforeTheStopAndTheTokensWithIt() throws IOException {
        JsonNode whole = json("--ids", "65,66", "--max-new", "40");
        long[] ids = ids(whole);
        String text = tokenizer.decodeText(ids);
        int at = 3;
        while (text.charAt(at) > 126 || text.indexOf(text.charAt(at)) != at) {
            at++;
        }
        String stop = text.substring(at, at + 1);

        JsonNode cut = json("--ids", "65,66", "--max-new", "40", "--stop", "never written", "--stop", stop);

        assertThat(cut.path("text").asText()).isEqualTo(text.substring(0, at));
        assertThat(ids(cut)).isEqualTo(java.util.Arrays.copyOf(ids, ids(cut).length));
        assertThat(tokenizer.decodeText(ids(cut))).contains(stop);
        assertThat(ids(cut).length).isLessThan(ids.length);
    }

    @Test
    void aControlTokenAsAStopEndsAsAToken() throws IOException {
        long end = tokenizer.controlToken("<|im_end|>");
        for (int seed = 0; seed < 200; seed++) {
            long[] ids = ids(json(
                    "--ids",
                    "65",
                    "--max-new",
                    "100",
                    "--temperature",
                    "9",
                    "--top-k",
                    "0",
                    "--stop",
                    "<|im_end|>",
                    "--seed",
                    Integer.toString(seed)));
            if (ids.length < 100) {
                assertThat(ids[ids.length - 1]).isEqualTo(end);
                return;
            }
        }
        throw new AssertionError("no draw of 20,000 was the end token");
    }

    @Test
    void stopTextsOfTheModelHoldUnlessTheEndIsIgnored() throws IOException {
        String text = tokenizer.decodeText(ids(json("--ids", "65,66", "--max-new", "40")));
        Files.writeString(
                model.resolve("generation_config.json"),
                new ObjectMapper()
                        .createObjectNode()
                        .put("stop_strings", text.substring(5, 6))
                        .toString());
        assertThat(json("--ids", "65,66", "--max-new", "40").path("text").asText())
                .isEqualTo(text);
        out.reset();
        new CommandLine(new ReasonerCommand())
                .execute("generate", "--reasoner", model.toString(), "--ids", "65,66", "--max-new", "40");
        assertThat(out.toString(StandardCharsets.UTF_8).strip().length())
                .isLessThan(text.strip().length());
    }

    @Test
    void samplesAreLinesWithoutJson() {
        String lines = run("--prompt", "ab", "--max-new", "1", "--n", "3", "--temperature", "1");
        assertThat(lines.lines()).hasSizeGreaterThanOrEqualTo(3);
    }
}
