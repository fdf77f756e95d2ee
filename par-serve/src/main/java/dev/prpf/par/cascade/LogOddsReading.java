package dev.prpf.par.cascade;

import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.TraceStep;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.PerceptionCost;
import dev.prpf.par.engine.PictureInputs;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.GenerationCost;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.GenerationSettings;
import dev.prpf.par.generate.Generator;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.prompt.PromptRenderer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Perceptions from next-token log-probabilities: p = P(yes) / (P(yes) + P(no)) behind a question, each summed over its spellings. The questions
 * about a sample begin alike, so the prefix cache has all but their ends.
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
        long start = System.nanoTime();
        EncodingCost.Costed<List<Asked>> prompts =
                EncodingCost.Costed.of(model.dialogue()::screensCost, () -> prompts(sample));
        double rendering =
                Math.max(0, (System.nanoTime() - start) / 1e9 - prompts.cost().seconds());
        int length = prompts.result().stream()
                .mapToInt(prompt -> prompt.ids().length)
                .max()
                .orElseThrow();
        int room = model.decoder().config().maxPositions() - longest + 1;
        if (length > room) {
            String why = "the prompt has " + length + " tokens, the model takes " + room;
            return ReasonerPerceiver.unusable(sample, why, catalog, new PerceptionCost(prompts.cost(), 0, rendering));
        }
        List<Generation> answers = answers(prompts.result());
        List<GenerationCost> costs = answers.stream().map(Generation::cost).toList();
        PerceptionCost cost = new PerceptionCost(
                prompts.cost(),
                costs.stream()
                        .mapToDouble(one -> one.prefill().flops() + one.decode().flops())
                        .sum(),
                rendering
                        + costs.stream()
                                .mapToDouble(one ->
                                        one.prefill().seconds() + one.decode().seconds())
                                .sum());
        return new Perceiver.Costed(perception(answers), cost);
    }

    /** A question's tokens and what is seen of the pictures among them. */
    private record Asked(long[] ids, PictureInputs pictures) {}

    private List<Asked> prompts(Sample sample) {
        PromptRenderer renderer = model.renderer();
        List<TraceStep.Screenshot> shown = renderer.shown(sample).trajectory().screenshots();
        return questions.all(catalog.scenarios()).stream()
                .map(question ->
                        model.chat().prompt(renderer.system(), renderer.question(sample, question), shown, sample.id()))
                .map(prompt -> new Asked(prompt.ids(), model.chat().pictures().inputs(prompt.ids(), prompt.pictures())))
                .toList();
    }

    /** Every spelling behind every prompt, prompt by prompt: one after the other, so that each finds in the prefix cache what the first one left. */
    private List<Generation> answers(List<Asked> prompts) {
        int vocabulary = model.decoder().config().vocabularySize();
        List<GenerationRequest> requests = new ArrayList<>();
        for (Asked prompt : prompts) {
            spellings.forEach(tokens -> requests.add(new GenerationRequest(
                    prompt.ids(), List.of(0L), () -> new ForcedSpelling(tokens, vocabulary), prompt.pictures())));
        }
        GenerationSettings settings = new GenerationSettings(
                new SamplingParams(longest, null, 1, model.settings().params().ending()), 1);
        return new Generator(model.decoder())
                .sample(requests, settings, () -> false).stream()
                        .map(one -> one.get(0))
                        .toList();
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

    /** Of yes, from the log-probabilities of all spellings. */
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
}
