package dev.prpf.par.training;

import dev.prpf.data.FunctionPool;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.run.PrpfException;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perception;
import dev.prpf.par.augment.Augmentation;
import dev.prpf.par.prompt.ChatMl;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ReasoningMode;
import dev.prpf.par.response.ResponseWriter;
import dev.prpf.par.teacher.Lesson;
import dev.prpf.par.teacher.OfflineTeacher;
import dev.prpf.par.teacher.Teacher;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Labelled samples as supervised pairs: the prompt the model will see, and the first valid answer as its response. With {@link
 * ReasoningMode#FULL} a teacher writes the reasoning of the responses that act; the silent ones have none (PRPF A.3).
 */
public final class SftExamples {
    private final GoldCandidates candidates;
    private final PromptRenderer renderer;
    private final Tokenizer tokenizer;
    private final SftExampleSettings settings;
    private final Teacher teacher;

    private SftExamples(
            GoldCandidates candidates, PromptRenderer renderer, Tokenizer tokenizer, SftExampleSettings settings) {
        this.candidates = candidates;
        this.renderer = renderer;
        this.tokenizer = tokenizer;
        this.settings = settings;
        teacher = new OfflineTeacher(renderer.screens());
    }

    /**
     * What was built.
     *
     * @param source in the samples' order
     * @param dropped how many were over-long and left out
     * @param longest tokens of the longest example, the dropped among them
     */
    public record Built(SftExampleSource source, int dropped, int longest) {
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
        check(samples, perceptions, renderer);
        GoldCandidates candidates = new GoldCandidates(pool, catalog, settings.topK(), settings.seed());
        return new SftExamples(candidates, renderer, tokenizer, settings).build(samples, perceptions);
    }

    private static void check(List<Sample> samples, @Nullable List<Perception> perceptions, PromptRenderer renderer) {
        if (renderer.settings().scenes() && perceptions == null) {
            throw PrpfException.badConfig("prompt.scenes = true, but no perceiver ran over the samples;"
                    + " name one with --mpp or set prompt.scenes to false");
        }
        if (perceptions != null && perceptions.size() != samples.size()) {
            throw new IllegalArgumentException(
                    samples.size() + " samples but " + perceptions.size() + " perceptions; there must be one a sample");
        }
    }

    private Built build(List<Sample> samples, @Nullable List<Perception> perceptions) {
        List<SftExample> examples = new ArrayList<>();
        List<Integer> kept = new ArrayList<>();
        int dropped = 0;
        int longest = 0;
        for (int i = 0; i < samples.size(); i++) {
            SftExample example =
                    example(samples.get(i), perceptions == null ? null : perceptions.get(i), UnaryOperator.identity());
            longest = Math.max(longest, example.length());
            if (example.length() <= settings.maxLength()) {
                examples.add(example);
                kept.add(i);
            } else if (settings.overLong() == SftExampleSettings.OverLong.DROP) {
                dropped++;
            } else {
                throw PrpfException.badData("sample " + samples.get(i).id() + ": its example has " + example.length()
                        + " tokens, examples.max-length = " + settings.maxLength()
                        + "; raise it (and the model's positions), or set examples.over-long to drop");
            }
        }
        if (examples.isEmpty()) {
            throw PrpfException.badData("no example is left of " + samples.size() + " samples: " + dropped
                    + " were longer than examples.max-length = " + settings.maxLength() + " (the longest: " + longest
                    + ")");
        }
        return new Built(source(examples, kept, samples, perceptions), dropped, longest);
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
                (i, form, pool) -> example(form, perceptions == null ? null : perceptions.get(kept.get(i)), pool),
                settings.maxLength());
    }

    private SftExample example(Sample sample, @Nullable Perception perception, UnaryOperator<CandidatePool> pool) {
        if (sample.answers() == null) {
            throw PrpfException.badData("sample " + sample.id()
                    + " is unlabelled, so there is nothing to learn from it; training takes samples with answers");
        }
        Recommendation target = sample.answers().stream().findFirst().orElse(null);
        if (target != null && target.isSilence()) {
            target = null;
        }
        CandidatePool seen = pool.apply(candidates.of(sample, target, perception));
        List<Piece> prompt = renderer.chat(sample, perception, seen);
        List<Piece> response = new ArrayList<>(ResponseWriter.pieces(response(sample, target, seen)));
        response.add(Piece.control(ChatMl.END));
        return new SftExample(tokenizer.encode(prompt), tokenizer.encode(response));
    }

    private ParResponse.Parsed response(Sample sample, @Nullable Recommendation target, CandidatePool seen) {
        if (target == null) {
            return new ParResponse.Parsed(null, null, null, List.of());
        }
        return renderer.settings().reasoning() == ReasoningMode.NONE
                ? new ParResponse.Parsed(null, null, null, List.of(target))
                : teacher.teach(new Lesson(sample, target, seen));
    }
}
