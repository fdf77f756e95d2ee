package dev.prpf.cli.recipe;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.data.Language;
import dev.prpf.data.io.CatalogFiles;
import dev.prpf.data.synth.output.SynthOutput;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Paths of a recipe's run: the cascade, its report, and {@code work/}, which serving does not need.
 *
 * @param root the run directory, and the cascade's folder
 */
record RecipeFiles(Path root, String records) {
    private static final String TRAIN = "train";
    private static final String TEST = "test";
    private static final String COPY = "records.json";

    static RecipeFiles of(Path root, Recipe recipe) {
        return new RecipeFiles(
                root, recipe.data().synthetic() == null ? COPY : SynthOutput.fileName(recipe.language()));
    }

    /** Returns the paths of a cascade that was trained here; its records may be missing. */
    static RecipeFiles of(Path root) {
        return Stream.of(Language.values())
                .map(language -> new RecipeFiles(root, SynthOutput.fileName(language)))
                .filter(files -> Files.exists(files.train()))
                .findFirst()
                .orElseGet(() -> new RecipeFiles(root, COPY));
    }

    Path work() {
        return root.resolve("work");
    }

    private Path split(String name) {
        return work().resolve("data").resolve(name);
    }

    /** Returns the training records: synthetic ones, or a copy of the user's. */
    Path train() {
        return split(TRAIN).resolve(records);
    }

    /** Returns the test records; the file does not exist if none are held out. */
    Path test() {
        return split(TEST).resolve(records);
    }

    /**
     * Returns the records that a command reads: the file of {@code --data}, or else the training's own file.
     *
     * @throws dev.prpf.base.error.PrpfException 2 if the file does not exist
     */
    Path requireRecords(@Nullable Path data, Path own) {
        Path file = data == null ? own : data;
        if (!Files.exists(file)) {
            throw new UsageException(
                    data == null
                            ? root + ": has no " + root.relativize(own) + " of its training; name records with --data"
                            : "--data " + data + ": no such file");
        }
        return file;
    }

    Path trainFolder() {
        return split(TRAIN);
    }

    Path testFolder() {
        return split(TEST);
    }

    Path store() {
        return work().resolve("store");
    }

    Path gate() {
        return work().resolve("gate");
    }

    /** Returns the functions and scenarios that the gate was trained with. */
    CatalogFiles catalog() {
        return CatalogFiles.in(gate());
    }

    Path base() {
        return work().resolve("reasoner-base");
    }

    Path sft() {
        return work().resolve("reasoner");
    }

    Path grpo() {
        return work().resolve("reasoner-grpo");
    }

    Path reasoner(Recipe recipe) {
        return (recipe.grpo() ? grpo() : sft()).resolve("model");
    }

    Path predictions() {
        return work().resolve("cascade").resolve("predictions.jsonl");
    }

    Path report() {
        return root.resolve("report.html");
    }

    Path card() {
        return root.resolve("README.md");
    }

    /** Returns the folder of a file's images by the recipe of this run; null without images, and for a file of other records. */
    @Nullable
    Path imagesOf(Path file) {
        boolean training = file.equals(train());
        Recipe recipe = training || file.equals(test()) ? recipe() : null;
        return recipe == null ? null : training ? trainImages(recipe) : testImages(recipe);
    }

    /** Returns the recipe of this run; null for a cascade without its run. */
    @Nullable
    Recipe recipe() {
        if (!Files.exists(root.resolve(RunDirectory.RUN))) {
            return null;
        }
        String config = RunDirectory.description(root).resolvedConfig();
        return StrictYaml.readText(root.resolve(RunDirectory.CONFIG).toString(), config, Recipe.class, List.of());
    }

    /** Returns the folder of the training records' images; null without images. */
    @Nullable
    Path trainImages(Recipe recipe) {
        return recipe.data().synthetic() != null ? trainFolder() : recipe.data().images();
    }

    /** Returns the folder of the test records' images; null without images. */
    @Nullable
    Path testImages(Recipe recipe) {
        Path own = recipe.data().testImages();
        return recipe.data().synthetic() != null
                ? testFolder()
                : own != null ? own : recipe.data().images();
    }
}
