package dev.prpf.par.training;

import dev.prpf.par.engine.Decoder;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.GenerationSettings;
import dev.prpf.par.generate.Generator;
import dev.prpf.par.reward.StructuredReward;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.List;

/**
 * Greedy answers of a language model in this process, rewarded by rules.
 *
 * @param tokenizer of the policy; stays the caller's
 * @param settings greedy
 */
public record GreedyAnswers(Tokenizer tokenizer, StructuredReward reward, GenerationSettings settings)
        implements PromptAnswers {
    @Override
    public List<AnsweredPrompt> answer(Decoder policy, List<PromptExample> prompts) {
        List<long[]> ids = prompts.stream().map(PromptExample::ids).toList();
        List<Generation> generations = new Generator(policy).generate(ids, settings);
        List<AnsweredPrompt> answers = new ArrayList<>();
        for (int i = 0; i < prompts.size(); i++) {
            PromptExample prompt = prompts.get(i);
            String text = tokenizer.decode(generations.get(i).withoutEndToken());
            answers.add(new AnsweredPrompt(
                    prompt,
                    text,
                    reward.score(prompt.valid(), text, prompt.form()),
                    generations.get(i).ids().length));
        }
        return answers;
    }
}
