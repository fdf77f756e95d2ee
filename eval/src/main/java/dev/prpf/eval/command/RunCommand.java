package dev.prpf.eval.command;

import dev.prpf.base.command.CascadePart;
import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.command.RunOptions.TrackOption;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.Closing;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.command.CatalogOptions;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.eval.efficiency.DecoderFacts;
import dev.prpf.eval.score.RunFiles;
import dev.prpf.par.cascade.Cascade;
import dev.prpf.par.cascade.Cascade.ContextDimension;
import dev.prpf.par.cascade.LoadedCascade;
import dev.prpf.par.cascade.LocalReasoner;
import dev.prpf.par.cascade.RemoteReasoner;
import dev.prpf.par.command.LocalDecodingOptions.UsualPrecision;
import dev.prpf.par.openai.AnswerJournal;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.openai.RemoteUsage;
import dev.prpf.par.plan.PlannedCommand;
import dev.prpf.par.plan.PlannedGeneration;
import dev.prpf.par.plan.StageNeed;
import dev.prpf.par.plan.StagePlan;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.PromptSettings.ScreenshotForm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** Implements {@code prpf eval run}: the cascade over a file of samples. */
@Command(
        name = "run",
        defaultValueProvider = UsualPrecision.class,
        description = "Run the cascade over samples to predictions.jsonl; started again after a kill, it resumes.",
        footer = {
            "",
            "run.json and config.resolved.yaml are written next to the predictions: use one directory for each run.",
            "",
            "Example:",
            "  ./prpf eval run --data data/synth/test/benchmark_zh.json --images data/synth/test \\",
            "      --gate runs/gate --reasoner runs/reasoner/model --out runs/cascade/predictions.jsonl",
            "Without the perceiver (PRPF Table 2, w/o MPP): the same with --gating off --compress off.",
            "A language model as perceiver: --perceiver-model runs/single/model --perceiver-reads words instead of --gate.",
            "Sampled as in ProactiveMobile, without the user's profile: --temperature 1 --top-p 0.7 --seed 1 --without profile",
            "On four machines: --shard 1/4 to --shard 4/4, each into its own directory; then eval merge.",
            "With a reasoner on a server (docs/REMOTE.md):",
            "  ./prpf eval run --data data/synth/test/benchmark_zh.json --images data/synth/test \\",
            "      --gate runs/gate --remote configs/remote.yaml --out runs/remote/predictions.jsonl"
        })
final class RunCommand implements Runnable, PlannedCommand {
    /** Rounds of requests in a chunk: answers differ in speed, so one round would leave the server idle at its end. */
    private static final int ROUNDS = 4;

    enum Switch {
        ON,
        OFF
    }

    @CommandLine.Spec
    private CommandSpec spec;

    @Option(names = "--data", required = true, paramLabel = "FILE", description = "Samples, with or without answers.")
    private Path data;

    @Mixin
    private CatalogOptions pool;

    @Option(names = "--images", paramLabel = "DIR", description = "Root of the samples' image paths.")
    private @Nullable Path images;

    @Mixin
    private PerceiverOptions perceiver;

    @ArgGroup(exclusive = true, multiplicity = "1")
    private ReasonerChoice reasoner = new ReasonerChoice();

    static final class ReasonerChoice {
        @Option(
                names = "--reasoner",
                converter = CascadePart.Reasoner.class,
                paramLabel = "DIR",
                description = "The reasoner: a cascade, a training's run or a model directory.")
        private @Nullable Path par;

        @Option(
                names = "--remote",
                paramLabel = "FILE",
                description = "A reasoner on a server; see configs/remote.yaml.")
        private @Nullable Path remote;
    }

    @Mixin
    private DecodingOptions decoding;

    @Option(
            names = "--gating",
            defaultValue = "on",
            description = "on or off: silence below the threshold (default: on).")
    private Switch gate;

    @Option(
            names = "--compress",
            defaultValue = "on",
            description = "on or off: functions of the top K scenarios only (default: on).")
    private Switch compress;

    @Option(
            names = "--shortlist",
            defaultValue = "5",
            description = "Number of scenarios in a compressed pool (default: 5).")
    private int shortlist;

    @Option(
            names = "--without",
            paramLabel = "WHAT",
            description = "Hide profile, phone, world or trace from perceiver and reasoner (repeatable).")
    private List<ContextDimension> without = List.of();

    @Option(
            names = "--shard",
            paramLabel = "I/N",
            description = "Run only part I of N of the samples, selected by a hash of their ids (default: all).")
    private @Nullable String shard;

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

    @Mixin
    TrackOption tracking = new TrackOption();

    @Mixin
    private JsonOption output;

    @Option(names = "--dry-run", description = "Load everything, run nothing.")
    private boolean dryRun;

    @Override
    public void run() {
        Shard part = Shard.parse(shard);
        RemoteReasoner.Config remote = remote();
        RunSettings settings = settings(remote);
        AnswerJournal journal = new AnswerJournal(out.toAbsolutePath().resolveSibling("answers.jsonl"));
        try (StopSignal stop = StopSignal.install()) {
            LoadedCascade.ReasonerSource source = remote == null ? local(settings) : remote(remote, journal, stop);
            LoadedCascade.Places places = new LoadedCascade.Places(
                    perceiver.mpp, perceiver.source(settings.perceiving()), source, store, images);
            try (LoadedCascade loaded = opened(places, settings.cascade())) {
                if (dryRun) {
                    reportDry(loaded);
                    return;
                }
                int together = remote == null ? 1 : ROUNDS * remote.server().concurrency();
                try (RunDirectory run = runDirectory(loaded, places, settings, remote)) {
                    RunMeter meter = new RunMeter(run, sources(loaded));
                    long start = System.nanoTime();
                    new CascadeRun(loaded.cascade(), data, out, new CascadeRun.Part(part, together), meter).run(stop);
                    double seconds = (System.nanoTime() - start) / 1e9;
                    DecoderFacts decoder =
                            loaded.cascade().reasoner() instanceof LocalReasoner local ? DecoderFacts.of(local) : null;
                    RemoteUsage usage = remote == null ? null : journal.usage(remote.price());
                    RunSummary summary =
                            RunSummary.of(out, new RunSummary.Took(seconds, meter.total(), decoder, usage));
                    run.finish(summary);
                    report(summary);
                }
            }
        }
    }

    @Override
    public StageNeed need(StagePlan plan) {
        LocalReasoner.Settings local = decoding.local();
        return Stream.of(Optional.ofNullable(reasoner.par), perceiver.languageModel())
                .flatMap(Optional::stream)
                .map(model -> new PlannedGeneration(
                                plan.model(model),
                                local.dtype(),
                                local.batchSize(),
                                local.maxNew(),
                                compress == Switch.ON)
                        .need(plan, plan.source(data).records(), 1))
                .reduce(StageNeed::plus)
                .orElseGet(StageNeed::withoutModel);
    }

    private static RunMeter.Sources sources(LoadedCascade loaded) {
        return new RunMeter.Sources(
                loaded.reasonerBytes(), loaded.encoders()::reused, loaded.card(), loaded.reasonerOnCard());
    }

    private RemoteReasoner.@Nullable Config remote() {
        ParseResult given = spec.commandLine().getParseResult();
        if (reasoner.remote == null) {
            DecodingOptions.refuseOverrides(given);
            return null;
        }
        return decoding.remote(reasoner.remote, given, perceiver.isLanguageModel());
    }

    private LoadedCascade.ReasonerSource local(RunSettings settings) {
        Path par = Objects.requireNonNull(reasoner.par, "one of the two is given");
        LocalReasoner.Settings local =
                Objects.requireNonNull(settings.reasoner().local());
        return (catalog, texts) -> LocalReasoner.open(par, catalog, texts, local);
    }

    private LoadedCascade.ReasonerSource remote(RemoteReasoner.Config remote, AnswerJournal journal, StopSignal stop) {
        RemoteReasoner.RemoteSettings queries = remote.reasoner();
        return (catalog, texts) -> Closing.ifRefused(
                new ChatClient(remote.server(), queries.model(), System.getenv(), stop::requested),
                client -> new RemoteReasoner(
                        queries,
                        client,
                        journal,
                        new PromptRenderer(queries.prompt(), catalog, texts),
                        new ImageFolder(images)));
    }

    private LoadedCascade opened(LoadedCascade.Places places, Cascade.Settings settings) {
        pool.ofGate(perceiver.mpp);
        FunctionPool functions = pool.functions();
        ScenarioCatalog catalog = pool.catalog();
        if (settings.readsTrace() && (settings.perceives() || images != null)) {
            places.encoders(settings).requireImages(data); // before any model is loaded
        }
        return LoadedCascade.open(places, functions, catalog, settings);
    }

    private RunSettings settings(RemoteReasoner.@Nullable Config remote) {
        try {
            boolean gated = gate == Switch.ON;
            Cascade.Settings cascade =
                    new Cascade.Settings(gated, compress == Switch.ON, shortlist, gated ? perceiver.tau() : 0, without);
            return new RunSettings(
                    cascade, perceiver.perceiving(decoding.local(), cascade.perceives()), decoding.answering(remote));
        } catch (IllegalArgumentException e) {
            throw new UsageException("--" + e.getMessage());
        }
    }

    /** The settings that determine the predictions in addition to data and models. A run resumes only with equal settings. */
    private record RunSettings(
            Cascade.Settings cascade, PerceiverOptions.Perceiving perceiving, DecodingOptions.Answering reasoner) {
        String yaml() {
            return StrictYaml.write(cascade) + StrictYaml.write(perceiving) + StrictYaml.write(reasoner);
        }
    }

    private RunDirectory runDirectory(
            LoadedCascade loaded,
            LoadedCascade.Places places,
            RunSettings settings,
            RemoteReasoner.@Nullable Config remote) {
        Path directory = out.toAbsolutePath().resolveSibling(".").normalize();
        if (Files.exists(out) && !Files.exists(directory.resolve("run.json"))) {
            throw new UsageException(
                    out + ": exists, and no run.json next to it says what made it; name another --out or remove it");
        }
        Map<String, Object> facts = facts(loaded, places, settings.cascade(), remote);
        return RunDirectory.open(
                directory, resume, new RunDescription("eval run", output.arguments(), settings.yaml(), facts));
    }

    private Map<String, Object> facts(
            LoadedCascade loaded,
            LoadedCascade.Places places,
            Cascade.Settings cascade,
            RemoteReasoner.@Nullable Config remote) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("data_sha256", AtomicFiles.sha256(data));
        if (cascade.readsTrace()) {
            facts.putAll(places.encoders(cascade).imageFacts("images_sha256", data));
        }
        facts.put(RunFiles.WITHOUT, cascade.without().stream().map(EnumName::of).toList());
        facts.put("pool_sha256", pool.poolSha256());
        facts.put("scenarios_sha256", pool.scenariosSha256());
        facts.put("gate", cascade.gate() ? perceiver.sentence(cascade.threshold()) : "off");
        facts.putAll(perceiver.facts(loaded.perceiverId(), cascade.perceives()));
        facts.putAll(DecodingOptions.facts(loaded.cascade().reasoner().id(), reasoner.par, remote));
        ScreenshotForm screenshots = prompt(remote).screenshots();
        if (screenshots.showsImages()) {
            facts.put(RunDescription.PROMPT_SCREENSHOTS, EnumName.of(screenshots));
        }
        facts.put("predictions", String.valueOf(out.getFileName()));
        if (shard != null) {
            facts.put("shard", shard);
        }
        return facts;
    }

    private PromptSettings prompt(RemoteReasoner.@Nullable Config remote) {
        return remote == null
                ? PromptProvenance.read(Objects.requireNonNull(reasoner.par, "one of the two is given"))
                        .prompt()
                : remote.reasoner().prompt();
    }

    /** The result that {@code --dry-run --json} prints. */
    private record Plan(boolean dryRun, String perceiver, String reasoner, String data) {}

    private void reportDry(LoadedCascade loaded) {
        String reasonerId = loaded.cascade().reasoner().id();
        Plan plan = new Plan(true, loaded.perceiverId(), reasonerId, data.toString());
        output.print(plan, () -> "would run " + plan.perceiver() + " and " + plan.reasoner() + " over " + plan.data());
    }

    private void report(RunSummary summary) {
        output.printLines(summary, summary::lines);
        RemoteUsage usage = summary.took().remote();
        if (usage != null) {
            if (!output.json) {
                ResultStream.metrics(usage, false);
            }
            usage.requireAnswers();
        }
    }
}
