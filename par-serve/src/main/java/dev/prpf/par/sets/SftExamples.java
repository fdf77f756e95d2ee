package dev.prpf.par.sets;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.data.Sample;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.sets.SamplePrompts.CandidateSettings;
import dev.prpf.par.sets.SamplePrompts.CandidateSettings.OutOfPool;
import dev.prpf.par.sets.SamplePrompts.PerceivedSample;
import dev.prpf.par.teacher.OfflineTeacher;
import dev.prpf.par.teacher.Teacher.RationaleRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Supervised examples of labelled samples or of an SFT set: the prompt as at inference, and the target as its response. A sample's target is
 * its first valid answer. With {@link ReasoningMode#reasons()} the offline teacher writes the rationale of responses that act.
 *
 * @param examples original examples in the samples' order, for splits and counts
 * @param forms function from indices of training examples to {@link #training}
 * @param prompts one for each example; lengths and counts are those of whole examples
 */
public record SftExamples(
        List<SftExample> examples,
        Function<List<Integer>, IntFunction<List<SftExample>>> forms,
        PromptExamples prompts) {
    /** Creates examples that are equal in every epoch. */
    public SftExamples(List<SftExample> examples, PromptExamples prompts) {
        this(
                examples,
                indices -> {
                    List<SftExample> trained =
                            indices.stream().map(examples::get).toList();
                    return epoch -> trained;
                },
                prompts);
    }

    /**
     * Returns the training examples of each epoch. Held-out examples do not influence them.
     *
     * @param indices of the training examples in {@link #examples()}
     * @return a function from an epoch's number, from 0, to its form of these examples, in order; deterministic
     */
    public IntFunction<List<SftExample>> training(List<Integer> indices) {
        return forms.apply(indices);
    }

    /**
     * Makes one example for each sample.
     *
     * @param samples labelled
     * @throws PrpfException 65 for an unlabelled sample or an over-long example that must not be dropped. 65 if no example is left; 78 for
     *     predicted scenes without a perceiver
     */
    public static SftExamples ofSamples(
            List<PerceivedSample> samples,
            SamplePrompts prompts,
            ChatTokenizer tokenizer,
            SftExampleSettings settings) {
        SampleWriter writer =
                new SampleWriter(prompts, new OfflineTeacher(prompts.renderer().screens()), tokenizer);
        PromptExamples.PromptCollector collector = settings.collector();
        List<SftExample> examples = new ArrayList<>();
        List<PerceivedSample> kept = new ArrayList<>();
        for (PerceivedSample sample : samples) {
            SamplePrompts.SamplePrompt prompt = prompts.of(sample);
            if (prompt == null) {
                collector.leaveOut();
                continue;
            }
            PromptExample tokens = prompt.example(tokenizer);
            SftExample example = SftExample.of(tokens, writer.response(prompt));
            if (collector.take(tokens, example.length())) {
                examples.add(example);
                kept.add(sample);
            }
        }
        PromptExamples collected = collector.collected(samples.size());
        return settings.augmentation().any()
                ? new SftExamples(examples, indices -> writer.augmented(indices, examples, kept, settings), collected)
                : new SftExamples(examples, collected);
    }

    private record SampleWriter(SamplePrompts prompts, OfflineTeacher teacher, ChatTokenizer tokenizer) {
        long[] response(SamplePrompts.SamplePrompt prompt) {
            RationaleRequest request = prompt.request();
            ParResponse.Parsed response = request == null ? prompt.plain() : teacher.write(request);
            return tokenizer.response(prompt.written(response));
        }

        /**
         * Rewrites examples for every epoch, with values of the training samples. Only text samples are rewritten, so that training reads no
         * screenshots. An example that would become over-long stays unchanged.
         */
        IntFunction<List<SftExample>> augmented(
                List<Integer> indices,
                List<SftExample> examples,
                List<PerceivedSample> kept,
                SftExampleSettings settings) {
            Augmentation augmentation = new Augmentation(
                    settings.augmentation(),
                    indices.stream().map(index -> kept.get(index).sample()).toList(),
                    settings.seed());
            return epoch -> indices.stream()
                    .map(index -> {
                        SftExample form = rewritten(kept.get(index), epoch, augmentation);
                        return form == null || form.length() > settings.maxLength() ? examples.get(index) : form;
                    })
                    .toList();
        }

        private @Nullable SftExample rewritten(PerceivedSample original, int epoch, Augmentation augmentation) {
            Sample form = augmentation.rewrite(original.sample(), epoch);
            if (form == null) {
                return null;
            }
            PerceivedSample rewritten = new PerceivedSample(form, original.perception());
            // Not null: the target is unchanged.
            SamplePrompts.SamplePrompt prompt =
                    Objects.requireNonNull(prompts.of(rewritten, pool -> augmentation.thin(pool, form, epoch)));
            return SftExample.of(prompt.example(tokenizer), response(prompt));
        }
    }

    /**
     * Makes the examples of an SFT set, with the configured share of silent ones.
     *
     * @throws PrpfException 65 for an over-long example that must not be dropped, or if no example is left; 78 for augmentation
     */
    public static SftExamples ofRecords(SftRecords set, ChatTokenizer tokenizer, SftExampleSettings settings) {
        if (settings.augmentation().any()) {
            throw new InvalidConfigurationException("examples.augmentation rewrites samples, but " + set.file()
                    + " holds texts; give the samples with --data, or leave examples.augmentation empty");
        }
        PromptExamples.PromptCollector collector = settings.collector();
        List<SftExample> examples = new ArrayList<>();
        for (List<SftRecord> ofSample : set.bySample()) {
            for (SftRecord record : ofSample) {
                if (record.intervention() || settings.keepsSilent(record.id())) {
                    PromptExample prompt = set.prompt(record, ofSample, tokenizer, null);
                    SftExample example = SftExample.of(prompt, tokenizer.response(record.response()));
                    if (collector.take(prompt, example.length())) {
                        examples.add(example);
                    }
                }
            }
        }
        return new SftExamples(examples, collector.collected(set.records().size()));
    }

    /**
     * Settings of the examples; the {@code examples:} section of {@code configs/reasoner-sft*.yaml}.
     *
     * @param shortlist number of scenarios of a candidate pool; null for the whole pool
     * @param outOfPool treatment of targets outside of the perceived scenarios
     * @param maxLength maximum tokens of an example
     * @param overLong refuse: longer examples end with 65; drop: they are omitted and counted. None is truncated
     * @param silentShare share of the silent samples for training, in [0, 1]: silence is learned quickly and its prompts are the longest
     * @param seed of the selection of silent samples, the candidate pools and the augmentation
     * @param augmentation changes of the samples before every epoch
     */
    public record SftExampleSettings(
            @Nullable Integer shortlist,
            OutOfPool outOfPool,
            int maxLength,
            OverLong overLong,
            double silentShare,
            long seed,
            Augmentation.Settings augmentation)
            implements CandidateSettings {
        /** Treatment of an over-long example. */
        public enum OverLong {
            /** It is an error, 65. */
            REFUSE,
            /** It is omitted and counted. */
            DROP
        }

        public SftExampleSettings {
            Rule.require(
                    shortlist == null || shortlist > 0,
                    "shortlist",
                    shortlist,
                    "at least 1, or null for the whole pool");
            Rule.require(maxLength > 1, "max-length", maxLength, "at least 2");
            Rule.require(silentShare >= 0 && silentShare <= 1, "silent-share", silentShare, "in [0, 1]");
        }

        /** Returns the training samples in order: all except some silent ones. */
        public List<Sample> trainedOn(List<Sample> samples) {
            return samples.stream()
                    .filter(sample -> !sample.labelled() || sample.target() != null || keepsSilent(sample.id()))
                    .toList();
        }

        /** Returns whether a silent sample is kept, which depends only on its id and the seed, not on other samples. */
        boolean keepsSilent(String id) {
            return new SplittableRandom(seed * 1_000_003L + id.hashCode()).nextDouble() < silentShare;
        }

        PromptExamples.PromptCollector collector() {
            return new PromptExamples.PromptCollector("examples", "example", maxLength, overLong);
        }
    }
}
