package dev.prpf.par.sets;

import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Sample;
import dev.prpf.par.augment.Augmentation;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ReasoningMode;
import dev.prpf.par.teacher.OfflineTeacher;
import dev.prpf.par.teacher.RationaleRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Supervised examples of labelled samples or of an SFT set: the prompt that the model will see, and the target as its response. Of samples
 * the target is the first valid answer; where {@link ReasoningMode#reasons()} the offline teacher writes the rationale of responses that act.
 *
 * @param examples in the samples' order, as the data have them: what is split, counted and held out
 * @param forms from the places of the examples that are trained on to {@link #training}
 * @param prompts of the examples, one each; lengths and counts are those of whole examples
 */
public record SftExamples(
        List<SftExample> examples,
        Function<List<Integer>, IntFunction<List<SftExample>>> forms,
        PromptExamples prompts) {
    public SftExamples {
        examples = List.copyOf(examples);
    }

    /** The same in every epoch. */
    public SftExamples(List<SftExample> examples, PromptExamples prompts) {
        this(
                examples,
                places -> {
                    List<SftExample> trained =
                            places.stream().map(examples::get).toList();
                    return epoch -> trained;
                },
                prompts);
    }

    /**
     * The examples that are trained on, as each epoch shows them. Nothing of the others enters them.
     *
     * @param places in {@link #examples()} of those trained on
     * @return from an epoch's number, from 0, to some form of each of these examples, in order; the same epoch gives the same examples
     */
    public IntFunction<List<SftExample>> training(List<Integer> places) {
        return forms.apply(places);
    }

    /**
     * One example a sample.
     *
     * @param samples labelled
     * @throws PrpfException 65 for an unlabelled sample, an over-long example that must not be dropped, or when none is left; 78 if the
     *     prompts show predicted scenes but no perceiver ran
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
                ? new SftExamples(examples, places -> writer.augmented(places, examples, kept, settings), collected)
                : new SftExamples(examples, collected);
    }

    private record SampleWriter(SamplePrompts prompts, OfflineTeacher teacher, ChatTokenizer tokenizer) {
        long[] response(SamplePrompts.SamplePrompt prompt) {
            RationaleRequest request = prompt.request();
            ParResponse.Parsed response = request == null ? prompt.plain() : teacher.write(request);
            return tokenizer.response(prompt.written(response));
        }

        /**
         * Examples that are written anew for every epoch, with values of the samples that are trained on. Only text samples are rewritten, so
         * that no screenshot is read during training; an example that grows over-long by it stays as the data have it.
         */
        IntFunction<List<SftExample>> augmented(
                List<Integer> places,
                List<SftExample> examples,
                List<PerceivedSample> kept,
                SftExampleSettings settings) {
            Augmentation augmentation = new Augmentation(
                    settings.augmentation(),
                    places.stream().map(place -> kept.get(place).sample()).toList(),
                    settings.seed());
            return epoch -> places.stream()
                    .map(place -> {
                        SftExample form = rewritten(kept.get(place), epoch, augmentation);
                        return form == null || form.length() > settings.maxLength() ? examples.get(place) : form;
                    })
                    .toList();
        }

        private @Nullable SftExample rewritten(PerceivedSample original, int epoch, Augmentation augmentation) {
            Sample form = augmentation.rewrite(original.sample(), epoch);
            if (form == null) {
                return null;
            }
            PerceivedSample rewritten = new PerceivedSample(form, original.perception());
            // Its target is what it was when it was kept.
            SamplePrompts.SamplePrompt prompt =
                    Objects.requireNonNull(prompts.of(rewritten, pool -> augmentation.thin(pool, form, epoch)));
            return SftExample.of(prompt.example(tokenizer), response(prompt));
        }
    }

    /**
     * The examples of an SFT set, of its silent ones the share that the settings keep.
     *
     * @throws PrpfException 65 for an over-long example that must not be dropped, or when none is left; 78 if the settings ask for
     *     augmentation
     */
    public static SftExamples ofRecords(SftRecords set, ChatTokenizer tokenizer, SftExampleSettings settings) {
        if (settings.augmentation().any()) {
            throw new InvalidConfigurationException("examples.augmentation rewrites samples, but " + set.file()
                    + " holds texts; give the samples with --data, or set examples.augmentation to nothing");
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
}
