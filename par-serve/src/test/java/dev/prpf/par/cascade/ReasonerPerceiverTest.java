package dev.prpf.par.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perceiver.PerceptionCost;
import dev.prpf.mpp.Perception;
import dev.prpf.par.cascade.LogOddsReading.ForcedSpelling;
import dev.prpf.par.cascade.LogOddsReading.PerceptionQuestions;
import dev.prpf.par.cascade.ReasonerPerceiver.PerceiverReading;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderFlops;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.generate.Generation.GenerationCost;
import dev.prpf.par.generate.Generator;
import dev.prpf.par.generate.Requests;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.generate.TokenConstraint;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.PromptSettings.PoolRendering;
import dev.prpf.par.prompt.PromptSettings.PromptLayout;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.tokenizer.SmallTokenizer;
import dev.prpf.par.tokenizer.Tokenizer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReasonerPerceiverTest {
    private static final int POSITIONS = 1000;

    @TempDir
    private Path directory;

    private static Sample sample(String id, String profile) {
        return new Sample(
                id, 1, null, null, new DeviceContext(profile, "电量 80%", "下雨"), Prompts.TEXT.trajectory(), null);
    }

    /** Writes what the profile says. */
    private static final class Echo implements Reasoner {
        private final PredictionCost cost;

        private Echo(PredictionCost cost) {
            this.cost = cost;
        }

        @Override
        public String id() {
            return "echo";
        }

        @Override
        public List<Reasoning> reason(List<Request> requests, Runnable answered) {
            return requests.stream()
                    .map(request -> {
                        assertThat(request.perception()).isNull();
                        assertThat(request.candidates().functions()).hasSize(3);
                        String text = request.sample().context().profile();
                        return new Reasoning(
                                text,
                                ResponseParser.parse(text, ResponseForm.REC_FUNCTION),
                                FinishReason.END_TOKEN,
                                cost);
                    })
                    .toList();
        }

        @Override
        public void close() {}
    }

    private static final String ACTS = "<rec>吃饭</rec><function>{\"model_recommendation\":[{\"name\":\"order_food\","
            + "\"parameters\":{}},{\"name\":\"elsewhere\",\"parameters\":{}}]}</function>";

    @Test
    void aResponsesWordsAreCertain() {
        ReasonerPerceiver perceiver =
                ReasonerPerceiver.ofWords(new Echo(PredictionCost.UNKNOWN), Prompts.POOL, Prompts.CATALOG);
        List<Sample> samples = List.of(sample("a", ACTS), sample("b", "无推荐"), sample("c", "嗯"), sample("d", "<rec>"));
        List<Perception> perceived = perceiver.perceive(samples);
        assertThat(perceived).extracting(Perception::pTrigger).containsExactly(1.0, 0.0, 0.0, 0.0);
        assertThat(perceived.get(0).scenarios())
                .containsEntry("Food", 1.0)
                .containsEntry("Travel", 0.0)
                .containsEntry("Work", 0.0);
        assertThat(perceived.get(0).top(1)).containsExactly("Food");
        assertThat(perceived.get(1).scenarios()).containsOnlyKeys(Prompts.CATALOG.names());
        assertThat(perceiver.perceiveCosted(samples))
                .as("malformed ones say why")
                .extracting(Perceiver.Costed::fault)
                .containsExactly(null, null, "expected <function>, found \"嗯\"", "<rec> is not closed");
        assertThat(perceiver.id()).isEqualTo("words:echo");
    }

    @Test
    void whatItTookIsThePerceptionsCost() {
        PredictionCost cost = PredictionCost.of(
                100,
                7,
                new GenerationCost(64, 9, new GenerationCost.Phase(5_000, 5), new GenerationCost.Phase(6_000, 6)),
                new PredictionCost.PromptCost(0.5, new EncodingCost(10, 0.25, 20, 0.125), 0));
        Perceiver.Costed known = ReasonerPerceiver.ofWords(new Echo(cost), Prompts.POOL, Prompts.CATALOG)
                .perceiveCosted(List.of(sample("a", ACTS)))
                .get(0);
        assertThat(known.cost()).isEqualTo(new PerceptionCost(new EncodingCost(10, 0.25, 20, 0.125), 11_000, 11.5));
        Perceiver.Costed unknown = ReasonerPerceiver.ofWords(
                        new Echo(PredictionCost.UNKNOWN), Prompts.POOL, Prompts.CATALOG)
                .perceiveCosted(List.of(sample("a", ACTS)))
                .get(0);
        assertThat(unknown.cost()).as("a server does not tell").isNull();
    }

    private Path model(PromptWording wording) throws IOException {
        PromptSettings prompt =
                new PromptSettings(PromptLayout.PREFIX, wording, PoolRendering.NAMES, false, ReasoningMode.NONE, null);
        int vocabulary = SmallTokenizer.write(directory);
        try (Tokenizer tokenizer = Tokenizer.load(directory)) {
            List<Integer> end = List.of(Math.toIntExact(tokenizer.controlToken("<|im_end|>")));
            DecoderConfig shape =
                    TinyModels.llama(vocabulary, 16, 32, 1, AttentionShape.of(2, 1, 8, 10_000), POSITIONS, true, end);
            try (DecoderWeights weights = ModelInit.random(shape, 11)) {
                HuggingFaceDirectory.write(directory, weights, null);
            }
            PromptProvenance.of(prompt, ChatTemplates.CHATML, tokenizer.sha256())
                    .write(directory);
        }
        return directory;
    }

    private static ReasonerPerceiver open(Path model, PerceiverReading reads) {
        LocalReasoner.Settings decoding = new LocalReasoner.Settings(6, 5, Precision.FP32, false, null);
        return ReasonerPerceiver.open(
                model,
                Prompts.POOL,
                Prompts.CATALOG,
                Prompts.FAKE_SCREENS,
                new ReasonerPerceiver.Settings(reads, decoding));
    }

    /** Returns the log-probability of a text after a prompt, without a constraint: the sum over its tokens. */
    private static double logProbability(LocalReasoner model, long[] prompt, String text) {
        double sum = 0;
        long[] before = prompt;
        for (long token : model.chat().tokenizer().encodePlain(text)) {
            int vocabulary = model.decoder().config().vocabularySize();
            SamplingParams one =
                    new SamplingParams(1, null, 1, model.settings().params().ending());
            TokenConstraint forced = new ForcedSpelling(new long[] {token}, vocabulary);
            Generation generation = new Generator(model.decoder())
                    .generate(List.of(Requests.of(before, one, 0, forced)), 1, () -> false)
                    .get(0);
            sum += generation.logProbabilities()[0];
            before = Arrays.copyOf(before, before.length + 1);
            before[before.length - 1] = token;
        }
        return sum;
    }

    @ParameterizedTest
    @EnumSource(
            value = PromptWording.class,
            names = {"FULL", "ENGLISH", "BRIEF"})
    void logOddsAreThoseOfYesAndNoSummedOverTheirSpellings(PromptWording wording) throws IOException {
        try (ReasonerPerceiver perceiver = open(model(wording), PerceiverReading.LOG_ODDS)) {
            Sample sample = sample("a", "短");
            LocalReasoner model = (LocalReasoner) perceiver.model();
            PerceptionQuestions questions = PerceptionQuestions.of(wording);
            List<String> asked = questions.all(Prompts.CATALOG.scenarios());
            assertThat(asked).hasSize(4).doesNotHaveDuplicates();
            Perception perceived = perceiver.perceive(List.of(sample)).get(0);
            List<Double> given = Stream.concat(Stream.of(perceived.pTrigger()), perceived.scenarios().values().stream())
                    .toList();
            for (int i = 0; i < asked.size(); i++) {
                long[] prompt = model.chat()
                        .prompt(model.renderer().system(), model.renderer().question(sample, asked.get(i)));
                double yes = questions.yes().stream()
                        .mapToDouble(word -> Math.exp(logProbability(model, prompt, word)))
                        .sum();
                double no = questions.no().stream()
                        .mapToDouble(word -> Math.exp(logProbability(model, prompt, word)))
                        .sum();
                assertThat(given.get(i)).as(asked.get(i)).isCloseTo(yes / (yes + no), within(1e-3));
            }
            assertThat(perceived.scenarios()).containsOnlyKeys(Prompts.CATALOG.names());
            assertThat(perceiver.id()).startsWith("log-odds:local:");
        }
    }

    @Test
    void theQuestionsAboutASampleShareTheirBeginning() throws IOException {
        try (ReasonerPerceiver perceiver = open(model(PromptWording.FULL), PerceiverReading.LOG_ODDS)) {
            Sample sample = sample("a", "长".repeat(150));
            LocalReasoner model = (LocalReasoner) perceiver.model();
            long[] prompt = model.chat()
                    .prompt(model.renderer().system(), model.renderer().question(sample, "是否？"));
            PerceptionCost cost = Objects.requireNonNull(
                    perceiver.perceiveCosted(List.of(sample)).get(0).cost());
            double alone = new DecoderFlops(model.decoder().config()).of(0, prompt.length, 1);
            assertThat(cost.fusionFlops())
                    .as("4 questions of 2 answers each, less than 5 prompts")
                    .isBetween(alone, 5 * alone);
            assertThat(cost.fusionSeconds()).isPositive();
            assertThat(cost.encoding()).isEqualTo(EncodingCost.NONE);
        }
    }

    @Test
    void aPromptThatIsTooLongTriggersNothingAndSaysSo() throws IOException {
        try (ReasonerPerceiver perceiver = open(model(PromptWording.BRIEF), PerceiverReading.LOG_ODDS)) {
            List<Perceiver.Costed> perceived =
                    perceiver.perceiveCosted(List.of(sample("long", "长".repeat(1000)), sample("b", "短")));
            assertThat(perceived.get(0).fault()).matches("the prompt has \\d{4} tokens, the model takes 9\\d\\d");
            assertThat(perceived.get(0).usable()).isNull();
            assertThat(perceived.get(0).perception().pTrigger()).isZero();
            assertThat(perceived.get(1).perception().pTrigger()).isPositive();
            assertThat(perceived.get(1).usable()).isEqualTo(perceived.get(1).perception());
        }
    }

    @Test
    void wordsOfAModelInThisProcessAreRead() throws IOException {
        try (ReasonerPerceiver perceiver = open(model(PromptWording.BRIEF), PerceiverReading.WORDS)) {
            Perceiver.Costed perceived =
                    perceiver.perceiveCosted(List.of(sample("a", "短"))).get(0);
            assertThat(perceived.perception().pTrigger()).isZero();
            assertThat(perceived.fault()).as("six tokens are no response").isNotNull();
            assertThat(Objects.requireNonNull(perceived.cost()).fusionFlops()).isPositive();
        }
    }
}
