package dev.prpf.par.sets;

import dev.prpf.base.config.Defaults;
import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.sets.SamplePrompts.CandidateSettings;
import dev.prpf.par.sets.SamplePrompts.CandidateSettings.OutOfPool;
import dev.prpf.par.sets.SamplePrompts.PerceivedSample;
import dev.prpf.par.sets.SftSet.DataSftConfig.SftSetSettings;
import dev.prpf.par.teacher.Teacher;
import dev.prpf.par.teacher.Teacher.RationaleRequest;
import dev.prpf.par.teacher.Teacher.RationaleResult;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An SFT set of labelled samples (PRPF A.3).
 *
 * @param records in the samples' order
 */
public record SftSet(List<SftRecord> records, Counts counts) {
    /**
     * Numbers of samples, records and omitted targets.
     *
     * @param acting records with a target that acts
     * @param silent the other records
     * @param droppedTargets targets omitted because of too many calls
     * @param outOfPool targets omitted because the perceived scenarios lack their functions
     * @param cutSamples samples with more screenshots than their prompts
     * @param teaching counts of the rationales; null for responses without rationales
     */
    public record Counts(
            int samples,
            int records,
            int acting,
            int silent,
            int droppedTargets,
            int outOfPool,
            int cutSamples,
            @Nullable RationaleCounts teaching)
            implements Serializable {
        /** Returns the sum for two parts of the samples. */
        public Counts plus(Counts other) {
            return new Counts(
                    samples + other.samples,
                    records + other.records,
                    acting + other.acting,
                    silent + other.silent,
                    droppedTargets + other.droppedTargets,
                    outOfPool + other.outOfPool,
                    cutSamples + other.cutSamples,
                    teaching == null || other.teaching == null ? teaching : teaching.plus(other.teaching));
        }

        /** @throws PrpfException 65 if no record is left */
        public void requireRecords(SftSetSettings settings) {
            if (records == 0) {
                throw new InvalidDataException("of " + samples + " samples no record is left: " + droppedTargets
                        + " targets have more calls than set.max-calls = " + settings.maxCalls() + ", " + outOfPool
                        + " call functions outside of their perceived scenarios (set.out-of-pool)"
                        + (teaching == null ? "" : teaching.inWords()));
            }
        }
    }

    /**
     * Makes a set of samples.
     *
     * @param samples labelled
     * @param teacher author of the rationales of targets that act; targets with a dropped rationale are omitted. Not owned
     * @throws PrpfException 65 for an unlabelled sample, unknown functions, or if no record is left; 78 for predicted scenes without a
     *     perceiver; else see the teacher
     */
    public static SftSet build(
            List<PerceivedSample> samples, SamplePrompts prompts, SftSetSettings settings, Teacher teacher) {
        SftSet set = part(samples, prompts, settings, teacher);
        set.counts.requireRecords(settings);
        return set;
    }

    /** Makes a set like {@link #build}, of a part of the samples; it may be empty. */
    public static SftSet part(
            List<PerceivedSample> samples, SamplePrompts prompts, SftSetSettings settings, Teacher teacher) {
        Drafts drafts = new Drafts(prompts, settings);
        samples.forEach(drafts::add);
        PromptSettings prompt = prompts.renderer().settings();
        List<RationaleResult> rationales = teacher.write(drafts.prompts.stream()
                .<@Nullable RationaleRequest>map(SamplePrompts.SamplePrompt::request)
                .filter(Objects::nonNull)
                .toList());
        RationaleCounts teaching = prompt.reasoning().reasons() ? RationaleCounts.of(teacher.id(), rationales) : null;
        Iterator<RationaleResult> next = rationales.iterator();
        String wording = SftRecord.wordingOf(prompt);
        List<SftRecord> records = new ArrayList<>();
        for (SamplePrompts.SamplePrompt draft : drafts.prompts) {
            if (draft.request() == null) {
                records.add(draft.record(draft.plain(), null, wording));
            } else if (next.next() instanceof RationaleResult.Written written) {
                records.add(draft.record(written.response(), teacher.id(), wording));
            }
        }
        return drafts.result(samples.size(), records, teaching);
    }

    /** Prompts without responses yet, and counts of the omissions. */
    private static final class Drafts {
        private final SamplePrompts writer;
        private final SftSetSettings settings;
        private final List<SamplePrompts.SamplePrompt> prompts = new ArrayList<>();
        private int droppedTargets;
        private int outOfPool;
        private int cutSamples;

        Drafts(SamplePrompts writer, SftSetSettings settings) {
            this.writer = writer;
            this.settings = settings;
        }

        void add(PerceivedSample sample) {
            cutSamples += writer.renderer().shown(sample.sample()).equals(sample.sample()) ? 0 : 1;
            for (@Nullable Recommendation target : targets(sample.sample())) {
                if (target != null
                        && settings.maxCalls() != null
                        && target.calls().size() > settings.maxCalls()) {
                    droppedTargets++;
                    continue;
                }
                SamplePrompts.SamplePrompt prompt = writer.of(sample, target);
                if (prompt == null) {
                    outOfPool++;
                } else {
                    prompts.add(prompt);
                }
            }
        }

        /** Returns the targets; null for silence. */
        private List<@Nullable Recommendation> targets(Sample sample) {
            List<@Nullable Recommendation> answers = new ArrayList<>();
            List<Recommendation> given = sample.answers() == null ? List.of() : sample.answers();
            given.forEach(answer -> answers.add(answer.isSilence() ? null : answer));
            if (answers.isEmpty()) {
                answers.add(null);
            }
            return switch (settings.target()) {
                case FIRST -> answers.subList(0, 1);
                case SHORTEST -> {
                    answers.sort(Comparator.comparingInt(
                            answer -> answer == null ? 0 : answer.calls().size()));
                    yield answers.subList(0, 1);
                }
                case ALL -> answers;
            };
        }

        SftSet result(int samples, List<SftRecord> records, @Nullable RationaleCounts teaching) {
            int acting = (int) records.stream().filter(SftRecord::intervention).count();
            return new SftSet(
                    records,
                    new Counts(
                            samples,
                            records.size(),
                            acting,
                            records.size() - acting,
                            droppedTargets,
                            outOfPool,
                            cutSamples,
                            teaching));
        }
    }

    /**
     * Counts of the outcomes of a teacher's requests.
     *
     * @param teacher its id
     * @param written accepted without a repair
     * @param repaired accepted after a repair
     * @param dropped omitted, by fault in lower case
     */
    public record RationaleCounts(String teacher, int written, int repaired, Map<String, Integer> dropped)
            implements Serializable {
        public RationaleCounts {
            dropped = Collections.unmodifiableMap(new LinkedHashMap<>(dropped));
        }

        static RationaleCounts of(String teacher, List<RationaleResult> results) {
            int repaired = 0;
            Map<String, Integer> dropped = new LinkedHashMap<>();
            for (RationaleResult.Fault fault : RationaleResult.Fault.values()) {
                dropped.put(name(fault), 0);
            }
            for (RationaleResult result : results) {
                if (result instanceof RationaleResult.Dropped none) {
                    dropped.merge(name(none.fault()), 1, Integer::sum);
                } else {
                    repaired += ((RationaleResult.Written) result).repaired() ? 1 : 0;
                }
            }
            int left = dropped.values().stream().mapToInt(Integer::intValue).sum();
            return new RationaleCounts(teacher, results.size() - left - repaired, repaired, dropped);
        }

        private RationaleCounts plus(RationaleCounts other) {
            Map<String, Integer> all = new LinkedHashMap<>(dropped);
            other.dropped.forEach((fault, n) -> all.merge(fault, n, Integer::sum));
            return new RationaleCounts(teacher, written + other.written, repaired + other.repaired, all);
        }

        private static String name(RationaleResult.Fault fault) {
            return fault.name().toLowerCase(Locale.ROOT);
        }

        /** Returns the end of a message on missing records; empty without dropped rationales. */
        String inWords() {
            int left = dropped.values().stream().mapToInt(Integer::intValue).sum();
            return left == 0 ? "" : ", and " + left + " rationales of " + teacher + " were dropped: " + dropped;
        }
    }

    /**
     * The configuration files {@code configs/data-sft-set*.yaml}.
     *
     * @param prompt format of prompts and responses
     * @param set content of the set
     * @param encoder of the perceiver ({@code --gate}) and of screen texts; only used if needed
     */
    @Defaults("/configs/data-sft-set.yaml")
    public record DataSftConfig(PromptSettings prompt, SftSetSettings set, EncoderSettings encoder) {
        /**
         * Settings of an SFT set; the {@code set:} section of {@code configs/data-sft-set*.yaml}.
         *
         * @param target choice of the valid answers to learn
         * @param maxCalls maximum number of calls of a target, others are omitted; null for no limit
         * @param shortlist number of scenarios of a candidate pool; null for the whole pool
         * @param outOfPool treatment of targets outside of the perceived scenarios
         * @param seed of the candidate pools
         */
        public record SftSetSettings(
                Target target, @Nullable Integer maxCalls, @Nullable Integer shortlist, OutOfPool outOfPool, long seed)
                implements CandidateSettings, Serializable {
            /** Choice among a sample's valid answers. */
            public enum Target {
                /** The first valid answer. */
                FIRST,
                /** The valid answer with the fewest calls; silence if it is valid. */
                SHORTEST,
                /** Each valid answer, in separate records. */
                ALL
            }

            public SftSetSettings {
                Rule.require(maxCalls == null || maxCalls > 0, "max-calls", maxCalls, "at least 1");
                Rule.require(
                        shortlist == null || shortlist > 0,
                        "shortlist",
                        shortlist,
                        "at least 1, or null for the whole pool");
            }
        }
    }
}
