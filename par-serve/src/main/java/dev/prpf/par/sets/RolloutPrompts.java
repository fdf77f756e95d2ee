package dev.prpf.par.sets;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perception;
import dev.prpf.par.prompt.ChatMl;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Prompts to roll out, written as SFT's are (PRPF A.4: "SFT-format prompts"): of labelled samples, or of the records of an SFT set.
 *
 * @param prompts at least one, with ids that differ
 * @param dropped how many were over-long and left out
 * @param outOfPool how many were left out because the perceived scenarios lack functions of their first valid answer
 * @param longest tokens of the longest prompt, the dropped among them
 */
public record RolloutPrompts(List<PromptExample> prompts, int dropped, int outOfPool, int longest) {
    public RolloutPrompts {
        prompts = List.copyOf(prompts);
    }

    /**
     * An SFT set.
     *
     * @param file where its records came from, for messages
     * @param pool of the functions that its targets call
     * @param gold the samples it was made of, by id; null to reward against the targets of the set alone
     * @param constrained whether the functions that the prompts show are needed too
     */
    public record Records(
            List<SftRecord> records,
            String file,
            FunctionPool pool,
            @Nullable Map<String, Sample> gold,
            boolean constrained) {
        public Records {
            records = List.copyOf(records);
        }
    }

    /**
     * One prompt a sample. Its candidate pool is the one that SFT shows with the first valid answer; all valid answers are rewarded.
     *
     * @param samples labelled
     * @param perceptions one a sample, or null where no perceiver ran
     * @throws PrpfException 65 for an unlabelled sample, an id that stands twice, an over-long prompt that must not be dropped, or when none is
     *     left; 78 if the prompt's settings ask for predicted scenes without perceptions
     */
    public static RolloutPrompts ofSamples(
            List<Sample> samples,
            @Nullable List<Perception> perceptions,
            SftSet.World world,
            Tokenizer tokenizer,
            RolloutPromptSettings settings) {
        SftPairs.check(samples, perceptions, world.renderer());
        GoldCandidates candidates = new GoldCandidates(
                world.pool(), world.catalog(), settings.topK(), settings.outOfPool(), settings.seed());
        Collected collected = new Collected(settings);
        for (int i = 0; i < samples.size(); i++) {
            Sample sample = samples.get(i);
            Perception perception = perceptions == null ? null : perceptions.get(i);
            CandidatePool seen = candidates.of(sample, target(sample), perception);
            if (seen == null) {
                collected.outOfPool++;
                continue;
            }
            collected.take(new PromptExample(
                    sample.id(),
                    tokenizer.encode(world.renderer().chat(sample, perception, seen)),
                    sample.validSequences(),
                    ResponseForm.of(world.renderer().settings().reasoning(), sample.modality()),
                    seen.functions()));
        }
        return collected.prompts(samples.size());
    }

    private static @Nullable Recommendation target(Sample sample) {
        return Objects.requireNonNull(sample.answers()).stream()
                .findFirst()
                .filter(answer -> !answer.isSilence())
                .orElse(null);
    }

    /**
     * One prompt a sample of an SFT set: its first record's. Without gold samples the valid answers are the targets of its records.
     *
     * @param prompt how the model's prompts are written
     * @throws PrpfException 65 for a sample that the gold lacks, a target that calls or a constrained prompt that shows what the pool lacks, an over-long prompt that must not be dropped, or when none is left; 78 if the
     *     set's prompts are not written so
     */
    public static RolloutPrompts ofRecords(
            Records set, PromptSettings prompt, Tokenizer tokenizer, RolloutPromptSettings settings) {
        String wording = SftRecord.wordingOf(prompt);
        Map<String, List<SftRecord>> byId = new LinkedHashMap<>();
        for (SftRecord record : set.records()) {
            record.requireWording(wording, prompt, set.file());
            byId.computeIfAbsent(record.id(), id -> new ArrayList<>()).add(record);
        }
        Collected collected = new Collected(settings);
        for (List<SftRecord> records : settings.drawn(List.copyOf(byId.values()))) {
            SftRecord first = records.get(0);
            collected.take(new PromptExample(
                    first.id(),
                    tokenizer.encode(ChatMl.prompt(first.system(), first.user())),
                    set.gold() == null
                            ? targets(set, records)
                            : valid(set, set.gold().get(first.id()), first.id()),
                    RecordTargets.form(first),
                    set.constrained() ? first.functions(set.pool(), set.file()) : List.of()));
        }
        return collected.prompts(byId.size());
    }

    private static List<List<FunctionCall>> targets(Records set, List<SftRecord> records) {
        List<List<FunctionCall>> targets = new ArrayList<>();
        for (SftRecord record : records) {
            List<FunctionCall> calls = RecordTargets.calls(record);
            calls.forEach(call -> requireKnown(set, record, call));
            targets.add(calls);
        }
        return targets;
    }

    private static void requireKnown(Records set, SftRecord record, FunctionCall call) {
        if (!set.pool().contains(call.name())) {
            throw new InvalidDataException(set.file() + ": record " + record.id() + ": its target calls " + call.name()
                    + ", which the pool does not have, so what must be filled is not known; give the set's"
                    + " pool with --pool");
        }
    }

    private static List<List<FunctionCall>> valid(Records set, @Nullable Sample sample, String id) {
        if (sample == null) {
            throw new InvalidDataException(set.file() + ": record " + id
                    + " is of no sample in the gold file; give the samples that the set was made of");
        }
        return sample.validSequences();
    }

    /** What is over-long is dropped and counted, or refused. */
    private static final class Collected {
        private final RolloutPromptSettings settings;
        private final Map<String, PromptExample> prompts = new LinkedHashMap<>();
        private int dropped;
        private int outOfPool;
        private int longest;

        Collected(RolloutPromptSettings settings) {
            this.settings = settings;
        }

        void take(PromptExample prompt) {
            int length = prompt.ids().length;
            longest = Math.max(longest, length);
            if (!settings.takes(prompt.id(), length)) {
                dropped++;
            } else if (prompts.put(prompt.id(), prompt) != null) {
                throw new InvalidDataException("sample " + prompt.id()
                        + " stands twice; a prompt has one group of rollouts; check the data with `prpf data"
                        + " validate`");
            }
        }

        RolloutPrompts prompts(int all) {
            if (prompts.isEmpty()) {
                throw new InvalidDataException("no prompt is left of " + all + " samples: " + dropped
                        + " were longer than prompts.max-length = " + settings.maxLength() + " (the longest: " + longest
                        + "), " + outOfPool
                        + " have answers outside of their perceived scenarios (prompts.out-of-pool)");
            }
            return new RolloutPrompts(List.copyOf(prompts.values()), dropped, outOfPool, longest);
        }
    }
}
