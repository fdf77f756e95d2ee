package dev.prpf.par.sets;

import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Sample;
import dev.prpf.par.augment.SilentShare;
import dev.prpf.par.prompt.ChatMl;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ReasoningMode;
import dev.prpf.par.response.ResponseWriter;
import dev.prpf.par.teacher.OfflineTeacher;
import dev.prpf.par.teacher.RationaleRequest;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Supervised examples of labelled samples or of an SFT set: the prompt that the model will see, and the target as its response. Of samples
 * the target is the first valid answer; with {@link ReasoningMode#FULL} the offline teacher writes the rationale of responses that act.
 *
 * @param source in the samples' order
 * @param prompts of the examples, one each; lengths and counts are those of whole examples
 */
public record SftExamples(SftExampleSource source, PromptExamples prompts) {
    /** As the data have them. */
    public List<SftExample> examples() {
        return source.examples();
    }

    /**
     * One example a sample.
     *
     * @param samples labelled
     * @throws PrpfException 65 for an unlabelled sample, an over-long example that must not be dropped, or when none is left; 78 if the
     *     prompts show predicted scenes but no perceiver ran
     */
    public static SftExamples ofSamples(
            List<PerceivedSample> samples, SamplePrompts prompts, Tokenizer tokenizer, SftExampleSettings settings) {
        SampleWriter writer =
                new SampleWriter(prompts, new OfflineTeacher(prompts.renderer().screens()), tokenizer);
        PromptCollector collector = new PromptCollector(settings.lengthLimit());
        List<SftExample> examples = new ArrayList<>();
        List<PerceivedSample> kept = new ArrayList<>();
        for (PerceivedSample sample : samples) {
            SamplePrompt prompt = prompts.of(sample);
            if (prompt == null) {
                collector.leaveOut();
                continue;
            }
            PromptExample asked = prompt.example(tokenizer);
            SftExample example = new SftExample(asked.ids(), writer.response(prompt));
            if (collector.take(asked, example.length())) {
                examples.add(example);
                kept.add(sample);
            }
        }
        PromptExamples collected = collector.collected(samples.size());
        return new SftExamples(
                settings.augmentation().any()
                        ? writer.augmented(examples, kept, settings)
                        : SftExampleSource.fixed(examples),
                collected);
    }

    /** Writes the examples of samples as tokens. */
    private record SampleWriter(SamplePrompts prompts, OfflineTeacher teacher, Tokenizer tokenizer) {
        long[] response(SamplePrompt prompt) {
            RationaleRequest request = prompt.request();
            ParResponse.Parsed response = request == null ? prompt.plain() : teacher.write(request);
            return encoded(tokenizer, ResponseWriter.pieces(response));
        }

        /** Only text samples are rewritten, so that no screenshot is read during training. */
        SftExampleSource augmented(List<SftExample> examples, List<PerceivedSample> kept, SftExampleSettings settings) {
            List<Sample> samples = kept.stream().map(PerceivedSample::sample).toList();
            return new AugmentedExamples(examples, samples, settings, (place, form, pool) -> {
                PerceivedSample rewritten =
                        new PerceivedSample(form, kept.get(place).perception());
                // Its target is what it was when it was kept.
                SamplePrompt prompt = Objects.requireNonNull(prompts.of(rewritten, pool));
                return new SftExample(prompt.example(tokenizer).ids(), response(prompt));
            });
        }
    }

    /**
     * The examples of an SFT set, of its silent ones the share that the settings keep.
     *
     * @throws PrpfException 65 for an over-long example that must not be dropped, or when none is left; 78 if the settings ask for
     *     augmentation
     */
    public static SftExamples ofRecords(SftRecords set, Tokenizer tokenizer, SftExampleSettings settings) {
        if (settings.augmentation().any()) {
            throw new InvalidConfigurationException("examples.augmentation rewrites samples, but " + set.file()
                    + " holds texts; give the samples with --data, or set examples.augmentation to nothing");
        }
        PromptCollector collector = new PromptCollector(settings.lengthLimit());
        List<SftExample> examples = new ArrayList<>();
        for (List<SftRecord> ofSample : set.bySample()) {
            for (SftRecord record : ofSample) {
                if (record.intervention() || SilentShare.stays(record.id(), settings.silentShare(), settings.seed())) {
                    PromptExample prompt = set.prompt(record, ofSample, tokenizer, null);
                    SftExample example = new SftExample(prompt.ids(), encoded(tokenizer, record.response()));
                    if (collector.take(prompt, example.length())) {
                        examples.add(example);
                    }
                }
            }
        }
        PromptExamples collected = collector.collected(set.records().size());
        return new SftExamples(SftExampleSource.fixed(examples), collected);
    }

    /** A response with the end of the turn. */
    private static long[] encoded(Tokenizer tokenizer, List<Piece> response) {
        return tokenizer.encode(Stream.concat(response.stream(), Stream.of(Piece.control(ChatMl.END)))
                .toList());
    }
}
