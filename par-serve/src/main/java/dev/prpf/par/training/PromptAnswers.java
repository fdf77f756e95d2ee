package dev.prpf.par.training;

import dev.prpf.par.engine.Decoder;
import dev.prpf.par.sets.PromptExample;
import java.util.List;

/** What a policy says to prompts when it takes the likeliest token each time. */
public interface PromptAnswers {
    /**
     * Answers each prompt once; the same weights and prompts give the same answers.
     *
     * @return one a prompt, in their order
     */
    List<AnsweredPrompt> answer(Decoder policy, List<PromptExample> prompts);
}
