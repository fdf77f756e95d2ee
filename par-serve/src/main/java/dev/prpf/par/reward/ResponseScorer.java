package dev.prpf.par.reward;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.io.SampleReader;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.reward.RewardBreakdown.ConfusionOutcome;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rewards responses to samples by id, for {@code reasoner reward} and the reward service. Immutable and thread-safe. */
public final class ResponseScorer {
    /** Version of the reward; increases when equal responses, settings and pools get another reward. */
    public static final int VERSION = 1;

    private final StructuredReward reward;
    private final Map<String, Target> targets = new LinkedHashMap<>();
    private final String configuration;

    private record Target(List<List<FunctionCall>> valid, ResponseForm form) {}

    /**
     * The reward of a response.
     *
     * @param id of the sample that it answers
     * @param fault the first violation of the grammar, or null
     */
    public record Scored(String id, RewardBreakdown reward, ParResponse.@Nullable Malformed fault) {}

    /**
     * Makes a scorer for checked samples.
     *
     * @param gold samples by id, from {@link RewardGold#of}
     * @param reasoning the form that responses must have; null for any form of the grammar
     */
    public ResponseScorer(StructuredReward reward, Map<String, Sample> gold, @Nullable ReasoningMode reasoning) {
        this.reward = reward;
        configuration = configuration(reward, reasoning);
        gold.forEach((id, sample) -> targets.put(id, new Target(sample.validSequences(), form(sample, reasoning))));
    }

    /**
     * Makes a scorer for the samples of a file.
     *
     * @param pool functions of the answers
     * @param poolSource source of the pool, for messages
     * @throws PrpfException 65 under the conditions of {@link RewardGold#of}
     */
    public static ResponseScorer open(
            Path gold,
            FunctionPool pool,
            String poolSource,
            RewardSettings settings,
            @Nullable ReasoningMode reasoning) {
        Map<String, Sample> samples = RewardGold.of(SampleReader.readAll(gold), gold.toString(), pool, poolSource);
        return new ResponseScorer(new StructuredReward(settings, pool), samples, reasoning);
    }

    private static ResponseForm form(Sample sample, @Nullable ReasoningMode reasoning) {
        return reasoning == null ? ResponseForm.ANY : ResponseForm.of(reasoning, sample.modality());
    }

    /** Returns the SHA-256 of what influences a reward in addition to sample and response: version, constants, pool and required form. */
    public static String configuration(StructuredReward reward, @Nullable ReasoningMode reasoning) {
        String all = VERSION + "\n" + reward.settings() + "\n" + reward.pool().functions() + "\n" + reasoning;
        return AtomicFiles.sha256(all.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns {@link #configuration(StructuredReward, ReasoningMode)} of this scorer. */
    public String configuration() {
        return configuration;
    }

    public Set<String> ids() {
        return targets.keySet();
    }

    /**
     * Rewards a response, which may be any text.
     *
     * @throws IllegalArgumentException for an unknown id
     */
    public Scored score(String id, String response) {
        Target target = target(id);
        ParResponse read = ResponseParser.parse(response, target.form());
        return new Scored(
                id,
                reward.score(target.valid(), response, target.form(), read),
                read instanceof ParResponse.Malformed malformed ? malformed : null);
    }

    /**
     * Rewards calls without a text, with full schema credit.
     *
     * @param calls one list per recommendation, of which the first counts; empty for silence
     * @throws IllegalArgumentException for an unknown id
     */
    public Scored score(String id, List<List<FunctionCall>> calls) {
        return new Scored(id, reward.score(target(id).valid(), calls.isEmpty() ? List.of() : calls.get(0)), null);
    }

    /** Rewards a line; throws {@link IllegalArgumentException} for an unknown id. */
    public Scored score(ResponseLine line) {
        return line.response() != null
                ? score(line.id(), line.response())
                : score(line.id(), line.calls() == null ? List.of() : line.calls());
    }

    private Target target(String id) {
        Target target = targets.get(id);
        if (target == null) {
            throw new IllegalArgumentException("id \"" + id + "\" is not a sample's");
        }
        return target;
    }

    /**
     * A response's reward in the output of {@code reasoner reward --json} and the reward service.
     *
     * @param id of the answered sample
     * @param total the reward; finite
     * @param terms weighted, by name; their sum is the total
     * @param outcome of the intervention, {@code quadrant} in JSON; null if the response is malformed
     */
    public record RewardLine(
            String id,
            double total,
            Map<String, Double> terms,
            @JsonProperty("quadrant") @Nullable ConfusionOutcome outcome) {
        public static RewardLine of(ResponseScorer.Scored scored) {
            RewardBreakdown reward = scored.reward();
            return new RewardLine(scored.id(), reward.total(), reward.terms(), reward.outcome());
        }
    }
}
