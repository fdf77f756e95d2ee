package dev.prpf.par.plan;

import dev.prpf.data.io.SampleReader;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.training.TowerMemory.Shown;
import dev.prpf.par.vision.VisionConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
     * @param export options by which {@code data export} reads the set; empty for samples
     */
    public record Source(@Nullable Long records, List<String> export) {}

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
        return sources.computeIfAbsent(
                file,
                present -> new Source(
                        Files.isRegularFile(present) && present.toString().endsWith(".json")
                                ? (Long) (long) SampleReader.readAll(present).size()
                                : null,
                        List.of()));
    }

    /** Returns the most tokens of a prompt: as in the model's training, or for other prompts as in any training; null without training. */
    @Nullable
    Integer longest(Model model, boolean asTrained) {
        int most = asTrained && model.longest() > 0 ? model.longest() : longest;
        return most > 0 ? (Integer) most : null;
    }
}
