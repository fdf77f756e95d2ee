package dev.prpf.cli.recipe;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Sample;
import dev.prpf.data.io.SampleReader;
import dev.prpf.par.cascade.CascadeFolder;
import dev.prpf.par.cascade.LoadedCascade;
import dev.prpf.par.cascade.Prediction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements the command {@code prpf try}: one record through a cascade, in the terminal. */
@Command(
        name = "try",
        description = "Answer one record with a cascade and print the record, the gate's probability and the answer.",
        footer = {
            "  ./prpf try runs/my-assistant                                  (an example of its training)",
            "  ./prpf try runs/my-assistant --data records.json --id r7"
        })
public final class TryCommand implements Runnable {
    @Parameters(paramLabel = "CASCADE", description = "Folder made by prpf train.")
    private Path folder = Path.of("");

    @Option(
            names = "--data",
            paramLabel = "FILE",
            description = "File with the record (default: the test records of the training, or the training records).")
    private @Nullable Path data;

    @Option(names = "--id", paramLabel = "ID", description = "Id of the record (default: the first that wants help).")
    private @Nullable String id;

    @Option(names = "--images", paramLabel = "DIR", description = "Folder of the record's images.")
    private @Nullable Path images;

    @Mixin
    private JsonOption output;

    @Override
    public void run() {
        CascadeFolder cascade = CascadeFolder.open(folder);
        RecipeFiles files = RecipeFiles.of(folder);
        Path file = files.requireRecords(data, Files.exists(files.test()) ? files.test() : files.train());
        Sample sample = sample(file);
        double threshold = cascade.manifest().threshold();
        Path store = folder.resolve("evaluations").resolve("store");
        Path root = images == null ? files.imagesOf(file) : images;
        try (LoadedCascade loaded = LoadedCascade.open(cascade, LoadedCascade.reasonerOf(cascade), store, root)) {
            Prediction prediction =
                    loaded.cascade().predict(List.of(sample), () -> {}).get(0);
            output.printLines(prediction.withoutCost(), () -> lines(sample, prediction, threshold));
        }
    }

    private Sample sample(Path file) {
        List<Sample> samples = SampleReader.readAll(file);
        if (id == null) {
            return samples.stream()
                    .filter(sample -> sample.labelled() && sample.wantsIntervention())
                    .findFirst()
                    .or(() -> samples.stream().findFirst())
                    .orElseThrow(() -> new UsageException(file + ": holds no records"));
        }
        return samples.stream()
                .filter(sample -> sample.id().equals(id))
                .findFirst()
                .orElseThrow(
                        () -> new UsageException("--id " + id + ": no record of " + file + " has this id; the first is "
                                + samples.stream().findFirst().map(Sample::id).orElse("none")));
    }

    private static List<String> lines(Sample sample, Prediction prediction, double threshold) {
        List<String> lines = new ArrayList<>(List.of("record " + sample.id()));
        Stream.concat(
                        sample.context().texts().stream(),
                        sample.trajectory().steps().stream().map(step -> "- " + step.text(image -> image.path())))
                .filter(text -> !text.isBlank())
                .forEach(text -> lines.add("  " + text));
        Double probability = prediction.pTrigger();
        lines.add(String.format(
                Locale.ROOT,
                "gate: %.2f %s the threshold %.2f",
                probability,
                prediction.route() == Prediction.Route.REASONED ? ">=" : "<",
                threshold));
        lines.add("answer: "
                + (prediction.calls() == null ? "malformed: " + prediction.response() : calls(prediction.calls())));
        if (sample.labelled()) {
            lines.add("label: " + calls(sample.validSequences()));
        }
        return lines;
    }

    private static String calls(List<List<FunctionCall>> sequences) {
        return sequences.stream().allMatch(List::isEmpty)
                ? "silence"
                : sequences.stream()
                        .map(calls -> calls.stream()
                                .map(call -> call.name() + " " + call.parameters())
                                .collect(Collectors.joining(", then ")))
                        .collect(Collectors.joining(" or "));
    }
}
