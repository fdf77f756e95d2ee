package dev.prpf.par.cascade;

import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScenarioCatalog.Scenario;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perceiver.PerceptionCost;
import dev.prpf.mpp.Perception;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.Generation.GenerationCost;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.Generator;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.generate.TokenConstraint;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Asks a language model whether help is due, and computes p from the next token's log-probabilities: P(yes) / (P(yes) + P(no)), each summed over its
 * spellings. All questions about a sample share a prefix, which the prefix cache holds.
 */
final class LogOddsReading implements ReasonerPerceiver.Reading {
    private final LocalReasoner model;
    private final ScenarioCatalog catalog;
    private final PerceptionQuestions questions;
    private final List<long[]> spellings;
    private final int longest;

    LogOddsReading(LocalReasoner model, ScenarioCatalog catalog) {
        this.model = model;
        this.catalog = catalog;
        questions = PerceptionQuestions.of(model.renderer().settings().wording());
        spellings = questions.answers().stream()
                .map(answer -> model.chat().tokenizer().encodePlain(answer))
                .toList();
        longest = spellings.stream().mapToInt(tokens -> tokens.length).max().orElseThrow();
    }

    @Override
    public List<Perceiver.Costed> read(List<Sample> samples) {
        return samples.stream().map(this::read).toList();
    }

    private Perceiver.Costed read(Sample sample) {
        ReasonerDialogue dialogue = model.dialogue();
        List<ReasonerDialogue.Draft> drafts = questions.all(catalog.scenarios()).stream()
                .map(question ->
                        dialogue.draft(sample, shown -> model.renderer().question(shown, question)))
                .toList();
        ReasonerDialogue.Draft longestDraft = drafts.stream()
                .max(Comparator.comparingInt(ReasonerDialogue.Draft::length))
                .orElseThrow();
        int room = model.decoder().config().maxPositions() - longest + 1;
        String tooLong = ReasonerDialogue.tooLong(longestDraft, room);
        if (tooLong != null) {
            PerceptionCost cost =
                    cost(drafts.stream().map(ReasonerDialogue.Draft::cost).toList(), List.of());
            return ReasonerPerceiver.unusable(sample, tooLong, catalog, cost);
        }
        List<ReasonerDialogue.Encoded> prompts =
                drafts.stream().map(dialogue::see).toList();
        List<Generation> answers = answers(prompts);
        PerceptionCost cost = cost(
                prompts.stream().map(ReasonerDialogue.Encoded::cost).toList(),
                answers.stream().map(Generation::cost).toList());
        return new Perceiver.Costed(perception(answers), cost);
    }

    private static PerceptionCost cost(List<PredictionCost.PromptCost> prompts, List<GenerationCost> answers) {
        EncodingCost encoding =
                prompts.stream().map(PredictionCost.PromptCost::screens).reduce(EncodingCost.NONE, EncodingCost::plus);
        double rendering =
                prompts.stream().mapToDouble(PredictionCost.PromptCost::seconds).sum();
        double flops = answers.stream()
                .mapToDouble(one -> one.prefill().flops() + one.decode().flops())
                .sum();
        double seconds = answers.stream()
                .mapToDouble(one -> one.prefill().seconds() + one.decode().seconds())
                .sum();
        return new PerceptionCost(encoding, flops, rendering + seconds);
    }

    /** Scores every spelling after every prompt, in order, so that each uses the prefix cached by the first one. */
    private List<Generation> answers(List<ReasonerDialogue.Encoded> prompts) {
        int vocabulary = model.decoder().config().vocabularySize();
        List<GenerationRequest> requests = new ArrayList<>();
        SamplingParams params =
                new SamplingParams(longest, null, 1, model.settings().params().ending());
        for (ReasonerDialogue.Encoded encoded : prompts) {
            spellings.forEach(tokens -> requests.add(
                    new GenerationRequest(encoded.prompt(), params, 0, () -> new ForcedSpelling(tokens, vocabulary))));
        }
        return new Generator(model.decoder()).generate(requests, 1, () -> false);
    }

    private Perception perception(List<Generation> answers) {
        double[] probabilities = IntStream.range(0, 1 + catalog.size())
                .mapToDouble(question ->
                        probability(answers.subList(question * spellings.size(), (question + 1) * spellings.size())))
                .toArray();
        List<String> names = catalog.names();
        return ReasonerPerceiver.perception(
                probabilities[0], catalog, scenario -> probabilities[1 + names.indexOf(scenario)]);
    }

    /** Returns the probability of yes, from the log-probabilities of all spellings. */
    private double probability(List<Generation> answers) {
        double[] logs = IntStream.range(0, answers.size())
                .mapToDouble(i -> {
                    float[] tokens = answers.get(i).logProbabilities();
                    return IntStream.range(0, spellings.get(i).length)
                            .mapToDouble(t -> tokens[t])
                            .sum();
                })
                .toArray();
        int yes = questions.yes().size();
        return 1
                / (1 + Math.exp(logSum(Arrays.copyOfRange(logs, yes, logs.length)) - logSum(Arrays.copyOf(logs, yes))));
    }

    private static double logSum(double[] logs) {
        double largest = Arrays.stream(logs).max().orElseThrow();
        return largest
                + Math.log(
                        Arrays.stream(logs).map(log -> Math.exp(log - largest)).sum());
    }

    /** Forces one text, so that its log-probability is computed; after its end the last token repeats. */
    static final class ForcedSpelling implements TokenConstraint {
        private final long[] tokens;
        private final int vocabulary;
        private int written;

        /** @param tokens of the text, at least one */
        ForcedSpelling(long[] tokens, int vocabulary) {
            this.tokens = tokens.clone();
            this.vocabulary = vocabulary;
        }

        @Override
        public int shortest() {
            return tokens.length;
        }

        @Override
        public long[] forced(int left) {
            return written < tokens.length
                    ? Arrays.copyOfRange(tokens, written, tokens.length)
                    : new long[] {tokens[tokens.length - 1]};
        }

        @Override
        public long[] allowed(int left) {
            int next = (int) tokens[Math.min(written, tokens.length - 1)];
            long[] bits = new long[(vocabulary + Long.SIZE - 1) / Long.SIZE];
            bits[next / Long.SIZE] = 1L << next;
            return bits;
        }

        @Override
        public void accept(long token) {
            written++;
        }
    }

    /**
     * The perception questions to a model, asked after the sample; each is answered by yes or no. Wording ours.
     *
     * @param trigger whether an intervention is due
     * @param scenario whether a scenario applies, with {@code %s} for its name
     */
    record PerceptionQuestions(String trigger, String scenario, List<String> yes, List<String> no) {
        private static final PerceptionQuestions CHINESE = new PerceptionQuestions(
                "根据以上信息，此刻是否应当主动向用户推荐操作？只回答“是”或“否”。",
                "根据以上信息，若此刻要主动推荐操作，它是否属于“%s”场景？只回答“是”或“否”。",
                List.of("是"),
                List.of("否"));

        private static final PerceptionQuestions ENGLISH = new PerceptionQuestions(
                "Should an action be recommended to the user now? Answer yes or no only.",
                "If an action is recommended now, does it belong to the scenario \"%s\"? Answer yes or no only.",
                List.of("yes", "Yes", " yes", " Yes"),
                List.of("no", "No", " no", " No"));

        static PerceptionQuestions of(PromptWording wording) {
            return wording == PromptWording.ENGLISH ? ENGLISH : CHINESE;
        }

        /** Returns the trigger's question, then one per scenario, in their order. */
        List<String> all(List<Scenario> scenarios) {
            List<String> questions = new ArrayList<>(List.of(trigger));
            scenarios.forEach(
                    one -> questions.add(scenario.replace("%s", equals(ENGLISH) ? one.name() : one.chinese())));
            return questions;
        }

        List<String> answers() {
            return Stream.concat(yes.stream(), no.stream()).toList();
        }
    }
}
