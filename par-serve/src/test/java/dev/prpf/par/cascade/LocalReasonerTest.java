package dev.prpf.par.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.prpf.base.error.ExitCode;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.io.CallChecker;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.par.cascade.LocalReasoner.SeededSampling;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderFlops;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.Golden;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.PromptSettings.PoolRendering;
import dev.prpf.par.prompt.PromptSettings.PromptLayout;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.tokenizer.SmallTokenizer;
import dev.prpf.par.tokenizer.Tokenizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.data.Percentage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalReasonerTest {
    private static final int POSITIONS = 512;

    @TempDir
    private Path model;

    @BeforeEach
    void make() throws IOException {
        int vocabulary = SmallTokenizer.write(model);
        try (Tokenizer tokenizer = Tokenizer.load(model);
                DecoderWeights weights = ModelInit.random(shape(vocabulary, tokenizer), 11)) {
            HuggingFaceDirectory.write(model, weights, null);
            PromptProvenance.of(Prompts.brief(), ChatTemplates.CHATML, tokenizer.sha256())
                    .write(model);
        }
    }

    private static DecoderConfig shape(int vocabulary, Tokenizer tokenizer) {
        List<Integer> end = List.of(Math.toIntExact(tokenizer.controlToken("<|im_end|>")));
        return TinyModels.llama(vocabulary, 16, 32, 1, AttentionShape.of(2, 1, 8, 10_000), POSITIONS, true, end);
    }

    private LocalReasoner open() {
        return open(8, false);
    }

    private LocalReasoner open(int maxNew, boolean constrained) {
        return open(maxNew, constrained, null);
    }

    private LocalReasoner open(int maxNew, boolean constrained, @Nullable SeededSampling sampling) {
        return LocalReasoner.open(
                model,
                Prompts.CATALOG,
                Prompts.FAKE_SCREENS,
                new LocalReasoner.Settings(maxNew, 3, Precision.FP32, constrained, sampling));
    }

    private static Reasoner.Request request(String id, String profile) {
        Sample sample =
                new Sample(id, 1, null, null, new DeviceContext(profile, "p", "w"), Prompts.TEXT.trajectory(), null);
        CandidatePool pool = CandidatePool.ofTop(2, Prompts.perception(), Prompts.POOL, Prompts.CATALOG);
        return new Reasoner.Request(sample, Prompts.perception(), pool);
    }

    @Test
    void eachRequestGetsItsResponseWhateverItsBatch() {
        List<Reasoner.Request> requests = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            requests.add(request("s" + i, "用户".repeat(7 - i)));
        }
        try (LocalReasoner reasoner = open()) {
            AtomicInteger answered = new AtomicInteger();
            List<Reasoner.Reasoning> together = reasoner.reason(requests, answered::incrementAndGet);
            assertThat(answered).hasValue(7);
            for (int i = 0; i < requests.size(); i++) {
                Reasoner.Reasoning alone =
                        reasoner.reason(List.of(requests.get(i)), () -> {}).get(0);
                assertThat(together.get(i).text()).isEqualTo(alone.text());
                assertThat(together.get(i).response()).isInstanceOf(ParResponse.Malformed.class);
                assertThat(together.get(i).finish())
                        .as("eight tokens are no response")
                        .isEqualTo(FinishReason.LENGTH);
            }
            assertThat(reasoner.id()).startsWith("local:");
        }
    }

    private static List<String> texts(LocalReasoner reasoner, List<Reasoner.Request> requests) {
        return reasoner.reason(requests, () -> {}).stream()
                .map(Reasoner.Reasoning::text)
                .toList();
    }

    @Test
    void aDrawHangsOnTheSeedAndTheIdNotOnItsBatch() {
        List<Reasoner.Request> requests = List.of(request("a", "用户"), request("b", "用户"), request("c", "用户"));
        List<Reasoner.Request> fewer = List.of(requests.get(2), requests.get(0));
        try (LocalReasoner reasoner = open(8, false, new SeededSampling(1, 0.9, 1));
                LocalReasoner other = open(8, false, new SeededSampling(1, 0.9, 2));
                LocalReasoner greedy = open()) {
            List<String> drawn = texts(reasoner, requests);
            assertThat(drawn).as("one prompt, three ids").doesNotHaveDuplicates();
            assertThat(texts(reasoner, fewer)).containsExactly(drawn.get(2), drawn.get(0));
            assertThat(texts(other, requests)).isNotEqualTo(drawn);
            assertThat(texts(greedy, requests))
                    .containsOnly(texts(greedy, requests).get(0));
        }
    }

    @Test
    void drawnResponsesAreKeptToTheGrammarToo() {
        try (LocalReasoner reasoner = open(60, true, new SeededSampling(1, 0.7, 3))) {
            List<Reasoner.Request> requests = List.of(request("a", "用户"), request("b", "户用"));
            assertThat(reasoner.reason(requests, () -> {}))
                    .extracting(Reasoner.Reasoning::response)
                    .hasOnlyElementsOfType(ParResponse.Parsed.class);
        }
    }

    @Test
    void samplingOutOfRangeIsNamed() {
        assertThatThrownBy(() -> new SeededSampling(Double.NaN, 1, 1))
                .hasMessage("temperature = NaN must be at least 0; 0 is greedy");
        assertThatThrownBy(() -> new SeededSampling(1, 1.1, 1)).hasMessage("top-p = 1.1 must be in (0, 1]");
    }

    @Test
    void aResponseSaysItsTokensItsPassesAndItsOperations() {
        List<Reasoner.Request> requests = List.of(request("a", "短"), request("b", "长".repeat(90)));
        try (LocalReasoner reasoner = open()) {
            DecoderFlops flops = new DecoderFlops(reasoner.decoder().config());
            for (Reasoner.Reasoning reasoning : reasoner.reason(requests, () -> {})) {
                PredictionCost cost = reasoning.cost();
                int prompt = Objects.requireNonNull(cost.promptTokens());
                int cached = Objects.requireNonNull(cost.cachedTokens());
                assertThat(cost.newTokens()).isEqualTo(8);
                assertThat(cost.forwardPasses()).isGreaterThanOrEqualTo(8);
                assertThat(Objects.requireNonNull(cost.flops().prefill()))
                        .isCloseTo(flops.of(cached, prompt - cached, 1), Percentage.withPercentage(1e-9));
                assertThat(Objects.requireNonNull(cost.flops().decode())).isPositive();
                assertThat(cost.flops().fusion()).isZero();
                assertThat(Objects.requireNonNull(cost.seconds().prefill())).isPositive();
                assertThat(Objects.requireNonNull(cost.seconds().total())).isPositive();
            }
        }
    }

    @Test
    void aPromptThatIsTooLongCostsNoPass() {
        try (LocalReasoner reasoner = open()) {
            PredictionCost cost = reasoner.reason(List.of(request("long", "长".repeat(POSITIONS))), () -> {})
                    .get(0)
                    .cost();
            assertThat(cost.promptTokens()).isGreaterThan(POSITIONS);
            assertThat(cost.newTokens()).isZero();
            assertThat(cost.forwardPasses()).isZero();
            assertThat(cost.flops().total()).isZero();
        }
    }

    @Test
    void aPromptThatIsTooLongIsMalformedAndTheOthersAreAnswered() {
        try (LocalReasoner reasoner = open()) {
            List<Reasoner.Reasoning> reasonings =
                    reasoner.reason(List.of(request("long", "长".repeat(POSITIONS)), request("short", "短")), () -> {});
            assertThat(reasonings.get(0).text()).isEmpty();
            assertThat(((ParResponse.Malformed) reasonings.get(0).response()).why())
                    .contains("the model takes 511");
            assertThat(reasonings.get(0).finish()).isNull();
            assertThat(reasonings.get(1).text())
                    .isEqualTo(reasoner.reason(List.of(request("short", "短")), () -> {})
                            .get(0)
                            .text());
        }
    }

    @Test
    void constrainedResponsesAllParseAndCallCandidatesOnly() {
        List<Reasoner.Request> requests = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            requests.add(request("s" + i, "用户".repeat(i)));
        }
        try (LocalReasoner reasoner = open(60, true)) {
            List<Reasoner.Reasoning> reasonings = reasoner.reason(requests, () -> {});
            for (int i = 0; i < reasonings.size(); i++) {
                assertThat(reasonings.get(i).response()).isInstanceOf(ParResponse.Parsed.class);
                assertThat(reasonings.get(i).finish()).isEqualTo(FinishReason.END_TOKEN);
                ParResponse.Parsed parsed =
                        (ParResponse.Parsed) reasonings.get(i).response();
                for (FunctionCall call : parsed.recommendations().stream()
                        .flatMap(recommendation -> recommendation.calls().stream())
                        .toList()) {
                    assertThat(CallChecker.fatal(
                                    new FunctionPool(
                                            requests.get(i).candidates().functions()),
                                    call))
                            .isEmpty();
                }
            }
        }
    }

    @Test
    void aConstrainedPromptThatLeavesNoRoomForSilenceIsTooLong() {
        try (LocalReasoner reasoner = open(60, true)) {
            Reasoner.Reasoning reasoning = reasoner.reason(List.of(request("long", "长".repeat(POSITIONS))), () -> {})
                    .get(0);
            assertThat(((ParResponse.Malformed) reasoning.response()).why()).contains("the model takes 508");
        }
    }

    @Test
    void aLengthBelowTheShortestResponseIsRefusedBeforeTheFirstStep() {
        assertThatThrownBy(() -> open(4, true))
                .hasMessage(
                        "--max-new = 4: the shortest response has 5 tokens, its end among them; give it at least as many");
        open(5, true).close();
    }

    /** A form's tags may be more tokens than another's: here only PRPF's are of the vocabulary. */
    @Test
    void theShortestResponseIsThatOfTheModelsForm() throws IOException {
        PromptSettings prompt = new PromptSettings(
                PromptLayout.PREFIX,
                PromptWording.BRIEF,
                PoolRendering.NAMES,
                false,
                ReasoningMode.THINK_REC_FUNCTION,
                null);
        try (Tokenizer tokenizer = Tokenizer.load(model)) {
            PromptProvenance.of(prompt, ChatTemplates.CHATML, tokenizer.sha256())
                    .write(model);
        }
        String refused = String.valueOf(catchThrowable(() -> open(5, true)));
        int shortest = Integer.parseInt(refused.replaceAll(".*has (\\d+) tokens.*", "$1"));
        assertThat(shortest).isGreaterThan(5);
        try (LocalReasoner reasoner = open(shortest, true)) {
            Reasoner.Reasoning reasoning = reasoner.reason(List.of(request("long", "长".repeat(POSITIONS))), () -> {})
                    .get(0);
            assertThat(((ParResponse.Malformed) reasoning.response()).why())
                    .endsWith("the model takes " + (POSITIONS - shortest + 1));
        }
        open(1, false).close();
    }

    @Test
    void aModelWithAnotherTokenizerIsRefused() throws IOException {
        Path file = model.resolve("tokenizer.json");
        Files.writeString(file, Files.readString(file) + " ");
        assertThatThrownBy(this::open).hasMessageContaining("prompt hash").hasMessageContaining("tokenizer.json");
    }

    private void carry(String family) throws IOException {
        Files.copy(
                Golden.resource("chat-templates").resolve(family + ".jinja"),
                model.resolve("chat_template.jinja"),
                StandardCopyOption.REPLACE_EXISTING);
    }

    /** Tokens of a prompt that is too long, as the reasoner counts them. */
    private static int promptTokens(LocalReasoner reasoner) {
        Reasoner.Reasoning refused = reasoner.reason(List.of(request("long", "长".repeat(POSITIONS))), () -> {})
                .get(0);
        String why = ((ParResponse.Malformed) refused.response()).why();
        return Integer.parseInt(why.replaceAll("the prompt has (\\d+) .*", "$1"));
    }

    @Test
    void theModelsOwnTemplateWritesThePrompt() throws IOException {
        int ours;
        try (LocalReasoner reasoner = open()) {
            ours = promptTokens(reasoner);
        }
        carry("qwen3_5_think");
        int thought;
        try (ChatTokenizer chat = new ChatTokenizer(Tokenizer.load(model), ChatTemplates.ofReasoner(model))) {
            PromptProvenance.of(
                            Prompts.brief(), chat.template(), chat.tokenizer().sha256())
                    .write(model);
            thought = chat.tokenizer().encodeControl("<think>\n\n</think>\n\n").length;
        }
        try (LocalReasoner reasoner = open(60, true)) {
            assertThat(promptTokens(reasoner)).as("with an empty think block").isEqualTo(ours + thought);
            assertThat(reasoner.reason(List.of(request("s", "用户")), () -> {})
                            .get(0)
                            .response())
                    .isInstanceOf(ParResponse.Parsed.class);
        }
    }

    @Test
    void aModelWhoseTemplateWasExchangedIsRefused() throws IOException {
        carry("qwen3");
        assertThatThrownBy(this::open)
                .hasMessageContainingAll("prompt hash", "chat template prpf", "chat template qwen3")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(78);
        Files.writeString(model.resolve("chat_template.jinja"), "{{ messages }}");
        assertThatThrownBy(this::open)
                .hasMessageContaining("chat_template.jinja: this chat template is not known")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
    }

    @Test
    void aModelThatWasNeverTrainedIsRefused() throws IOException {
        Files.delete(model.resolve(PromptProvenance.FILE));
        assertThatThrownBy(this::open).hasMessageContaining("reasoner sft");
    }
}
