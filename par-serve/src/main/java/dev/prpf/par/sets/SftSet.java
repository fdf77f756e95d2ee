package dev.prpf.par.sets;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.mpp.Perception;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.teacher.OfflineTeacher;
import dev.prpf.par.teacher.Teacher;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Makes an SFT set of labelled samples (PRPF A.3).
 *
 * @param records in the samples' order
 * @param samples read
 * @param acting records whose target acts
 * @param droppedTargets targets left out for their number of calls
 * @param outOfPool targets left out because the perceived scenarios lack their functions
 * @param cutSamples samples that lost screenshots
 * @param teaching what came of the requests; null where responses have no reasoning
 */
public record SftSet(
        List<SftRecord> records,
        int samples,
        int acting,
        int droppedTargets,
        int outOfPool,
        int cutSamples,
        @Nullable RationaleCounts teaching) {
    public SftSet {
        records = List.copyOf(records);
    }

    /** What samples are seen through. */
    public record World(FunctionPool pool, ScenarioCatalog catalog, PromptRenderer renderer) {}

    /**
     * Makes it; the offline teacher writes the reasoning.
     *
     * @param perceptions one a sample, or null where no perceiver ran
     * @throws PrpfException as {@link #build(List, List, World, SftSetSettings, Teacher)}
     */
    public static SftSet build(
            List<Sample> samples, @Nullable List<Perception> perceptions, World world, SftSetSettings settings) {
        return build(
                samples,
                perceptions,
                world,
                settings,
                new OfflineTeacher(world.renderer().screens()));
    }

    /**
     * Makes it.
     *
     * @param perceptions one a sample, or null where no perceiver ran
     * @param teacher writes the reasoning of targets that act; what it drops is left out. Stays the caller's
     * @throws PrpfException 65 for an unlabelled sample, an answer that calls what pool or scenarios lack, or when no record is left; 78 for
     *     predicted scenes without perceptions; and what the teacher throws
     */
    public static SftSet build(
            List<Sample> samples,
            @Nullable List<Perception> perceptions,
            World world,
            SftSetSettings settings,
            Teacher teacher) {
        SftPairs.check(samples, perceptions, world.renderer());
        SftPairs pairs = new SftPairs(
                new GoldCandidates(
                        world.pool(), world.catalog(), settings.topK(), settings.outOfPool(), settings.seed()),
                world.renderer());
        List<SftPairs.Draft> drafts = new ArrayList<>();
        int dropped = 0;
        int outOfPool = 0;
        int cut = 0;
        for (int i = 0; i < samples.size(); i++) {
            Sample sample = world.renderer().shown(samples.get(i));
            cut += sample.equals(samples.get(i)) ? 0 : 1;
            for (@Nullable Recommendation target : targets(samples.get(i), settings.target())) {
                if (target != null
                        && settings.maxCalls() != null
                        && target.calls().size() > settings.maxCalls()) {
                    dropped++;
                    continue;
                }
                SftPairs.Draft draft = pairs.draft(
                        sample, target, perceptions == null ? null : perceptions.get(i), UnaryOperator.identity());
                if (draft == null) {
                    outOfPool++;
                } else {
                    drafts.add(draft);
                }
            }
        }
        TaughtRecords results = new TaughtRecords(world.renderer(), teacher);
        List<SftRecord> records = results.of(drafts);
        if (records.isEmpty()) {
            throw new InvalidDataException("of " + samples.size() + " samples no record is left: " + dropped
                    + " targets have more calls than set.max-calls = " + settings.maxCalls() + ", " + outOfPool
                    + " call functions outside of their perceived scenarios (set.out-of-pool)" + results.droppedToo());
        }
        int acting = (int) records.stream().filter(SftRecord::intervention).count();
        return new SftSet(records, samples.size(), acting, dropped, outOfPool, cut, results.counts());
    }

    /** Null is silence. */
    private static List<@Nullable Recommendation> targets(Sample sample, SftSetSettings.Target target) {
        List<@Nullable Recommendation> answers = new ArrayList<>();
        List<Recommendation> given = sample.answers() == null ? List.of() : sample.answers();
        given.forEach(answer -> answers.add(answer.isSilence() ? null : answer));
        if (answers.isEmpty()) {
            answers.add(null);
        }
        return switch (target) {
            case FIRST -> answers.subList(0, 1);
            case SHORTEST -> {
                answers.sort(Comparator.comparingInt(
                        answer -> answer == null ? 0 : answer.calls().size()));
                yield answers.subList(0, 1);
            }
            case ALL -> answers;
        };
    }
}
