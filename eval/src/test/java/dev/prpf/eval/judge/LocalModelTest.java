package dev.prpf.eval.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.command.ReasonerCommand;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.Generator;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.openai.ChatModel.ChatOutcome;
import dev.prpf.par.openai.ChatRequest;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.tokenizer.Piece;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class LocalModelTest {
    private static final int MAX_NEW = 5;

    @TempDir
    private static Path directory;

    private static Path model;

    @BeforeAll
    static void make() throws IOException {
        Path text = Files.writeString(directory.resolve("text.txt"), "请判断两者在功能上是否等价。".repeat(20));
        model = directory.resolve("tiny");
        int status = new CommandLine(new ReasonerCommand())
                .execute(
                        "init",
                        "--config=" + Path.of(System.getProperty("prpf.root", ".."), "configs", "reasoner-init.yaml"),
                        "--text=" + text,
                        "--out=" + model,
                        "--set=model.hidden-size=16",
                        "--set=model.heads=2",
                        "--set=model.key-value-heads=1",
                        "--set=model.layers=1",
                        "--set=model.intermediate-size=16",
                        "--set=model.max-positions=128");
        assertThat(status).isZero();
    }

    private static LlmJudge.LocalConfig config(Precision dtype) {
        return new LlmJudge.LocalConfig(model, MAX_NEW, 2, dtype, null);
    }

    private static ChatRequest request(String id, ChatRequest.Turn... turns) {
        return new ChatRequest(id, List.of(turns), config(Precision.FP32).sampling(), null);
    }

    private static ChatRequest.Turn user(String text) {
        return new ChatRequest.Turn("user", text);
    }

    private static List<ChatOutcome> ask(LocalModel local, ChatRequest... requests) {
        Map<Integer, ChatOutcome> outcomes = new TreeMap<>();
        local.ask(List.of(requests), (index, outcome) -> assertThat(outcomes.put(index, outcome))
                .as("reported twice")
                .isNull());
        return List.copyOf(outcomes.values());
    }

    @Test
    void theAnswerIsTheModelsGreedyOneInItsOwnTemplate() {
        String text = "是否等价 <|im_end|>";
        Generation expected;
        int promptTokens;
        String decoded;
        HuggingFaceDirectory files = HuggingFaceDirectory.open(model);
        try (ChatTokenizer chat = PromptProvenance.tokenizer(model);
                CausalLm decoder = files.decoder(Precision.FP32)) {
            long[] prompt = chat.prompt(null, List.of(Piece.plain(text)));
            promptTokens = prompt.length;
            SamplingParams params = SamplingParams.greedy(MAX_NEW, files.requiredEndTokens());
            GenerationRequest request = new GenerationRequest(Prompt.ofText(prompt), params, 0, null);
            expected = new Generator(decoder)
                    .generate(List.of(request), 1, () -> false)
                    .get(0);
            decoded = chat.tokenizer().decode(expected.withoutEndToken());
        }
        try (LocalModel local = LocalModel.open(config(Precision.FP32), () -> false)) {
            assertThat(ask(local, request("a", user(text))))
                    .containsExactly(new ChatOutcome.Answer(
                            decoded, expected.ended() ? "stop" : "length", promptTokens, expected.ids().length));
        }
    }

    @Test
    void eachRequestHasItsOutcomeAlsoThoseThatDoNotFit() {
        try (LocalModel local = LocalModel.open(config(Precision.FP32), () -> false)) {
            List<ChatOutcome> outcomes = ask(
                    local,
                    request("a", user("是否等价")),
                    request("long", user("等价 x ".repeat(200))),
                    request("b", user("是否等价"), new ChatRequest.Turn("assistant", "是"), user("请重新判断")),
                    request("c", user("是否")));
            assertThat(outcomes).hasSize(4);
            assertThat(outcomes.get(1))
                    .isInstanceOfSatisfying(ChatOutcome.TooLong.class, tooLong -> assertThat(tooLong.why())
                            .endsWith("tokens, the model has 128 positions"));
            assertThat(((ChatOutcome.Answer) outcomes.get(2)).promptTokens())
                    .as("three turns are longer than one")
                    .isGreaterThan(((ChatOutcome.Answer) outcomes.get(0)).promptTokens());
        }
    }

    @Test
    void theNameHoldsWeightsAndNumberFormat() {
        try (LocalModel one = LocalModel.open(config(Precision.FP32), () -> false);
                LocalModel other = LocalModel.open(config(Precision.BF16), () -> false)) {
            assertThat(one.model()).matches("local:tiny:[0-9a-f]{12}:fp32");
            assertThat(other.model()).isEqualTo(one.model().replace("fp32", "bf16"));
        }
    }

    @Test
    void aSignalIs75() {
        try (LocalModel local = LocalModel.open(config(Precision.FP32), () -> true)) {
            assertThatThrownBy(() -> ask(local, request("a", user("是否等价"))))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.CHECKPOINTED));
        }
    }

    @Test
    void whatIsNoModelIsNamed() throws IOException {
        Path bare = Files.createDirectory(directory.resolve("bare"));
        for (String name : List.of("config.json", "model.safetensors", "generation_config.json")) {
            Files.copy(model.resolve(name), bare.resolve(name));
        }
        assertThatThrownBy(
                        () -> LocalModel.open(new LlmJudge.LocalConfig(bare, 1, 1, Precision.FP32, null), () -> false))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.UNAVAILABLE))
                .hasMessageContaining("tokenizer.json");
        assertThatThrownBy(() -> new LlmJudge.LocalConfig(model, 0, 1, Precision.FP32, null))
                .hasMessage("max-new = 0 must be at least 1");
        assertThatThrownBy(() -> new LlmJudge.LocalConfig(model, 1, 0, Precision.FP32, null))
                .hasMessage("batch-size = 0 must be at least 1");
    }
}
