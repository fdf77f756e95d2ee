package dev.prpf.par.training;

import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.ImageParts;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.Generator;
import dev.prpf.par.generate.Generator.GenerationSettings;
import dev.prpf.par.response.GeneratedResponse;
import dev.prpf.par.reward.RewardBreakdown;
import dev.prpf.par.reward.RewardBreakdown.ConfusionOutcome;
import dev.prpf.par.reward.StructuredReward;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.vision.PromptImageReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Generates a policy's greedy response to each prompt. */
public interface Predictor {
    /**
     * Answers each prompt once. The same weights and prompts give the same responses. For prompts with images, this also requires the same bound of
     * {@link ImageParts}, which depends on the heap. Another bound batches other prompts together, and rounding then decides near ties.
     *
     * @return one per prompt, in order
     */
    List<Prediction> predict(CausalLm policy, List<PromptExample> prompts);

    /** Rewards responses of a model in this process; the caller closes tokenizer and image encoder. */
    static Predictor greedy(ChatTokenizer chat, StructuredReward reward, GenerationSettings settings) {
        return greedy(chat, reward, settings, ImageParts.mostBytes());
    }

    /**
     * Returns a predictor with another bound.
     *
     * @param mostBytes maximum bytes of images' features in a part of the prompts
     */
    static Predictor greedy(ChatTokenizer chat, StructuredReward reward, GenerationSettings settings, long mostBytes) {
        Tokenizer tokenizer = chat.tokenizer();
        return (policy, prompts) -> {
            List<Generation> generations = written(policy, prompts, chat.images(), settings, mostBytes);
            return IntStream.range(0, prompts.size())
                    .mapToObj(i -> {
                        PromptExample prompt = prompts.get(i);
                        GeneratedResponse response = GeneratedResponse.of(generations.get(i), tokenizer, prompt.form());
                        RewardBreakdown earned =
                                reward.score(prompt.valid(), response.text(), prompt.form(), response.parsed());
                        return new Prediction(prompt, response, earned);
                    })
                    .toList();
        };
    }

    private static List<Generation> written(
            CausalLm policy,
            List<PromptExample> prompts,
            PromptImageReader images,
            GenerationSettings settings,
            long mostBytes) {
        List<Generation> written = new ArrayList<>();
        ImageParts.forEach(
                prompts.stream()
                        .map(prompt -> new GenerationRequest(images.see(prompt.prompt()), settings.params(), 0, null)),
                request -> request.prompt().images().bytes(),
                mostBytes,
                settings.batchSize(),
                part -> written.addAll(new Generator(policy).generate(part, settings.batchSize(), () -> false)));
        return written;
    }

    record Prediction(PromptExample prompt, GeneratedResponse response, RewardBreakdown earned) {
        boolean acts() {
            return earned.outcome() == ConfusionOutcome.FP || earned.outcome() == ConfusionOutcome.TP;
        }

        private record Sample(String id, String text, double reward, Map<String, Double> terms) {}

        Record sample() {
            return new Sample(prompt.id(), response.text(), earned.total(), earned.terms());
        }
    }
}
