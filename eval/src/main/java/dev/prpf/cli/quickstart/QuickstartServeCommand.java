package dev.prpf.cli.quickstart;

import dev.prpf.base.error.UsageException;
import dev.prpf.base.run.RunOverview;
import dev.prpf.par.command.ServeCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements the command {@code prpf serve}, by default with the models of the last quickstart. */
@Command(
        name = "serve",
        description = {
            "Serve the perceiver, the reasoner and the reward over HTTP, with a page to try them (docs/SERVE.md).",
            "Without --gate, --reasoner and --gold: serve the models of the last quickstart. With one of them: paths of the",
            "others answer 503. Embeddings of texts are always served. SIGTERM drains and ends with 0."
        },
        footer = {
            "",
            "Example:",
            "  ./prpf quickstart && ./prpf serve",
            "  ./prpf serve --gate runs/gate --reasoner runs/reasoner/model",
            "  ./prpf serve --gate runs/gate --reasoner runs/reasoner/model --host 0.0.0.0 --api-key-file keys --policy policy.yaml",
            "  ./prpf serve --gold data/synth/train/benchmark_zh.json --port 5000     (only the reward, for a trainer)"
        })
public final class QuickstartServeCommand extends ServeCommand {
    @Option(
            names = "--runs",
            paramLabel = "DIR",
            defaultValue = "runs",
            description = "Folder of the quickstart's run (default: ${DEFAULT-VALUE}).")
    private Path runs;

    @Override
    protected Defaults defaults() {
        List<RunOverview> below = Files.isDirectory(runs) ? RunOverview.below(runs) : List.of();
        Path newest = below.stream()
                .filter(run -> "quickstart".equals(run.command()) && run.state() == RunOverview.State.DONE)
                .map(RunOverview::directory)
                .max(Comparator.comparing(
                        run -> run.resolve("run.json").toFile().lastModified()))
                .orElseThrow(
                        () -> new UsageException(
                                "there is no finished quickstart below " + runs
                                        + "; run `./prpf quickstart` first, or name what is to be served with --gate, --reasoner or --gold"));
        QuickstartFiles files = new QuickstartFiles(newest, newest);
        return new Defaults(files.gate(), files.grpo().resolve("model"), files.data("train"), files.pool());
    }
}
