package dev.prpf.cli.recipe;

import dev.prpf.base.command.RunOptions;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Implements the command {@code prpf train}. */
@Command(
        name = "train",
        modelTransformer = TrainCommand.Options.class,
        description = {
            "Make a cascade by a recipe: gate, threshold, reasoner, report and model card in one folder (docs/TRAIN.md).",
            "After a kill the same command resumes. --dry-run prints the commands with the memory and time that is known."
        },
        footer = {
            "  ./prpf train examples/own-data/recipe.yaml",
            "  ./prpf train recipe.yaml --set seed=2 --run-dir runs/second",
            "  ./prpf init my-assistant      (writes a recipe to begin with)"
        })
public final class TrainCommand implements Runnable {
    @Parameters(
            paramLabel = "RECIPE",
            description = "YAML that names data and functions; every other key has a default.")
    private Path recipe = Path.of("");

    @Mixin
    private RunOptions common = new RunOptions();

    @Spec
    private CommandSpec spec;

    /** Leaves out {@code --config}, because the recipe is an argument, and names the default folder. */
    static final class Options implements CommandLine.IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec spec) {
            OptionSpec folder = spec.findOption("--run-dir");
            spec.remove(spec.findOption("--config")).remove(folder);
            return spec.addOption(OptionSpec.builder(folder)
                    .description("The cascade's folder (default: the recipe's out, else runs/NAME).")
                    .build());
        }
    }

    @Override
    public void run() {
        new RecipeRunner(common, spec, recipe).run();
    }
}
