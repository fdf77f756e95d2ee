package dev.prpf.par.rollout;

import dev.prpf.base.config.Defaults;
import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.openai.CompletionRequest;
import dev.prpf.par.openai.ServerSettings;
import dev.prpf.par.sets.PromptExample;
import java.util.List;

/**
 * Generates rollouts on servers: converts prompts to requests, and the servers' responses to generations.
 *
 * @param endTokens of the policy
 */
public record RemoteRollouts(List<Integer> endTokens, RolloutProvenance.Settings sampling) {
    /**
     * The configuration of a policy's servers, {@code configs/data-rollout-set-remote.yaml}.
     *
     * @param server connection settings; may change when a run is resumed
     * @param model the policy's name in the servers' /v1/models
     */
    @Defaults(
            value = "/configs/data-rollout-set-remote.yaml",
            except = {"server.urls", "model"})
    public record Config(ServerSettings server, String model) {
        public Config {
            Rule.require(!model.isBlank(), "model", "\"" + model + "\"", "the model's name in the servers' /v1/models");
        }
    }

    /**
     * Rejects sampling without log-probabilities from servers: a trainer needs those of the logits divided by the temperature.
     *
     * @throws PrpfException 78
     */
    public static void requireTold(RolloutProvenance.Settings sampling) {
        if (sampling.temperature() != 1) {
            throw new InvalidConfigurationException("sampling.temperature = " + sampling.temperature()
                    + ": servers report log-probabilities only at temperature 1; set it to 1.0, or roll out in"
                    + " this process");
        }
        if (sampling.constrained()) {
            throw new InvalidConfigurationException(
                    "sampling.constrained = true: a server's log-probabilities are those"
                            + " without the constraint; set it to false, or roll out in this process");
        }
    }

    /**
     * Rejects a prompt with images, which a request of tokens cannot carry.
     *
     * @throws PrpfException 78
     */
    static void requireText(PromptExample prompt) {
        if (!prompt.prompt().images().isEmpty()) {
            throw new InvalidConfigurationException("sample " + prompt.id() + ": its prompt shows "
                    + prompt.prompt().images().size()
                    + " images, which cannot be sent with a prompt's tokens; roll"
                    + " out in this process, or set prompt.screenshots to ocr");
        }
    }

    /** Makes a request with a seed below 2^62, so that the following seeds are in a server's range. */
    CompletionRequest request(PromptExample prompt, int count, long seed) {
        return new CompletionRequest(
                prompt.id(),
                prompt.ids(),
                count,
                seed >>> 2,
                new CompletionRequest.Sampling(
                        sampling.temperature(), sampling.topK(), sampling.topP(), sampling.maxNewTokens()));
    }

    /** @throws PrpfException 78 for a response that does not end in an end token of the policy: the server runs another model */
    List<Generation> read(PromptExample prompt, List<CompletionRequest.Continuation> continuations) {
        return continuations.stream()
                .map(continuation -> generation(prompt, continuation))
                .toList();
    }

    private Generation generation(PromptExample prompt, CompletionRequest.Continuation said) {
        boolean ended = said.finish().equals("stop");
        long last = said.ids()[said.ids().length - 1];
        if (ended && !endTokens.contains(Math.toIntExact(last))) {
            throw new InvalidConfigurationException(
                    "sample " + prompt.id() + ": the server ended a response with token " + last
                            + ", the model's end tokens are " + endTokens + "; start it on the folder of --reasoner");
        }
        float[] logprobs = said.logprobs();
        return new Generation(
                said.ids(), logprobs, logprobs, logprobs, ended ? FinishReason.END_TOKEN : FinishReason.LENGTH);
    }
}
