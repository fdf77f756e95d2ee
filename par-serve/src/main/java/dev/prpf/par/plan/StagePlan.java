package dev.prpf.par.plan;

import dev.prpf.data.Sample;
import dev.prpf.data.io.SampleReader;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.training.TowerMemory.Shown;
import dev.prpf.par.vision.VisionConfig;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The models and sets that the commands of a plan will make, by path. Not thread-safe. */
public final class StagePlan {
    private final Map<Path, Model> models = new HashMap<>();
    private final Map<Path, Source> sources = new HashMap<>();
    private int longest;

    /**
     * A model of the plan.
     *
     * @param start directory of the pretrained model
     * @param prompt the model's prompts; null if unknown
     * @param longest tokens of the longest training example; 0 without training
     */
    public record Model(Path start, @Nullable PromptSettings prompt, int longest) {
        /** Returns the model after training on these prompts, or registered with them. */
        public Model reading(PromptSettings prompt, int longest) {
            return new Model(start, prompt, Math.max(this.longest, longest));
        }

        boolean showsImages() {
            return prompt != null && prompt.screenshots().showsImages();
        }

        /** Returns the vision encoder; null for prompts without images. */
        @Nullable
        VisionConfig vision() {
            return showsImages() ? HuggingFaceDirectory.open(start).requiredVision("prompt.screenshots") : null;
        }

        /** Returns the most image tokens of some prompts, of which none has more tokens than {@code longest}. */
        Shown shown(int prompts, int longest) {
            if (prompt == null || !showsImages()) {
                return new Shown(0, 0, 0);
            }
            int each = prompt.maxVisualTokens() == null ? longest : Math.min(prompt.maxVisualTokens(), longest);
            long all = prompt.maxScreenshots() == null
                    ? longest
                    : Math.min(longest, (long) each * prompt.maxScreenshots());
            return new Shown(prompts * all, prompts * all, each);
        }
    }

    /**
     * Samples, an SFT set or a GRPO set.
     *
     * @param records the most records; null if unknown
     * @param text the texts of the samples; null if unknown, or with screenshots
     * @param export options by which {@code data export} reads the set; empty for samples
     */
    public record Source(@Nullable Long records, @Nullable Text text, List<String> export) {
        /** Creates a set of texts of unknown length. */
        public Source(@Nullable Long records, List<String> export) {
            this(records, null, export);
        }

        /** Returns the source of samples like these. */
        public static Source of(long records, List<Sample> samples) {
            boolean texts = !samples.isEmpty()
                    && samples.stream().allMatch(sample -> sample.modality() == Sample.Modality.TEXT);
            return new Source(records, texts ? Text.of(samples) : null, List.of());
        }
    }

    /**
     * The texts of samples without screenshots.
     *
     * @param acting share of the samples that want help, in [0, 1]
     * @param bytes mean UTF-8 length of a sample's trace and context
     */
    public record Text(double acting, double bytes) {
        private static Text of(List<Sample> samples) {
            return new Text(
                    mean(samples, sample -> sample.wantsIntervention() ? 1 : 0), mean(samples, sample -> Stream.of(
                                    sample.context().texts(),
                                    sample.trajectory().texts())
                            .flatMap(List::stream)
                            .mapToInt(text -> text.getBytes(StandardCharsets.UTF_8).length)
                            .sum()));
        }

        private static double mean(List<Sample> samples, ToDoubleFunction<Sample> value) {
            return samples.stream().mapToDouble(value).average().orElseThrow();
        }
    }

    public void makes(Path directory, Model model) {
        models.put(directory, model);
        longest = Math.max(longest, model.longest());
    }

    public void makes(Path file, Source source) {
        sources.put(file, source);
    }

    /** Returns a model that the plan makes, or one that is present before it. */
    public Model model(Path directory) {
        return models.getOrDefault(directory, new Model(directory, null, 0));
    }

    /** Returns a set that the plan makes, or samples that are present before it. */
    public Source source(Path file) {
        return sources.computeIfAbsent(file, StagePlan::present);
    }

    private static Source present(Path file) {
        if (!Files.isRegularFile(file) || !file.toString().endsWith(".json")) {
            return new Source(null, List.of());
        }
        List<Sample> samples = SampleReader.readAll(file);
        return Source.of(samples.size(), samples);
    }

    /** Returns the most tokens of a prompt: as in the model's training, or for other prompts as in any training; null without training. */
    @Nullable
    Integer longest(Model model, boolean asTrained) {
        int most = asTrained && model.longest() > 0 ? model.longest() : longest;
        return most > 0 ? (Integer) most : null;
    }
}
