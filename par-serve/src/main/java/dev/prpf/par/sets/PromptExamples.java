package dev.prpf.par.sets;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.sets.SamplePrompts.CandidateSettings;
import dev.prpf.par.sets.SamplePrompts.CandidateSettings.OutOfPool;
import dev.prpf.par.sets.SamplePrompts.PerceivedSample;
import dev.prpf.par.sets.SftExamples.SftExampleSettings;
import dev.prpf.par.sets.SftExamples.SftExampleSettings.OverLong;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Prompts as tokens in SFT's format (PRPF A.4: "SFT-format prompts"), from labelled samples or from an SFT set.
 *
 * @param prompts at least one
 * @param dropped number of omitted over-long prompts
 * @param outOfPool number of prompts omitted because the perceived scenarios lack functions of their target
 * @param longest tokens of the longest prompt, including dropped ones
 */
public record PromptExamples(List<PromptExample> prompts, int dropped, int outOfPool, int longest) {
    /**
     * The gold answers to an SFT set's prompts.
     *
     * @param pool functions of the targets
     * @param gold the set's samples by id; null to use only the targets of the set
     * @param constrained whether the functions in the prompts are needed too
     */
    public record Answers(FunctionPool pool, @Nullable Map<String, Sample> gold, boolean constrained) {}

    /**
     * Makes one prompt for each sample. The candidates are those of SFT for the target; all valid answers are rewarded.
     *
     * @param samples labelled
     * @throws PrpfException 65 for an unlabelled sample, a duplicate id or an over-long prompt that must not be dropped. 65 if no prompt is
     *     left; 78 for predicted scenes without a perceiver
     */
    public static PromptExamples ofSamples(
            List<PerceivedSample> samples,
            SamplePrompts writer,
            ChatTokenizer tokenizer,
            RolloutPromptSettings settings) {
        PromptCollector collector = settings.collector();
        Set<String> ids = new HashSet<>();
        for (PerceivedSample sample : samples) {
            SamplePrompts.SamplePrompt prompt = writer.of(sample);
            if (prompt == null) {
                collector.leaveOut();
            } else if (!ids.add(sample.sample().id())) {
                throw new InvalidDataException("sample " + sample.sample().id()
                        + " is a duplicate; ids must be unique; check the data with `prpf data validate`");
            } else {
                PromptExample example = prompt.example(tokenizer);
                collector.take(example, example.ids().length);
            }
        }
        return collector.collected(samples.size());
    }

    /**
     * Makes one prompt for each sample of an SFT set, from its first record.
     *
     * @throws PrpfException 65 for a sample without gold answers, an unknown function, or an over-long prompt that must not be dropped; 65 if
     *     no prompt is left
     */
    public static PromptExamples ofRecords(
            SftRecords set, Answers answers, ChatTokenizer tokenizer, RolloutPromptSettings settings) {
        PromptCollector collector = settings.collector();
        for (List<SftRecord> records : settings.drawn(set.bySample())) {
            FunctionPool shown = answers.constrained() ? answers.pool() : null;
            PromptExample prompt = set.prompt(records.get(0), records, tokenizer, shown);
            if (answers.gold() == null) {
                requireKnown(set, prompt, answers.pool());
            } else {
                prompt = prompt.withValid(valid(set, prompt.id(), answers.gold()));
            }
            collector.take(prompt, prompt.ids().length);
        }
        return collector.collected(set.bySample().size());
    }

    private static List<List<FunctionCall>> valid(SftRecords set, String id, Map<String, Sample> gold) {
        Sample sample = gold.get(id);
        if (sample == null) {
            throw new InvalidDataException(set.file() + ": record " + id
                    + " has no sample in the gold file; give the samples that the set was made from");
        }
        return sample.validSequences();
    }

    private static void requireKnown(SftRecords set, PromptExample prompt, FunctionPool pool) {
        String unknown = prompt.unknownFunction(pool);
        if (unknown != null) {
            throw new InvalidDataException(set.file() + ": record " + prompt.id() + ": its target calls " + unknown
                    + ", which the pool does not have, so its required parameters are unknown; give the set's"
                    + " pool with --pool");
        }
    }

    /** Collects prompts up to a maximum length and counts the omitted ones. */
    static final class PromptCollector {
        private final String section;
        private final String what;
        private final int maxLength;
        private final OverLong overLong;
        private final List<PromptExample> prompts = new ArrayList<>();
        private int dropped;
        private int outOfPool;
        private int longest;

        /**
         * @param section of the configuration that limits the length, for messages
         * @param what the measured object, for messages: "example" or "prompt"
         */
        PromptCollector(String section, String what, int maxLength, OverLong overLong) {
            this.section = section;
            this.what = what;
            this.maxLength = maxLength;
            this.overLong = overLong;
        }

        /**
         * Adds a prompt unless it is over-long.
         *
         * @param length in tokens of the measured object
         * @throws PrpfException 65 for an over-long prompt that must not be omitted
         */
        boolean take(PromptExample prompt, int length) {
            longest = Math.max(longest, length);
            if (length <= maxLength) {
                return prompts.add(prompt);
            }
            if (overLong == OverLong.REFUSE) {
                throw tooLong(prompt, length);
            }
            dropped++;
            return false;
        }

        private InvalidDataException tooLong(PromptExample prompt, int length) {
            String limit = " tokens, " + section + ".max-length = " + maxLength + "; ";
            String sample = "sample " + prompt.id() + ": its ";
            return prompt.prompt().shown().stream()
                    .filter(image -> image.image().grid().tokens() > maxLength)
                    .findFirst()
                    .map(image -> new InvalidDataException(sample + "image " + image.path() + " has "
                            + image.image().grid().tokens() + limit
                            + "lower prompt.max-visual-tokens, which bounds the tokens of an image, or raise "
                            + section + ".max-length"))
                    .orElseGet(() -> new InvalidDataException(sample + what + " has " + length + limit
                            + "raise it (and the model's positions), or set " + section + ".over-long to drop"));
        }

        /** Counts a sample with a target outside of the candidates. */
        void leaveOut() {
            outOfPool++;
        }

        /**
         * Returns the collected prompts.
         *
         * @param samples total number of samples
         * @throws PrpfException 65 if no prompt is left
         */
        PromptExamples collected(int samples) {
            if (prompts.isEmpty()) {
                throw new InvalidDataException("no " + what + " is left of " + samples + " samples: " + dropped
                        + " were longer than " + section + ".max-length = " + maxLength + " (the longest: "
                        + longest + "), " + outOfPool + " have answers outside of their perceived scenarios ("
                        + section + ".out-of-pool)");
            }
            return new PromptExamples(prompts, dropped, outOfPool, longest);
        }
    }

    /**
     * Selection of prompts for rollouts; the {@code prompts:} section of {@code configs/data-rollout-set*.yaml}.
     *
     * @param shortlist number of scenarios of a candidate pool for prompts from samples; null for the whole pool
     * @param outOfPool treatment of first valid answers outside of the perceived scenarios
     * @param maxLength maximum tokens of a prompt
     * @param overLong refuse: longer prompts end with 65; drop: they are omitted and counted
     * @param limit maximum number of samples, drawn by the seed; null for all
     * @param seed of the draw of samples and of the candidate pools
     */
    public record RolloutPromptSettings(
            @Nullable Integer shortlist,
            OutOfPool outOfPool,
            int maxLength,
            SftExampleSettings.OverLong overLong,
            @Nullable Integer limit,
            long seed)
            implements CandidateSettings {
        public RolloutPromptSettings {
            Rule.require(
                    shortlist == null || shortlist > 0,
                    "shortlist",
                    shortlist,
                    "at least 1, or null for the whole pool");
            Rule.require(maxLength > 0, "max-length", maxLength, "at least 1");
            Rule.require(limit == null || limit > 0, "limit", limit, "at least 1");
        }

        PromptExamples.PromptCollector collector() {
            return new PromptExamples.PromptCollector("prompts", "prompt", maxLength, overLong);
        }

        /**
         * Returns the prompts that are not over-long.
         *
         * @throws PrpfException 65 for an over-long prompt that must not be omitted
         */
        public List<PromptExample> fitting(List<PromptExample> prompts) {
            PromptExamples.PromptCollector collector = collector();
            return prompts.stream()
                    .filter(prompt -> collector.take(prompt, prompt.ids().length))
                    .toList();
        }

        /** Draws at most {@code limit} elements, in order. */
        public <T> List<T> drawn(List<T> all) {
            if (limit == null || all.size() <= limit) {
                return all;
            }
            List<Integer> indices =
                    new ArrayList<>(IntStream.range(0, all.size()).boxed().toList());
            Collections.shuffle(indices, new Random(seed));
            return indices.stream().limit(limit).sorted().map(all::get).toList();
        }
    }
}
