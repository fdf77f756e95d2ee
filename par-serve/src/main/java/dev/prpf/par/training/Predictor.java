package dev.prpf.par.training;

import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.GenerationSettings;
import dev.prpf.par.generate.Generator;
import dev.prpf.par.response.GeneratedResponse;
import dev.prpf.par.reward.ConfusionOutcome;
import dev.prpf.par.reward.RewardBreakdown;
import dev.prpf.par.reward.StructuredReward;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.tokenizer.Tokenizer;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Gives a policy's response to each prompt, the likeliest token each time. */
public interface Predictor {
    /**
     * Answers each prompt once; the same weights and prompts give the same responses.
     *
     * @return one a prompt, in their order
     */
    List<Prediction> predict(CausalLm policy, List<PromptExample> prompts);

    /** Rewards what a language model in this process writes; the tokenizer stays the caller's. */
    static Predictor greedy(Tokenizer tokenizer, StructuredReward reward, GenerationSettings settings) {
        return (policy, prompts) -> {
            List<Generation> generations = new Generator(policy)
                    .generate(prompts.stream().map(PromptExample::ids).toList(), settings);
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

    /**
     * A response to a prompt.
     *
     * @param earned its reward
     */
    record Prediction(PromptExample prompt, GeneratedResponse response, RewardBreakdown earned) {
        /** Whether it parsed and acts. */
        boolean acts() {
            return earned.outcome() == ConfusionOutcome.FP || earned.outcome() == ConfusionOutcome.TP;
        }

        /** A line of samples. */
        private record Sample(String id, String text, double reward, Map<String, Double> terms) {}

        Record sample() {
            return new Sample(prompt.id(), response.text(), earned.total(), earned.terms());
        }
    }
}
