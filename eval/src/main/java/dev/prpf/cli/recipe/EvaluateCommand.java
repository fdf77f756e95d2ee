package dev.prpf.cli.recipe;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.Suggestion;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.workflow.InThisProcess;
import dev.prpf.base.workflow.Stage;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.SampleReader;
import dev.prpf.eval.report.PipelineReport;
import dev.prpf.eval.score.Scores;
import dev.prpf.mpp.split.SplitRecord;
import dev.prpf.mpp.training.MppRun;
import dev.prpf.mpp.training.TrainedRun;
import dev.prpf.par.cascade.CascadeFolder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Implements the command {@code prpf evaluate}: {@code eval run} and {@code eval score} with the settings of a cascade. */
@Command(
        name = "evaluate",
        description = {
            "Run a cascade over labelled records and score it. Functions, scenarios, threshold and decoding are the cascade's.",
            "The report goes to evaluations/ in the cascade's folder. After a kill the same command resumes."
        },
        footer = "  ./prpf evaluate runs/my-assistant --data more-records.json")
public final class EvaluateCommand implements Runnable {
    private static final int HASH_SHOWN = 12;

    @Parameters(paramLabel = "CASCADE", description = "Folder made by prpf train.")
    private Path folder = Path.of("");

    @Option(
            names = "--data",
            paramLabel = "FILE",
            description = "Labelled records (default: the test records of the training).")
    private @Nullable Path data;

    @Option(
            names = "--images",
            paramLabel = "DIR",
            description = "Folder of the records' images (default for records of the training: the recipe's).")
    private @Nullable Path images;

    @Mixin
    private JsonOption output;

    @Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public void run() {
        CascadeFolder cascade = CascadeFolder.open(folder);
        RecipeFiles files = RecipeFiles.of(folder);
        Path records = files.requireRecords(data, files.test());
        List<Sample> samples = labelled(records);
        FunctionPool pool = FunctionPoolFile.read(cascade.catalog().functions());
        requireKnownFunctions(pool, records, samples);
        Integer known = inTraining(cascade, samples);
        Path root = images == null ? files.imagesOf(records) : images;
        Path out = folder.resolve("evaluations").resolve(nameOf(records, root));
        RecipeResults.Tested tested =
                new RecipeResults.Tested(records, root, out.resolveSibling("store"), out.resolve("predictions.jsonl"));
        List<String> run = run(cascade, tested);
        System.err.println(Stage.typed(run));
        InThisProcess.of(spec).run(run);
        List<String> score = score(cascade, tested, out);
        System.err.println(Stage.typed(score));
        PipelineReport compared = print(score, known, files, tested);
        Recipe recipe = files.recipe();
        if (compared != null && recipe != null) {
            ResultNotes.print(compared, recipe, pool, samples);
        }
        System.err.println("report: " + out.resolve("report.html"));
    }

    /** Scores the predictions and prints the scores, with baselines if there are any. */
    private @Nullable PipelineReport print(
            List<String> score, @Nullable Integer known, RecipeFiles files, RecipeResults.Tested tested) {
        InThisProcess commands = InThisProcess.of(spec);
        if (output.json) {
            Scores scores = (Scores) Objects.requireNonNull(commands.call(score, System.err));
            PipelineReport compared = compared(files, tested);
            ResultStream.json(json(scores, known, compared));
            return compared;
        }
        commands.runShown(score);
        PipelineReport compared = compared(files, tested);
        if (compared != null) {
            ResultStream.line("\n" + compared.text());
        }
        return compared;
    }

    /** Reads labelled records; unlabelled ones are refused before anything long runs. */
    private static List<Sample> labelled(Path records) {
        List<Sample> samples = SampleReader.readAll(records);
        List<Sample> without =
                samples.stream().filter(sample -> !sample.labelled()).toList();
        if (samples.isEmpty() || !without.isEmpty()) {
            throw new InvalidDataException(records + ": "
                    + (samples.isEmpty()
                            ? "holds no records"
                            : without.size() + " of " + samples.size() + " records have no answers, the first is "
                                    + without.get(0).id())
                    + "; evaluate compares with answers: add \"recommendations\" ([] where silence is right), or get"
                    + " predictions without scores with `prpf eval run`");
        }
        return samples;
    }

    private static void requireKnownFunctions(FunctionPool pool, Path records, List<Sample> samples) {
        for (Sample sample : samples) {
            sample.validSequences().stream()
                    .flatMap(List::stream)
                    .map(FunctionCall::name)
                    .filter(name -> !pool.contains(name))
                    .findFirst()
                    .ifPresent(name -> {
                        throw new InvalidDataException(records + ": the answer of record " + sample.id() + " calls "
                                + name + ", which is no function of the cascade" + Suggestion.hint(name, pool.names())
                                + "; name records whose answers the cascade can give");
                    });
        }
    }

    /** Returns the number of records with the content of a record of the gate's training, with a note; null if unknown. */
    private static @Nullable Integer inTraining(CascadeFolder cascade, List<Sample> samples) {
        Path split = cascade.gate().resolve(TrainedRun.SPLIT);
        if (!Files.exists(split)) {
            System.err.println("note: " + split + " is missing, as in cascades of older versions, so records of the"
                    + " training are not recognized; `prpf train RECIPE.yaml` writes it");
            return null;
        }
        Set<String> contents = MppRun.trained(cascade.gate()).split().entries().stream()
                .map(SplitRecord.Entry::content)
                .collect(Collectors.toSet());
        int known = (int) samples.stream()
                .filter(sample -> contents.contains(SplitRecord.contentOf(sample)))
                .count();
        System.err.println("note: " + known + " of " + samples.size() + " records were in the training"
                + (known == 0 ? "" : ", by their content; scores on them do not hold for new records"));
        return known;
    }

    /** Compares the cascade with baselines, which need the training records; null without them. */
    private static @Nullable PipelineReport compared(RecipeFiles files, RecipeResults.Tested tested) {
        Recipe recipe = files.recipe();
        if (recipe == null || !Files.exists(files.train())) {
            System.err.println("note: no baselines, " + files.train() + " is missing");
            return null;
        }
        RecipeResults results = RecipeResults.of(files, recipe, tested);
        return new PipelineReport(results.systems(), results.gates(), Map.of());
    }

    /** Returns the scores with the number of records known from training, and with all systems and gates as {@code train} prints them. */
    private static ObjectNode json(Scores scores, @Nullable Integer known, @Nullable PipelineReport compared) {
        ObjectNode json = (ObjectNode) JsonRecords.tree(scores);
        json.put("n_in_training", known);
        json.set("results", compared == null ? null : JsonRecords.tree(compared.overall()));
        json.set("gates", compared == null ? null : JsonRecords.tree(compared.gates()));
        return json;
    }

    /** Returns the name of an evaluation's folder: other records or other images get another one. */
    static String nameOf(Path records, @Nullable Path images) {
        String hash = AtomicFiles.sha256(records);
        if (images != null) {
            String both = hash + "\n" + images.toAbsolutePath().normalize();
            hash = AtomicFiles.sha256(both.getBytes(StandardCharsets.UTF_8));
        }
        return hash.substring(0, HASH_SHOWN);
    }

    private static List<String> run(CascadeFolder cascade, RecipeResults.Tested tested) {
        CascadeFolder.Answering answering = cascade.manifest().answering();
        List<String> words = new ArrayList<>(
                List.of("eval", "run", "--data", tested.records().toString()));
        Path root = tested.images();
        if (root != null) {
            words.addAll(List.of("--images", root.toString()));
        }
        words.addAll(List.of(
                "--gate",
                cascade.gate().toString(),
                "--reasoner",
                cascade.reasoner().toString()));
        words.addAll(List.of("--shortlist", String.valueOf(answering.shortlist())));
        words.addAll(List.of("--max-new", String.valueOf(answering.maxNewTokens())));
        words.add(answering.constrained() ? "--constrained" : "--no-constrained");
        words.addAll(List.of("--store", tested.store().toString()));
        words.addAll(List.of("--out", tested.predictions().toString()));
        return words;
    }

    private static List<String> score(CascadeFolder cascade, RecipeResults.Tested tested, Path out) {
        List<String> words = new ArrayList<>(
                List.of("eval", "score", "--gold", tested.records().toString()));
        words.addAll(List.of("--pool", cascade.catalog().functions().toString()));
        words.addAll(List.of("--scenarios", cascade.catalog().scenarios().toString()));
        words.addAll(List.of("--predictions", tested.predictions().toString(), "--out", out.toString()));
        return words;
    }
}
