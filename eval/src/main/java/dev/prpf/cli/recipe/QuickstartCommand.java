package dev.prpf.cli.recipe;

import dev.prpf.base.command.RunOptions;
import dev.prpf.base.config.EnumName;
import dev.prpf.data.Language;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Implements the command {@code prpf quickstart}: {@code prpf train} with the shipped recipe. */
@Command(
        name = "quickstart",
        description = "The whole pipeline, small, offline, on this machine: data, gate, reasoner, scores, report.",
        footer = {
            "  ./prpf quickstart",
            "  ./prpf quickstart --run-dir runs/first   (after a kill the same command resumes)"
        })
public final class QuickstartCommand implements Runnable {
    @Mixin
    private RunOptions common = new RunOptions();

    @Option(
            names = "--language",
            converter = Language.Option.class,
            paramLabel = "en|zh",
            description = "Language of the data (default: the recipe's, zh).")
    private @Nullable Language language;

    @Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public void run() {
        Path shipped = Path.of(System.getProperty("prpf.root", "."), "configs", "quickstart.yaml");
        if (language != null) {
            List<String> overrides = new ArrayList<>(common.overrides);
            overrides.add("language=" + EnumName.of(language));
            common.overrides = overrides;
        }
        Path usual = common.runDirectory("quickstart");
        common.runDirectory = usual;
        new RecipeRunner(common, spec, common.config == null ? shipped : common.config).run();
    }
}
