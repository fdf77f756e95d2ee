package dev.prpf.cli.recipe;

import dev.prpf.base.command.RunOptions;
import dev.prpf.base.error.UsageException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Implements the command {@code prpf train}. */
@Command(
        name = "train",
        description = {
            "Make a cascade by a recipe: gate, threshold, reasoner, report and model card in one folder (docs/TRAIN.md).",
            "After a kill the same command resumes. --dry-run prints the commands with the memory and time that is known."
        },
        footer = {
            "",
            "Example:",
            "  ./prpf train examples/own-data/recipe.yaml",
            "  ./prpf train recipe.yaml --set seed=2 --run-dir runs/second",
            "  ./prpf init my-assistant      (writes a recipe to begin with)"
        })
public final class TrainCommand implements Runnable {
    @Parameters(
            paramLabel = "RECIPE",
            description = "YAML that names data and functions; every other key has a default.")
    private @Nullable Path recipe;

    @Mixin
    private RunOptions common = new RunOptions();

    @Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public void run() {
        if (recipe == null || common.config != null) {
            throw new UsageException(
                    "train takes its recipe as an argument, not with --config: prpf train RECIPE.yaml");
        }
        new RecipeRunner(common, spec, recipe).run();
    }
}
