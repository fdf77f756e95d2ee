package dev.prpf.cli.recipe;

import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.run.RunOverview;
import dev.prpf.par.cascade.CascadeFolder;
import dev.prpf.par.command.ServeCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements the command {@code prpf serve}, by default with the last cascade. */
@Command(
        name = "serve",
        description = {
            "Serve a cascade over HTTP, with a page to try it (docs/SERVE.md): the named one, or the last that "
                    + "was trained.",
            "With --gate, --reasoner or --gold instead: serve these parts; paths of the others answer 503. "
                    + "Embeddings of texts are always served. SIGTERM drains and ends with 0."
        },
        footer = {
            "  ./prpf serve runs/my-assistant",
            "  ./prpf quickstart && ./prpf serve",
            "  ./prpf serve --gate runs/gate --reasoner runs/reasoner/model",
            "  ./prpf serve runs/my-assistant --remote configs/remote.yaml      (its reasoner on a server, docs/REMOTE.md)",
            "  ./prpf serve runs/my-assistant --host 0.0.0.0 --api-key-file keys --policy policy.yaml",
            "  ./prpf serve --gold data/synth/train/benchmark_zh.json --port 5000     (only the reward, for a trainer)"
        })
public final class CascadeServeCommand extends ServeCommand {
    @Parameters(
            arity = "0..1",
            paramLabel = "CASCADE",
            description = "Folder made by prpf train (default: the newest below --runs).")
    private @Nullable Path folder;

    @Option(
            names = "--runs",
            paramLabel = "DIR",
            defaultValue = "runs",
            description = "Folder of the cascades (default: ${DEFAULT-VALUE}).")
    private Path runs = Path.of("");

    @Override
    protected @Nullable Path named() {
        return folder;
    }

    @Override
    protected Path newest() {
        List<RunOverview> below = Files.isDirectory(runs) ? RunOverview.below(runs) : List.of();
        return below.stream()
                .filter(run -> CascadeFolder.isCascade(run.directory()) && run.state() == RunOverview.State.DONE)
                .map(RunOverview::directory)
                .max(Comparator.comparing(
                        run -> run.resolve("run.json").toFile().lastModified()))
                .orElseThrow(() -> new UsageException("there is no cascade below " + runs
                        + "; run `./prpf quickstart` or `./prpf train RECIPE.yaml` first, or name what is to be served with"
                        + " --gate, --reasoner or --gold"));
    }

    @Override
    protected @Nullable Path gold(Path cascade) {
        Path records = RecipeFiles.of(cascade).train();
        return Files.exists(records) ? records : null;
    }

    @Override
    protected @Nullable Path examples(Path cascade) {
        Path records = RecipeFiles.of(cascade).test();
        return Files.exists(records) ? records : gold(cascade);
    }
}
