package dev.prpf.par.sets;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.teacher.RationaleRequest;
import dev.prpf.par.teacher.RationaleResult;
import dev.prpf.par.teacher.Teacher;
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
 * An SFT set made of labelled samples (PRPF A.3).
 *
 * @param records in the samples' order
 */
public record SftSet(List<SftRecord> records, Counts counts) {
    public SftSet {
        records = List.copyOf(records);
    }

    /**
     * Samples, records, and targets that were left out.
     *
     * @param samples read
     * @param records made of them
     * @param acting records whose target acts
     * @param silent the other records
     * @param droppedTargets targets left out for their number of calls
     * @param outOfPool targets left out because the perceived scenarios lack their functions
     * @param cutSamples samples whose prompts do not show all their screenshots
     * @param teaching the rationales; null where responses have none
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
        /** Those of two parts of the samples together. */
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

        /** @throws PrpfException 65 when no record is left */
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
     * Makes a set.
     *
     * @param samples labelled
     * @param teacher writes the rationales of targets that act; a target whose rationale it drops is left out. Stays the caller's
     * @throws PrpfException 65 for an unlabelled sample, an answer that calls what pool or scenarios lack, or when no record is left; 78 if
     *     prompts show predicted scenes but no perceiver ran; and what the teacher throws
     */
    public static SftSet build(
            List<PerceivedSample> samples, SamplePrompts prompts, SftSetSettings settings, Teacher teacher) {
        SftSet set = part(samples, prompts, settings, teacher);
        set.counts.requireRecords(settings);
        return set;
    }

    /** As {@link #build}, of a part of the samples, of which there may be no record. */
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

    /** Prompts whose responses are not written yet, and counts of what is left out. */
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

        /** Null is silence. */
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
     * The outcomes of a teacher's requests, counted.
     *
     * @param teacher its id
     * @param written taken as they were
     * @param repaired taken after a repair
     * @param dropped left out, by fault in lower case
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

        /** For a message on what is missing; empty where nothing was dropped. */
        String inWords() {
            int left = dropped.values().stream().mapToInt(Integer::intValue).sum();
            return left == 0 ? "" : ", and " + left + " rationales of " + teacher + " were dropped: " + dropped;
        }
    }
}
