package dev.prpf.par.augment;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Sample;
import dev.prpf.data.TextTrajectory;
import dev.prpf.mpp.CandidatePool;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Rewrites labelled samples, a little differently in every epoch. */
public final class Augmentation {
    private final AugmentationSettings settings;
    private final long seed;
    private final ValueSubstitution substitution;

    /**
     * @param samples that are trained on: their values may stand in for each other
     * @param seed of what is exchanged and left out
     */
    public Augmentation(AugmentationSettings settings, Collection<Sample> samples, long seed) {
        this.settings = settings;
        this.seed = seed;
        this.substitution = new ValueSubstitution(
                samples.stream().map(TextSample::of).filter(Objects::nonNull).toList());
    }

    /**
     * The sample as an epoch shows it, with its target as the one answer; null where there is nothing to rewrite.
     *
     * @param epoch from 0
     */
    public @Nullable Sample rewrite(Sample sample, int epoch) {
        double dropout = settings.dropout(epoch);
        if (SilentShare.isSilent(sample)) {
            return emptied(sample, dropout, random(sample, epoch));
        }
        TextSample text = TextSample.of(sample);
        if (text == null || (settings.valueSubstitution() == 0 && dropout == 0)) {
            return null;
        }
        RandomGenerator random = random(sample, epoch);
        if (random.nextDouble() < settings.valueSubstitution()) {
            text = substitution.apply(text, random);
        }
        return DistractorDropout.apply(text, dropout, random).in(sample);
    }

    /** The sample with one step and nothing else: what makes it silent is a relation of its parts, so that none may go alone. */
    private static @Nullable Sample emptied(Sample sample, double dropout, RandomGenerator random) {
        if (!(sample.trajectory() instanceof TextTrajectory steps)
                || steps.length() == 0
                || random.nextDouble() >= dropout) {
            return null;
        }
        return sample.with(
                new DeviceContext("", "", ""),
                new TextTrajectory(List.of(steps.steps().get(random.nextInt(steps.length())))),
                sample.answers());
    }

    /** The candidates that stand in a rewritten sample's prompt: functions that its target does not call are distractors, too. */
    public CandidatePool thin(CandidatePool candidates, Sample rewritten, int epoch) {
        double dropout = settings.dropout(epoch);
        Set<String> called = rewritten.validSequences().get(0).stream()
                .map(FunctionCall::name)
                .collect(Collectors.toSet());
        RandomGenerator random = random(rewritten, ~epoch);
        return new CandidatePool(
                candidates.scenarios(),
                candidates.functions().stream()
                        .filter(function -> random.nextDouble() >= dropout || called.contains(function.name()))
                        .toList());
    }

    private RandomGenerator random(Sample sample, int stream) {
        return new SplittableRandom(
                (seed * 1_000_003L + stream) * 1_000_003L + sample.id().hashCode());
    }
}
