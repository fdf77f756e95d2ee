package dev.prpf.par.reward;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.io.SampleReader;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ReasoningMode;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseParser;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rewards responses to samples that are known by id: what {@code par reward} and the reward service share. Immutable: any number of threads
 * may share one.
 */
public final class ResponseScorer {
    /** Goes up when the same response, settings and pool get another reward than before. */
    public static final int VERSION = 1;

    private final StructuredReward reward;
    private final Map<String, Target> targets = new LinkedHashMap<>();
    private final String configuration;

    private record Target(List<List<FunctionCall>> valid, ResponseForm form) {}

    /**
     * A response's reward.
     *
     * @param id of the sample that it answers
     * @param fault what of the response breaks the grammar, or null
     */
    public record Scored(String id, RewardBreakdown reward, ParResponse.@Nullable Malformed fault) {}

    /**
     * Over samples that were checked.
     *
     * @param gold what {@link RewardGold#of} gives, by id
     * @param reasoning the form that responses must have; null for any form of the grammar
     */
    public ResponseScorer(StructuredReward reward, Map<String, Sample> gold, @Nullable ReasoningMode reasoning) {
        this.reward = reward;
        configuration = configuration(reward, reasoning);
        gold.forEach((id, sample) -> targets.put(id, new Target(sample.validSequences(), form(sample, reasoning))));
    }

    /**
     * Over the samples of a file.
     *
     * @param pool of their answers
     * @param poolSource where it came from, for messages
     * @throws PrpfException 65 for what {@link RewardGold#of} refuses
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

    /**
     * What decides on a reward beside sample and response: the SHA-256 of the reward's version, its constants, the pool and the form asked
     * for.
     */
    public static String configuration(StructuredReward reward, @Nullable ReasoningMode reasoning) {
        String all = VERSION + "\n" + reward.settings() + "\n" + reward.pool().functions() + "\n" + reasoning;
        return AtomicFiles.sha256(all.getBytes(StandardCharsets.UTF_8));
    }

    /** {@link #configuration(StructuredReward, ReasoningMode)} of this one. */
    public String configuration() {
        return configuration;
    }

    /** The samples that responses may answer. */
    public Set<String> ids() {
        return targets.keySet();
    }

    /**
     * The reward of a response, any text at all.
     *
     * @throws IllegalArgumentException for an id that no sample has
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
     * The same of calls that came without a text, with full schema credit.
     *
     * @param calls one list a recommendation, of which the first counts; none is silence
     * @throws IllegalArgumentException for an id that no sample has
     */
    public Scored score(String id, List<List<FunctionCall>> calls) {
        return new Scored(id, reward.score(target(id).valid(), calls.isEmpty() ? List.of() : calls.get(0)), null);
    }

    /** The reward of a line. @throws IllegalArgumentException for an id that no sample has */
    public Scored score(ResponseLine line) {
        return line.response() != null
                ? score(line.id(), line.response())
                : score(line.id(), line.calls() == null ? List.of() : line.calls());
    }

    private Target target(String id) {
        Target target = targets.get(id);
        if (target == null) {
            throw new IllegalArgumentException("id \"" + id + "\" is no sample's");
        }
        return target;
    }
}
