package dev.prpf.par.sets;

import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perception;
import dev.prpf.par.augment.Augmentation;
import dev.prpf.par.prompt.ChatMl;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.response.ReasoningMode;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Labelled samples as supervised pairs: the prompt the model will see, and the first valid answer as its response. With {@link
 * ReasoningMode#FULL} a teacher writes the reasoning of the responses that act; the silent ones have none (PRPF A.3).
 */
public final class SftExamples {
    private final SftPairs pairs;
    private final PromptRenderer renderer;
    private final Tokenizer tokenizer;
    private final SftExampleSettings settings;

    private SftExamples(SftPairs pairs, PromptRenderer renderer, Tokenizer tokenizer, SftExampleSettings settings) {
        this.pairs = pairs;
        this.renderer = renderer;
        this.tokenizer = tokenizer;
        this.settings = settings;
    }

    /**
     * What was built.
     *
     * @param source in the samples' order
     * @param prompts of the examples, one each, with the valid answers of their samples
     * @param dropped how many were over-long and left out
     * @param outOfPool how many were left out because the perceived scenarios lack functions of their target
     * @param longest tokens of the longest example, the dropped among them
     */
    public record Built(SftExampleSource source, List<PromptExample> prompts, int dropped, int outOfPool, int longest) {
        /** As the data have them. */
        public List<SftExample> examples() {
            return source.examples();
        }
    }

    /**
     * Builds one example a sample.
     *
     * @param samples labelled
     * @param perceptions one a sample, or null where no perceiver ran
     * @throws PrpfException 65 for an unlabelled sample, an over-long example that must not be dropped, or when none is left; 78 if the
     *     prompt's settings ask for predicted scenes without perceptions
     */
    public static Built build(
            List<Sample> samples,
            @Nullable List<Perception> perceptions,
            FunctionPool pool,
            ScenarioCatalog catalog,
            PromptRenderer renderer,
            Tokenizer tokenizer,
            SftExampleSettings settings) {
        SftPairs.check(samples, perceptions, renderer);
        GoldCandidates candidates =
                new GoldCandidates(pool, catalog, settings.topK(), settings.outOfPool(), settings.seed());
        return new SftExamples(new SftPairs(candidates, renderer), renderer, tokenizer, settings)
                .build(samples, perceptions);
    }

    private Built build(List<Sample> samples, @Nullable List<Perception> perceptions) {
        Lengths lengths = new Lengths(settings);
        List<Integer> kept = new ArrayList<>();
        for (int i = 0; i < samples.size(); i++) {
            SftExample example =
                    example(samples.get(i), perceptions == null ? null : perceptions.get(i), UnaryOperator.identity());
            if (example == null) {
                lengths.outOfPool++;
            } else if (lengths.take(samples.get(i).id(), example)) {
                kept.add(i);
                lengths.prompts.add(prompt(samples.get(i), example));
            }
        }
        return lengths.built(samples.size(), examples -> source(examples, kept, samples, perceptions));
    }

    /**
     * The examples of an SFT set.
     *
     * @param prompt how the model's prompts are written
     * @param source where the records came from, for messages
     * @throws PrpfException 65 for an over-long example that must not be dropped, or when none is left; 78 if the set's prompts are not
     *     written so, or the settings ask for augmentation
     */
    public static Built ofRecords(
            List<SftRecord> records,
            String source,
            PromptSettings prompt,
            Tokenizer tokenizer,
            SftExampleSettings settings) {
        if (settings.augmentation().any()) {
            throw new InvalidConfigurationException("examples.augmentation rewrites samples, but " + source
                    + " holds texts; give the samples with --data, or set examples.augmentation to nothing");
        }
        String wording = SftRecord.wordingOf(prompt);
        Lengths lengths = new Lengths(settings);
        RecordTargets targets = RecordTargets.of(records);
        for (SftRecord record : records) {
            record.requireWording(wording, prompt, source);
            SftPairs.Pair pair = new SftPairs.Pair(record.user(), record.response());
            SftExample example = encoded(tokenizer, record.system(), pair);
            if (lengths.take(record.id(), example)) {
                lengths.prompts.add(targets.prompt(record, example.prompt()));
            }
        }
        return lengths.built(records.size(), SftExampleSource::fixed);
    }

    private PromptExample prompt(Sample sample, SftExample example) {
        return new PromptExample(
                sample.id(),
                example.prompt(),
                sample.validSequences(),
                ResponseForm.of(renderer.settings().reasoning(), sample.modality()),
                List.of());
    }

    /** What is over-long is dropped and counted, or refused. */
    private static final class Lengths {
        private final SftExampleSettings settings;
        private final List<SftExample> examples = new ArrayList<>();
        private final List<PromptExample> prompts = new ArrayList<>();
        private int dropped;
        private int outOfPool;
        private int longest;

        Lengths(SftExampleSettings settings) {
            this.settings = settings;
        }

        boolean take(String id, SftExample example) {
            longest = Math.max(longest, example.length());
            if (example.length() <= settings.maxLength()) {
                return examples.add(example);
            }
            if (settings.overLong() != SftExampleSettings.OverLong.DROP) {
                throw new InvalidDataException("sample " + id + ": its example has " + example.length()
                        + " tokens, examples.max-length = " + settings.maxLength()
                        + "; raise it (and the model's positions), or set examples.over-long to drop");
            }
            dropped++;
            return false;
        }

        Built built(int all, Function<List<SftExample>, SftExampleSource> source) {
            if (examples.isEmpty()) {
                throw new InvalidDataException("no example is left of " + all + " samples: " + dropped
                        + " were longer than examples.max-length = " + settings.maxLength() + " (the longest: "
                        + longest
                        + "), " + outOfPool
                        + " have targets outside of their perceived scenarios (examples.out-of-pool)");
            }
            return new Built(source.apply(examples), List.copyOf(prompts), dropped, outOfPool, longest);
        }
    }

    /** Only text samples are rewritten, so the renderer reads no screen after this. */
    private SftExampleSource source(
            List<SftExample> examples,
            List<Integer> kept,
            List<Sample> samples,
            @Nullable List<Perception> perceptions) {
        if (!settings.augmentation().any()) {
            return SftExampleSource.fixed(examples);
        }
        List<Sample> keptSamples = kept.stream().map(samples::get).toList();
        return new AugmentedExamples(
                examples,
                keptSamples,
                new Augmentation(settings.augmentation(), keptSamples, settings.seed()),
                (i, form, pool) -> Objects.requireNonNull( // its target is what it was when it was kept
                        example(form, perceptions == null ? null : perceptions.get(kept.get(i)), pool)),
                settings.maxLength());
    }

    /** Null where the target is out of the pool and such samples are left out. */
    private @Nullable SftExample example(
            Sample sample, @Nullable Perception perception, UnaryOperator<CandidatePool> pool) {
        Recommendation target = Objects.requireNonNull(sample.answers()).stream()
                .findFirst()
                .filter(answer -> !answer.isSilence())
                .orElse(null);
        SftPairs.Pair pair = pairs.of(sample, target, perception, pool);
        return pair == null ? null : encoded(tokenizer, renderer.system(), pair);
    }

    /** The whole prompt, and the response with the end of the turn. */
    static SftExample encoded(Tokenizer tokenizer, @Nullable String system, SftPairs.Pair pair) {
        List<Piece> response = new ArrayList<>(pair.response());
        response.add(Piece.control(ChatMl.END));
        return new SftExample(tokenizer.encode(ChatMl.prompt(system, pair.user())), tokenizer.encode(response));
    }
}
