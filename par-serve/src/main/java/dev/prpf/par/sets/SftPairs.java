package dev.prpf.par.sets;

import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perception;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ReasoningMode;
import dev.prpf.par.response.ResponseWriter;
import dev.prpf.par.teacher.OfflineTeacher;
import dev.prpf.par.teacher.RationaleRequest;
import dev.prpf.par.tokenizer.Piece;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Supervised pairs of samples as text; with {@link ReasoningMode#FULL} the responses that act have reasoning. */
final class SftPairs {
    private final GoldCandidates candidates;
    private final PromptRenderer renderer;
    private final OfflineTeacher teacher;

    /**
     * One pair.
     *
     * @param user the user turn
     * @param response without the end of the turn
     */
    record Pair(List<Piece> user, List<Piece> response) {}

    SftPairs(GoldCandidates candidates, PromptRenderer renderer) {
        this.candidates = candidates;
        this.renderer = renderer;
        teacher = new OfflineTeacher(renderer.screens());
    }

    /**
     * The pair of a sample, its reasoning the offline teacher's; null as {@link #draft}.
     *
     * @param target what is learned; null is silence
     * @param perception null where no perceiver ran
     * @param pool a last change of the candidates
     */
    @Nullable
    Pair of(
            Sample sample,
            @Nullable Recommendation target,
            @Nullable Perception perception,
            UnaryOperator<CandidatePool> pool) {
        Draft draft = draft(sample, target, perception, pool);
        if (draft == null) {
            return null;
        }
        RationaleRequest request = draft.request();
        return draft.pair(request == null ? draft.plain() : teacher.write(request));
    }

    /** A pair whose reasoning is not written yet. */
    final class Draft {
        private final Sample sample;
        private final @Nullable Recommendation target;
        private final CandidatePool seen;
        private final List<Piece> user;

        private Draft(Sample sample, @Nullable Recommendation target, CandidatePool seen, List<Piece> user) {
            this.sample = sample;
            this.target = target;
            this.seen = seen;
            this.user = user;
        }

        Sample sample() {
            return sample;
        }

        @Nullable
        Recommendation target() {
            return target;
        }

        /** Names of the functions that the prompt shows. */
        List<String> functions() {
            return seen.functions().stream().map(FunctionSpec::name).toList();
        }

        /** What a teacher has to write, or null where the response has no reasoning. */
        @Nullable
        RationaleRequest request() {
            return target == null || renderer.settings().reasoning() == ReasoningMode.NONE
                    ? null
                    : new RationaleRequest(sample, target, seen);
        }

        /** The response without reasoning. */
        ParResponse.Parsed plain() {
            return new ParResponse.Parsed(null, null, null, target == null ? List.of() : List.of(target));
        }

        Pair pair(ParResponse.Parsed response) {
            return new Pair(user, ResponseWriter.pieces(response));
        }
    }

    /** The same before its reasoning; null where the target is out of the pool and such records are left out. */
    @Nullable
    Draft draft(
            Sample sample,
            @Nullable Recommendation target,
            @Nullable Perception perception,
            UnaryOperator<CandidatePool> pool) {
        CandidatePool found = candidates.of(sample, target, perception);
        if (found == null) {
            return null;
        }
        CandidatePool seen = pool.apply(found);
        return new Draft(sample, target, seen, renderer.user(sample, perception, seen));
    }

    /** Refuses what cannot be learned from, and scenes that nobody perceived. */
    static void check(List<Sample> samples, @Nullable List<Perception> perceptions, PromptRenderer renderer) {
        for (Sample sample : samples) {
            if (!sample.labelled()) {
                throw new InvalidDataException("sample " + sample.id()
                        + " is unlabelled, so there is nothing to learn from it; training takes samples with answers");
            }
        }
        if (renderer.settings().scenes() && perceptions == null) {
            throw new InvalidConfigurationException("prompt.scenes = true, but no perceiver ran over the samples;"
                    + " name one with --mpp or set prompt.scenes to false");
        }
        if (perceptions != null && perceptions.size() != samples.size()) {
            throw new IllegalArgumentException(
                    samples.size() + " samples but " + perceptions.size() + " perceptions; there must be one a sample");
        }
    }
}
