package dev.prpf.par.pipeline;

import dev.prpf.base.command.ConfigOptions;
import dev.prpf.base.config.Defaults;
import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.LockFile;
import dev.prpf.base.files.RecordLines;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Language;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.command.CatalogOptions;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.CatalogFiles;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.data.io.Validator;
import dev.prpf.par.openai.RemoteUsage;
import dev.prpf.par.pipeline.Pipeline.Dropped;
import dev.prpf.par.pipeline.Pipeline.StepCount;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf data generate}: makes labelled records with language models. */
@Command(
        name = "generate",
        description = {
            "Make labelled records with language models, by ProactiveMobile's pipeline.",
            "Run again to resume: no answered request is sent again."
        },
        footer = {
            "  ./prpf data generate --config configs/data-generate.yaml --out data/generated --dry-run",
            "  ./prpf data generate --config configs/data-generate.yaml --out data/generated",
            "writes train.json, test.json, functions.json, scenarios.json, reasoning.jsonl and dropped.jsonl there."
        })
public final class DataGenerateCommand implements Runnable {
    private static final int SEED_STEPS = 3;
    private static final List<String> SPLITS = List.of("train", "test");

    @Mixin
    private ConfigOptions common = new ConfigOptions();

    @Mixin
    private CatalogOptions catalogs = new CatalogOptions();

    @Option(
            names = "--out",
            required = true,
            paramLabel = "DIR",
            description = "Folder of the data set and of the models' answers.")
    private Path out;

    @Option(
            names = "--images",
            paramLabel = "DIR",
            description = "Root of the seeds' image paths; a seed with images gets them as its trace.")
    private @Nullable Path images;

    @Option(names = "--yes", description = "Agree that data are sent to servers on other machines.")
    private boolean yes;

    /**
     * The configuration of the command, {@code configs/data-generate.yaml}.
     *
     * @param count number of seeds from the pool; not used with a file of seeds
     * @param candidates number of intents that each candidate model proposes
     * @param support lowest number of candidates with one meaning
     * @param testShare share of the seeds that are for the test
     * @param balance largest number of records of a scenario, as a multiple of the rarest scenario's
     */
    @Defaults(
            value = "/configs/data-generate.yaml",
            except = {"models.authors", "models.checker", "models.candidates", "models.editor"})
    public record Config(
            Language language,
            long seed,
            @Nullable Path seeds,
            int count,
            double silentShare,
            int recordsPerSeed,
            Models models,
            int candidates,
            int support,
            Noise noise,
            int retries,
            double testShare,
            double balance,
            Budget budget,
            boolean consent) {
        public Config {
            Rule.require(count >= 1, "count", count, "at least 1");
            Rule.require(silentShare >= 0 && silentShare <= 1, "silent-share", silentShare, "in [0, 1]");
            Rule.require(recordsPerSeed >= 1, "records-per-seed", recordsPerSeed, "at least 1");
            Rule.require(candidates >= 1, "candidates", candidates, "at least 1");
            Rule.require(support >= 1, "support", support, "at least 1");
            Rule.require(retries >= 0, "retries", retries, "at least 0");
            Rule.require(testShare >= 0 && testShare <= 1, "test-share", testShare, "in [0, 1]");
            Rule.require(balance >= 1, "balance", balance, "at least 1");
        }

        /** Returns the largest number of requests without repetitions. */
        private int requests(int seedCount) {
            int each = 2 + models.candidates().size() + 1 + 2 * Drafting.TOP + noise.requests();
            return seedCount * (SEED_STEPS + recordsPerSeed * each);
        }
    }

    /**
     * Files of the models by role, in the form of {@code configs/remote.yaml}.
     *
     * @param authors write situations and contexts, in turns
     * @param checker judges whether a context is plausible
     * @param candidates propose intents
     * @param editor groups intents, explains them, maps them to calls and writes noise
     */
    public record Models(List<Path> authors, Path checker, List<Path> candidates, Path editor) {
        public Models {
            Rule.require(!authors.isEmpty(), "authors", authors, "a list of at least one file");
            Rule.require(!candidates.isEmpty(), "candidates", candidates, "a list of at least one file");
        }

        private Set<Path> files() {
            Set<Path> files = new LinkedHashSet<>(authors);
            files.add(checker);
            files.addAll(candidates);
            files.add(editor);
            return files;
        }
    }

    /**
     * The amount of irrelevant text, as a multiple of the relevant text's length.
     *
     * @param requests maximum number of requests for it
     */
    public record Noise(double least, double most, int requests) {
        public Noise {
            Rule.require(least >= 0, "least", least, "at least 0");
            Rule.require(most >= least, "most", most, "at least the value of least");
            Rule.require(requests >= 1, "requests", requests, "at least 1");
        }
    }

    /**
     * The limit of a run and of its earlier parts.
     *
     * @param answers maximum number of answers
     * @param cost maximum cost in the currency of the prices, or null for no limit
     */
    public record Budget(int answers, @Nullable Double cost) {
        public Budget {
            Rule.require(answers >= 0, "answers", answers, "at least 0");
            Rule.require(cost == null || cost >= 0, "cost", cost, "at least 0 or null");
        }
    }

    /**
     * The result of the command.
     *
     * @param seeds number of seeds
     * @param records number of records by split; null for a dry run
     * @param dropped number of dropped items by step
     * @param requests maximum number of requests without repetitions
     * @param usage over all parts of the run; null for a dry run
     */
    private record Summary(
            String out,
            int seeds,
            @Nullable Map<String, Integer> records,
            Map<String, StepCount> steps,
            Map<String, Integer> dropped,
            int requests,
            Budget budget,
            @Nullable RemoteUsage usage,
            List<String> models) {}

    private record ReasoningLine(String id, int answer, String reasoning) {}

    @Override
    public void run() {
        Config config = common.required(Config.class, "data generate");
        FunctionPool pool = catalogs.pool == null
                ? config.language().of(FunctionPoolFile.shipped(), FunctionPoolFile.shippedEnglish())
                : catalogs.functions();
        ScenarioCatalog catalog = ScenarioCatalogReader.of(pool, catalogs.scenarios);
        List<Seed> seeds = config.seeds() == null
                ? Seed.ofPool(pool, catalog, config.language(), config)
                : Seed.read(config.seeds(), catalog);
        OpenedModels models = new OpenedModels(config.models().files());
        Summary plan = plan(config, seeds, models);
        models.announce(plan.requests(), config.budget());
        if (common.dryRun) {
            common.print(plan);
            return;
        }
        models.requireConsent(
                yes || config.consent(),
                "seeds, the records made from them, the function pool" + (images == null ? "" : ", screenshots"));
        IoFailure.whileWriting(out, () -> Files.createDirectories(out));
        try (LockFile lock = LockFile.tryTake(out.resolve("generate.lock"))) {
            if (lock == null) {
                throw new UnavailableException(out + " is in use by another run; wait for its end");
            }
            generate(config, new Catalog(pool, catalog), seeds, models);
        }
    }

    private record Catalog(FunctionPool pool, ScenarioCatalog scenarios) {}

    private Summary plan(Config config, List<Seed> seeds, OpenedModels models) {
        return new Summary(
                out.toString(),
                seeds.size(),
                null,
                Map.of(),
                Map.of(),
                config.requests(seeds.size()),
                config.budget(),
                null,
                models.places());
    }

    private void generate(Config config, Catalog catalog, List<Seed> seeds, OpenedModels models) {
        try (StopSignal stop = StopSignal.install();
                Pipeline pipeline = new Pipeline(
                        models.open(out, stop::requested), config.language(), config.retries(), config.budget())) {
            Models files = config.models();
            Drafting.Roles roles = new Drafting.Roles(
                    models.get(files.authors()),
                    models.get(files.checker()),
                    models.get(files.candidates()),
                    models.get(files.editor()));
            Selection selection = new Selection(pipeline, config, catalog.scenarios());
            List<Draft> drafts =
                    new Drafting(pipeline, roles, config, catalog.pool()).run(seeds, new ImageFolder(images));
            drafts = selection.balanced(selection.distinct(drafts));
            new RecordLines<>(Dropped.class, "dropped item").write(out.resolve("dropped.jsonl"), pipeline.dropped());
            if (drafts.isEmpty()) {
                throw new InvalidDataException("no record passed all steps; " + out.resolve("dropped.jsonl")
                        + " has the reason of each of " + pipeline.dropped().size() + " dropped items");
            }
            Map<String, Integer> records = write(config, catalog, drafts, selection.testSeeds(drafts));
            Summary plan = plan(config, seeds, models);
            Map<String, Integer> dropped = new TreeMap<>();
            pipeline.dropped().forEach(item -> dropped.merge(item.step(), 1, Integer::sum));
            common.print(new Summary(
                    plan.out(),
                    plan.seeds(),
                    records,
                    pipeline.counts(),
                    dropped,
                    plan.requests(),
                    plan.budget(),
                    pipeline.usage(),
                    plan.models()));
        }
    }

    /** Writes the data set and returns the number of records by split. */
    private Map<String, Integer> write(Config config, Catalog catalog, List<Draft> drafts, Set<String> testSeeds) {
        CatalogFiles files = CatalogFiles.in(out);
        files.write(catalog.pool(), catalog.scenarios());
        String separator = config.language().of("", " ");
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (String split : SPLITS) {
            List<Sample> samples = drafts.stream()
                    .filter(draft -> testSeeds.contains(draft.seed.id()) == split.equals("test"))
                    .map(draft -> draft.sample(split, draft.scenario(catalog.scenarios()), separator))
                    .toList();
            counts.put(split, samples.size());
            Path file = out.resolve(split + ".json");
            SampleWriter.write(file, samples.iterator());
            Validator.Settings settings =
                    new Validator.Settings(catalog.scenarios(), images, false, AnswersMapping.standard());
            Validator.validate(file, files.functions(), settings, finding -> {
                if (finding.defect().isFatal()) {
                    throw new InvalidDataException(file + ": " + finding.toLine());
                }
            });
        }
        List<ReasoningLine> reasoning = drafts.stream()
                .flatMap(draft -> draft.intents.stream()
                        .map(intent -> new ReasoningLine(draft.id, intent.rank, intent.reasoning)))
                .toList();
        new RecordLines<>(ReasoningLine.class, "reasoning").write(out.resolve("reasoning.jsonl"), reasoning);
        return counts;
    }
}
