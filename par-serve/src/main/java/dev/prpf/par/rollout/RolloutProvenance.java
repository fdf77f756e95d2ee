package dev.prpf.par.rollout;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.FunctionPool;
import dev.prpf.par.reward.RewardSettings;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where rollouts come from; of one file all alike.
 *
 * @param policy SHA-256 of the weights that wrote them
 * @param promptHash of template, wording and tokenizer (see {@link dev.prpf.par.prompt.PromptProvenance})
 * @param reward SHA-256 of the reward's settings
 * @param pool SHA-256 of the function pool that prompts and rewards were made with
 * @param sampling how tokens were drawn
 */
public record RolloutProvenance(String policy, String promptHash, String reward, String pool, Settings sampling) {
    /**
     * Sampling settings.
     *
     * @param temperature divides the logits, &gt; 0
     * @param topK only the k likeliest tokens; 0 for all
     * @param topP only the likeliest up to this mass, in (0, 1]
     * @param maxNewTokens tokens a response may have
     * @param constrained whether only responses of the grammar could be written
     * @param seed of the draws
     */
    public record Settings(
            double temperature,
            int topK,
            double topP,
            @JsonProperty("max_new") int maxNewTokens,
            boolean constrained,
            long seed) {
        public Settings {
            RolloutSampling.requireDraws(temperature, topK, topP, maxNewTokens, '_');
        }
    }

    public RolloutProvenance {
        Map.of("policy", policy, "prompt_hash", promptHash, "reward", reward, "pool", pool)
                .forEach((key, value) -> {
                    if (value.isBlank()) {
                        throw new IllegalArgumentException(key + " is blank");
                    }
                });
    }

    /** Of rewards with these settings over that pool. */
    public static RolloutProvenance of(
            String policy, String promptHash, RewardSettings reward, FunctionPool pool, Settings sampling) {
        return new RolloutProvenance(
                policy,
                promptHash,
                sha256(reward.toString()),
                sha256(pool.functions().toString()),
                sampling);
    }

    /** The same, sampled in another way. */
    public RolloutProvenance with(Settings other) {
        return new RolloutProvenance(policy, promptHash, reward, pool, other);
    }

    private static String sha256(String text) {
        return AtomicFiles.sha256(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * This, unless that of the groups before differs.
     *
     * @param what of these must be alike, for the message: "rollouts of one file have"
     * @throws PrpfException 65, naming the place and both, if they differ
     */
    RolloutProvenance requireSame(@Nullable RolloutProvenance before, String place, String what) {
        if (before != null && !before.equals(this)) {
            throw new InvalidDataException(place + ": its rollouts come from " + this + ", the others from " + before
                    + "; " + what + " one policy, prompt, reward and way of sampling");
        }
        return this;
    }

    /**
     * Refuses to mix.
     *
     * @param promptHash of the model that is to be trained on them
     * @param model where it stands
     * @param file of these rollouts
     * @throws PrpfException 78, naming both hashes, if they differ
     */
    public void requirePrompt(String promptHash, String model, String file) {
        if (!this.promptHash.equals(promptHash)) {
            throw new InvalidConfigurationException(
                    file + ": prompt hash = " + this.promptHash + ", that of " + model + " is " + promptHash
                            + "; template, wording and tokenizer must be the same: roll out again with this model");
        }
    }

    /**
     * Refuses rewards over another pool.
     *
     * @param pool that responses will be rewarded over
     * @param file of these rollouts
     * @throws PrpfException 78, naming both hashes, if they differ
     */
    public void requirePool(FunctionPool pool, String file) {
        String expected = sha256(pool.functions().toString());
        if (!this.pool.equals(expected)) {
            throw new InvalidConfigurationException(file + ": its rollouts were made with a function pool of hash "
                    + this.pool + ", the one given now has " + expected + "; give the same --pool, or roll out again");
        }
    }
}
