package dev.prpf.par.rollout;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.FunctionPool;
import dev.prpf.par.reward.RewardSettings;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The provenance of rollouts, equal for all in a file.
 *
 * @param policy SHA-256 of the generating weights
 * @param promptHash of template, wording and tokenizer (see {@link dev.prpf.par.prompt.PromptProvenance})
 * @param reward SHA-256 of the reward's settings
 * @param pool SHA-256 of the function pool of prompts and rewards
 */
public record RolloutProvenance(String policy, String promptHash, String reward, String pool, Settings sampling) {
    /**
     * The settings of sampling.
     *
     * @param temperature divides the logits, &gt; 0
     * @param topK keeps the k likeliest tokens; 0 for all
     * @param topP keeps the likeliest tokens up to this mass, in (0, 1]
     * @param maxNewTokens maximum number of tokens of a response
     * @param constrained whether responses were constrained to the grammar
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

    /** Makes the provenance from reward settings and a pool. */
    public static RolloutProvenance of(
            String policy, String promptHash, RewardSettings reward, FunctionPool pool, Settings sampling) {
        return new RolloutProvenance(
                policy,
                promptHash,
                sha256(reward.toString()),
                sha256(pool.functions().toString()),
                sampling);
    }

    /** Returns this provenance with other sampling settings. */
    public RolloutProvenance with(Settings other) {
        return new RolloutProvenance(policy, promptHash, reward, pool, other);
    }

    private static String sha256(String text) {
        return AtomicFiles.sha256(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Returns this provenance after comparing it with the earlier groups'.
     *
     * @param what must be equal, for the message: "rollouts of one file have"
     * @throws PrpfException 65, naming the place and both, if they differ
     */
    RolloutProvenance requireSame(@Nullable RolloutProvenance before, String place, String what) {
        if (before != null && !before.equals(this)) {
            throw new InvalidDataException(place + ": its rollouts come from " + this + ", the others from " + before
                    + "; " + what + " one policy, prompt, reward and sampling setting");
        }
        return this;
    }

    /**
     * Rejects rollouts with another prompt hash.
     *
     * @param promptHash of the model to train
     * @param model path of the model, for the message
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
     * Rejects rewards over another pool.
     *
     * @param pool of the rewards from now on
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
