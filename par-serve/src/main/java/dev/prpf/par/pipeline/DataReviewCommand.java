package dev.prpf.par.pipeline;

import dev.prpf.base.command.ConfigOptions;
import dev.prpf.base.config.Defaults;
import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.RecordLines;
import dev.prpf.base.files.Resource;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Language;
import dev.prpf.data.Sample;
import dev.prpf.data.command.CatalogOptions;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.data.io.RecordJson;
import dev.prpf.data.io.SampleReader;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.par.openai.ChatRequest.ChatPart;
import dev.prpf.par.openai.ChatRequest.SentImage;
import dev.prpf.par.pipeline.DataGenerateCommand.Budget;
import dev.prpf.par.pipeline.Pipeline.Model;
import dev.prpf.par.pipeline.Votes.Decision;
import dev.prpf.par.pipeline.Votes.Vote;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf data review}: keeps the records that rules, models and people accept. */
@Command(
        name = "review",
        description = {
            "Review records by rules, a panel of models, and people; two must agree.",
            "Always writes a page for people, review.html; its saved votes are given with --votes."
        },
        footer = {
            "  ./prpf data review --data data/generated/train.json --config configs/data-review.yaml --out data/reviewed",
            "  ./prpf data review --data data/generated/train.json --out data/reviewed --votes ann.json --votes bo.json",
            "Without --pool, the functions.json next to the data is used, else the shipped functions."
        })
public final class DataReviewCommand implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(DataReviewCommand.class);
    private static final String PAGE = "review.html";
    private static final ModelStep<Verdict> REVIEW = new ModelStep<>("review", Verdict.class, false);

    @Mixin
    private ConfigOptions common = new ConfigOptions();

    @Mixin
    private CatalogOptions catalogs = new CatalogOptions();

    @Option(names = "--data", required = true, paramLabel = "FILE", description = "Labelled records.")
    private Path data;

    @Option(names = "--images", paramLabel = "DIR", description = "Root of the records' image paths.")
    private @Nullable Path images;

    @Option(names = "--votes", paramLabel = "FILE", description = "Votes saved by the page (repeatable).")
    private List<Path> votes = List.of();

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "Folder of the result.")
    private Path out;

    @Option(names = "--yes", description = "Agree that data are sent to servers on other machines.")
    private boolean yes;

    record Verdict(boolean accept, String reason) {}

    /**
     * The configuration of a panel of models, {@code configs/data-review.yaml}.
     *
     * @param reviewers files of models, in the form of {@code configs/remote.yaml}; each model votes once
     */
    @Defaults(
            value = "/configs/data-review.yaml",
            except = {"reviewers"})
    public record Config(Language language, List<Path> reviewers, int retries, Budget budget, boolean consent) {
        public Config {
            Rule.require(!reviewers.isEmpty(), "reviewers", reviewers, "a list of at least one file");
            Rule.require(retries >= 0, "retries", retries, "at least 0");
        }
    }

    /**
     * The result of the command.
     *
     * @param broken number of records that break a rule; they are rejected
     * @param kappa mean of Cohen's kappa over pairs of reviewers, or null
     * @param acceptedBy percentage of accepted records by reviewer
     */
    private record Summary(
            int records,
            int accepted,
            int rejected,
            int open,
            int broken,
            int reviewers,
            @Nullable Double kappa,
            Map<String, Double> acceptedBy,
            String page) {}

    private record Rejection(String id, String decision, List<String> reasons) {}

    private record Reviewed(Sample sample, List<ChatPart> images) implements Pipeline.Item {
        @Override
        public String id() {
            return sample.id();
        }

        @Override
        public Map<String, String> values() {
            String answers = Objects.requireNonNull(sample.answers()).stream()
                    .map(answer -> FunctionCallJson.write(answer).toString())
                    .collect(Collectors.joining("\n"));
            return Map.of(
                    "record",
                    Draft.record(sample.context(), sample.trajectory().steps()) + "\nanswers:\n"
                            + (answers.isEmpty() ? Drafting.SILENCE : answers));
        }
    }

    @Override
    public void run() {
        Config config = common.config == null ? null : common.required(Config.class, "data review");
        List<Sample> read = SampleReader.readAll(data);
        List<Sample> samples = read.stream().filter(Sample::labelled).toList();
        if (samples.size() < read.size()) {
            LOG.warn("{} of {} records have no answers and are left out", read.size() - samples.size(), read.size());
        }
        Set<String> ids = samples.stream().map(Sample::id).collect(Collectors.toCollection(LinkedHashSet::new));
        String sha256 = AtomicFiles.sha256(data);
        List<Votes> all = new ArrayList<>();
        for (Path file : votes) {
            all.add(Votes.read(file, sha256, ids));
        }
        Map<String, String> broken = broken(samples);
        OpenedModels models = new OpenedModels(config == null ? List.of() : config.reviewers());
        requireOneVoteEach(Stream.concat(all.stream().map(Votes::reviewer), models.names().stream())
                .toList());
        List<Sample> asked = samples.stream()
                .filter(sample -> !broken.containsKey(sample.id()))
                .toList();
        if (config != null) {
            models.announce(asked.size() * models.names().size(), config.budget());
        }
        if (!common.dryRun && config != null) {
            models.requireConsent(yes || config.consent(), "the records" + (images == null ? "" : " and screenshots"));
            IoFailure.whileWriting(out, () -> Files.createDirectories(out));
            all.addAll(panel(config, models, asked, sha256));
        }
        Map<String, Decision> decisions = decisions(samples, all, broken);
        Summary summary = summary(decisions, all, broken.size());
        if (!common.dryRun) {
            IoFailure.whileWriting(out, () -> Files.createDirectories(out));
            write(samples, decisions, reasons(all, broken));
            AtomicFiles.writeText(out.resolve(PAGE), page(samples, sha256));
        }
        common.print(summary);
    }

    private static void requireOneVoteEach(List<String> reviewers) {
        Set<String> names = new LinkedHashSet<>();
        for (String reviewer : reviewers) {
            if (!names.add(reviewer)) {
                throw new UsageException("two files have the votes of " + reviewer + "; give one of them");
            }
        }
    }

    /** Returns the votes of each model; a record without a valid answer gets no vote of this model. */
    private List<Votes> panel(Config config, OpenedModels models, List<Sample> samples, String sha256) {
        ImageFolder folder = new ImageFolder(images);
        List<Reviewed> items = samples.stream()
                .map(sample -> new Reviewed(
                        sample,
                        images == null
                                ? List.of()
                                : folder.imagesOf(sample)
                                        .<ChatPart>map(image -> new ChatPart.Image(new SentImage(image, null)))
                                        .toList()))
                .toList();
        List<Votes> votes = new ArrayList<>();
        try (StopSignal stop = StopSignal.install();
                Pipeline pipeline = new Pipeline(
                        models.open(out, stop::requested), config.language(), config.retries(), config.budget())) {
            for (Model model : models.get(config.reviewers())) {
                List<Vote> own = new ArrayList<>();
                pipeline.ask(
                        REVIEW,
                        items,
                        item -> model,
                        (item, verdict) -> own.add(new Vote(item.id(), verdict.accept(), verdict.reason())));
                votes.add(new Votes(model.chat().model(), sha256, own));
            }
        }
        return votes;
    }

    /** Returns the first broken rule of records: invalid calls, steps without an action, falling times, or a told answer. */
    private Map<String, String> broken(List<Sample> samples) {
        Path near = data.resolveSibling("functions.json");
        if (catalogs.pool == null && Files.isRegularFile(near)) {
            catalogs.pool = near;
        }
        FunctionPool pool = catalogs.functions();
        LOG.info("{} functions of {}", pool.functions().size(), catalogs.pool == null ? "prpf" : catalogs.pool);
        Map<String, String> broken = new LinkedHashMap<>();
        for (Sample sample : samples) {
            List<String> steps = sample.trajectory().texts();
            boolean told = TraceRules.tells(steps, Objects.requireNonNull(sample.answers()));
            Stream<String> calls = sample.validSequences().stream()
                    .flatMap(List::stream)
                    .flatMap(call -> Stream.ofNullable(Drafting.fault(pool, call)));
            Stream<String> trace = Stream.concat(
                    Stream.ofNullable(TraceRules.fault(steps)), told ? Stream.of(TraceRules.TOLD) : Stream.empty());
            Stream.concat(calls, trace).findFirst().ifPresent(fault -> broken.put(sample.id(), fault));
        }
        return broken;
    }

    private static Map<String, Decision> decisions(List<Sample> samples, List<Votes> all, Map<String, String> broken) {
        Map<String, List<Boolean>> votes = Votes.byRecord(all);
        Map<String, Decision> decisions = new LinkedHashMap<>();
        for (Sample sample : samples) {
            String id = sample.id();
            decisions.put(
                    id, broken.containsKey(id) ? Decision.REJECTED : Votes.decide(votes.getOrDefault(id, List.of())));
        }
        return decisions;
    }

    private Summary summary(Map<String, Decision> decisions, List<Votes> all, int broken) {
        Map<String, Double> accepted = new TreeMap<>();
        all.forEach(reviewer -> accepted.put(
                reviewer.reviewer(),
                reviewer.votes().stream()
                        .mapToDouble(vote -> vote.accept() ? 100 : 0)
                        .average()
                        .orElse(Double.NaN))); // null in JSON
        return new Summary(
                decisions.size(),
                Collections.frequency(decisions.values(), Decision.ACCEPTED),
                Collections.frequency(decisions.values(), Decision.REJECTED),
                Collections.frequency(decisions.values(), Decision.OPEN),
                broken,
                all.size(),
                Votes.kappa(all),
                accepted,
                out.resolve(PAGE).toString());
    }

    private void write(List<Sample> samples, Map<String, Decision> decisions, Map<String, List<String>> reasons) {
        SampleWriter.write(
                out.resolve("accepted.json"),
                samples.stream()
                        .filter(sample -> decisions.get(sample.id()) == Decision.ACCEPTED)
                        .iterator());
        List<Rejection> others = samples.stream()
                .map(Sample::id)
                .filter(id -> decisions.get(id) != Decision.ACCEPTED)
                .map(id -> new Rejection(
                        id,
                        decisions.get(id) == Decision.OPEN ? "open" : "rejected",
                        reasons.getOrDefault(id, List.of())))
                .toList();
        new RecordLines<>(Rejection.class, "rejection").write(out.resolve("not-accepted.jsonl"), others);
    }

    /** Returns the reasons against records by id: a broken rule, then those of the rejecting votes. */
    private static Map<String, List<String>> reasons(List<Votes> all, Map<String, String> broken) {
        Map<String, List<String>> reasons = new HashMap<>();
        broken.forEach((id, rule) -> reasons.put(id, new ArrayList<>(List.of("rules: " + rule))));
        for (Votes reviewer : all) {
            reviewer.votes().stream().filter(vote -> !vote.accept()).forEach(vote -> reasons.computeIfAbsent(
                            vote.id(), first -> new ArrayList<>())
                    .add(reviewer.reviewer() + ": " + vote.reason()));
        }
        return reasons;
    }

    /** Returns the page with the records; a browser reads the images from the image root. */
    private String page(List<Sample> samples, String sha256) {
        String root = images == null
                ? ""
                : images.toAbsolutePath().toUri().toString().replace("'", "%27"); // ends a text of the script
        String records =
                JsonRecords.write(samples.stream().map(RecordJson::write).toList());
        return Resource.text(DataReviewCommand.class, PAGE)
                .replace("{sha256}", sha256)
                .replace("{images}", root)
                .replace("{records}", records.replace("<", "\\u003c"));
    }
}
