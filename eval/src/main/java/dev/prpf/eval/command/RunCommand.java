package dev.prpf.eval.command;

import dev.prpf.base.command.ResultStream;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.run.Resume;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.io.FunctionPoolReader;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.eval.run.CascadeRun;
import dev.prpf.eval.run.LoadedCascade;
import dev.prpf.eval.run.ReasonerPlace;
import dev.prpf.eval.run.RunSettings;
import dev.prpf.eval.run.RunSummary;
import dev.prpf.mpp.MppModel;
import dev.prpf.mpp.TriggerThreshold;
import dev.prpf.par.cascade.RemoteConfig;
import dev.prpf.par.model.HuggingFaceDirectory;
import dev.prpf.par.model.Precision;
import dev.prpf.par.openai.AnswerJournal;
import dev.prpf.par.openai.RemoteUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** {@code prpf eval run}: the cascade over a file of samples. */
@Command(
        name = "run",
        description =
                "Run the cascade over samples to predictions.jsonl; killed and started again, it goes on where it was.",
        footer = {
            "",
            "run.json and config.resolved.yaml are written beside the predictions: one directory a run.",
            "",
            "Example:",
            "  ./prpf eval run --data data/synth/test/benchmark_zh.json --images data/synth/test \\",
            "      --mpp runs/mpp --par runs/par/model --out runs/cascade/predictions.jsonl",
            "The single-stage baseline is the same with --gate off --compress off.",
            "With a reasoner on a server (docs/REMOTE.md):",
            "  ./prpf eval run --data data/synth/test/benchmark_zh.json --images data/synth/test \\",
            "      --mpp runs/mpp --remote configs/remote.yaml --out runs/remote/predictions.jsonl"
        })
public final class RunCommand implements Callable<Integer> {
    /** Answers that come at different speeds: so many rounds of requests keep the server busy to a chunk's end. */
    private static final int ROUNDS = 4;

    /** On or off. */
    enum Switch {
        ON,
        OFF
    }

    @CommandLine.Spec
    private CommandSpec spec;

    @Option(names = "--data", required = true, paramLabel = "FILE", description = "Samples; answers are not needed.")
    private Path data;

    @Option(names = "--pool", paramLabel = "FILE", description = "Function pool (default: the shipped one).")
    private @Nullable Path pool;

    @Option(names = "--scenarios", paramLabel = "FILE", description = "Scenario file (default: the shipped one).")
    private @Nullable Path scenarios;

    @Option(names = "--images", paramLabel = "DIR", description = "Root of the samples' picture paths.")
    private @Nullable Path images;

    @Option(
            names = "--mpp",
            paramLabel = "RUN",
            description = "The perceiver's run; not needed with both switches off.")
    private @Nullable Path mpp;

    @ArgGroup(exclusive = true, multiplicity = "1")
    private ReasonerChoice reasoner = new ReasonerChoice();

    /** In this process or on a server. */
    static final class ReasonerChoice {
        @Option(names = "--par", paramLabel = "DIR", description = "The reasoner's model directory.")
        private @Nullable Path par;

        @Option(
                names = "--remote",
                paramLabel = "FILE",
                description = "YAML of a reasoner on a server; see configs/remote.yaml.")
        private @Nullable Path remote;
    }

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Override one key of the --remote file (repeatable).")
    private List<String> overrides = List.of();

    @Option(
            names = "--gate",
            defaultValue = "on",
            description = "on or off: silence under the threshold (default: on).")
    private Switch gate;

    @Option(
            names = "--compress",
            defaultValue = "on",
            description = "on or off: functions of the top K scenarios only (default: on).")
    private Switch compress;

    @Option(
            names = "--top-k",
            defaultValue = "5",
            description = "Scenarios a compressed pool holds (default: ${DEFAULT-VALUE}).")
    private int topK;

    @Option(
            names = "--threshold",
            paramLabel = "TAU",
            description = "Trigger iff p >= TAU (default: what mpp sweep chose).")
    private @Nullable Double threshold;

    @Option(
            names = "--max-new",
            defaultValue = "256",
            description = "Tokens of a response at most (default: ${DEFAULT-VALUE}).")
    private int maxNew;

    @Option(
            names = "--batch-size",
            defaultValue = "16",
            description = "Prompts decoded together (default: ${DEFAULT-VALUE}).")
    private int batchSize;

    @Option(names = "--dtype", defaultValue = "fp32", description = "fp32, bf16 or int8 (default: ${DEFAULT-VALUE}).")
    private Precision dtype;

    @Option(
            names = "--constrained",
            description = "Keep every response to the grammar and to calls of the candidates (docs/RESPONSE.md).")
    private boolean constrained;

    @Option(
            names = "--store",
            paramLabel = "DIR",
            defaultValue = "runs/store",
            description = "Encodings (default: ${DEFAULT-VALUE}).")
    private Path store;

    @Option(names = "--out", required = true, paramLabel = "FILE", description = "Predictions, JSON Lines; appended.")
    private Path out;

    @Option(
            names = "--resume",
            paramLabel = "MODE",
            defaultValue = "auto",
            description = "auto, required or never (default: auto).")
    private Resume resume;

    @Option(names = "--json", description = "The summary as JSON on stdout; all else on stderr.")
    private boolean json;

    @Option(names = "--dry-run", description = "Load everything, run nothing.")
    private boolean dryRun;

    @Override
    public Integer call() {
        RemoteConfig remote = remote();
        RunSettings settings = settings(remote);
        AnswerJournal journal = new AnswerJournal(out.toAbsolutePath().resolveSibling("answers.jsonl"));
        try (StopSignal stop = StopSignal.install();
                LoadedCascade loaded = opened(places(remote, journal, stop), settings)) {
            if (dryRun) {
                reportDry(loaded);
                return 0;
            }
            int together = remote == null ? 1 : ROUNDS * remote.server().concurrency();
            try (RunDirectory run = runDirectory(loaded, places(remote, journal, stop), settings)) {
                RunSummary summary = new CascadeRun(loaded.cascade(), data, out, together).run(stop);
                RunSummary whole = remote == null ? summary : summary.with(journal.usage(remote.price()));
                run.finish(finished(whole));
                report(whole);
            }
        }
        return 0;
    }

    private @Nullable RemoteConfig remote() {
        if (reasoner.remote == null) {
            if (!overrides.isEmpty()) {
                throw new UsageException("--set overrides keys of a --remote file; there is none");
            }
            return null;
        }
        for (String local : List.of("--max-new", "--batch-size", "--dtype", "--constrained")) {
            if (spec.commandLine().getParseResult().hasMatchedOption(local)) {
                throw new UsageException(
                        local + " is for --par; what is asked of a server stands in " + reasoner.remote);
            }
        }
        return StrictYaml.read(reasoner.remote, RemoteConfig.class, overrides);
    }

    private ReasonerPlace place(@Nullable RemoteConfig remote, AnswerJournal journal, StopSignal stop) {
        return remote == null
                ? new ReasonerPlace.Local(Objects.requireNonNull(reasoner.par, "one of the two is given"))
                : new ReasonerPlace.Remote(remote, journal, stop::requested);
    }

    private LoadedCascade.Places places(@Nullable RemoteConfig remote, AnswerJournal journal, StopSignal stop) {
        return new LoadedCascade.Places(mpp, place(remote, journal, stop), store, images);
    }

    private LoadedCascade opened(LoadedCascade.Places places, RunSettings settings) {
        FunctionPool functions = FunctionPoolReader.readOrShipped(pool);
        ScenarioCatalog catalog = ScenarioCatalogReader.readOrShipped(scenarios);
        LoadedCascade.requirePictures(data, places, settings);
        return LoadedCascade.open(places, functions, catalog, settings);
    }

    private RunSettings settings(@Nullable RemoteConfig remote) {
        try {
            boolean gated = gate == Switch.ON;
            return new RunSettings(
                    gated,
                    compress == Switch.ON,
                    topK,
                    gated ? tau() : 0,
                    remote == null ? new RunSettings.Local(maxNew, batchSize, dtype, constrained) : null,
                    remote == null ? null : remote.reasoner());
        } catch (IllegalArgumentException e) {
            throw new UsageException("--" + e.getMessage());
        }
    }

    private double tau() {
        if (threshold != null) {
            if (!(threshold >= 0 && threshold <= 1)) {
                throw new IllegalArgumentException("threshold = " + threshold + ", must lie in [0, 1]");
            }
            return threshold;
        }
        if (mpp == null) {
            throw new UsageException("the gate needs a perceiver: name its run with --mpp, or set --gate off");
        }
        return TriggerThreshold.load(mpp).threshold();
    }

    private RunDirectory runDirectory(LoadedCascade loaded, LoadedCascade.Places places, RunSettings settings) {
        Path directory = out.toAbsolutePath().resolveSibling(".").normalize();
        if (Files.exists(out) && !Files.exists(directory.resolve("run.json"))) {
            throw new UsageException(
                    out + ": exists, and no run.json beside it says what made it; name another --out or remove it");
        }
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("data_sha256", AtomicFiles.sha256(data));
        facts.putAll(LoadedCascade.pictureFacts(data, places, settings));
        facts.put("pool_sha256", pool == null ? "shipped" : AtomicFiles.sha256(pool));
        facts.put("scenarios_sha256", scenarios == null ? "shipped" : AtomicFiles.sha256(scenarios));
        facts.put("perceiver", loaded.perceiverId());
        facts.put("gate", gateSentence(settings));
        facts.put("mpp_sha256", perceiverSum(settings));
        facts.put("reasoner", loaded.reasonerId());
        facts.put(
                "model_sha256",
                reasoner.par == null
                        ? "none"
                        : HuggingFaceDirectory.open(reasoner.par).sha256());
        facts.put("predictions", String.valueOf(out.getFileName()));
        RunDescription description = new RunDescription(
                "eval run", spec.commandLine().getParseResult().originalArgs(), StrictYaml.write(settings), facts);
        return RunDirectory.open(directory, resume, description);
    }

    /** The gate's threshold with its rule and guarantee, as reports name it. */
    private String gateSentence(RunSettings settings) {
        if (!settings.gate()) {
            return "off";
        }
        return threshold != null || mpp == null
                ? "tau " + settings.threshold() + " (given), no guarantee"
                : TriggerThreshold.load(mpp).sentence();
    }

    /** What the threshold is stands in the resolved configuration already. */
    private String perceiverSum(RunSettings settings) {
        return mpp == null || !(settings.gate() || settings.compress()) ? "none" : MppModel.sha256(mpp);
    }

    private void reportDry(LoadedCascade loaded) {
        if (!json) {
            ResultStream.line("would run " + loaded.perceiverId() + " and " + loaded.reasonerId() + " over " + data);
            return;
        }
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("dry_run", true);
        result.put("perceiver", loaded.perceiverId());
        result.put("reasoner", loaded.reasonerId());
        result.put("data", data.toString());
        ResultStream.json(result);
    }

    private static Map<String, Object> finished(RunSummary summary) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("samples", summary.samples());
        result.put("silent_by_gate", summary.silentByGate());
        result.put("reasoned", summary.reasoned());
        result.put("acting", summary.acting());
        result.put("malformed", summary.malformed());
        result.put("seconds", summary.seconds());
        if (summary.remote() != null) {
            result.put("remote", summary.remote());
        }
        return result;
    }

    private void report(RunSummary summary) {
        if (json) {
            ResultStream.json(summary);
            return;
        }
        ResultStream.line(String.format(
                Locale.ROOT,
                "%d samples: %d silent by the gate, %d reasoned about (%d act, %d malformed), %.1f s; see %s",
                summary.samples(),
                summary.silentByGate(),
                summary.reasoned(),
                summary.acting(),
                summary.malformed(),
                summary.seconds(),
                summary.predictions()));
        RemoteUsage remote = summary.remote();
        if (remote != null) {
            ResultStream.line(String.format(
                    Locale.ROOT,
                    "%d answers (%d cut off, %d prompts too long), %s prompt tokens, %s completion tokens, cost %s",
                    remote.answers(),
                    remote.cut(),
                    remote.tooLong(),
                    orUnknown(remote.promptTokens()),
                    orUnknown(remote.completionTokens()),
                    orUnknown(remote.cost())));
        }
    }

    private static Object orUnknown(@Nullable Object figure) {
        return figure == null ? "unknown" : figure;
    }
}
