package dev.prpf.mpp.command;

import dev.prpf.base.command.CascadePart;
import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.OptionGroup;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.RecordLines;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleEncoders;
import dev.prpf.data.io.CatalogFiles;
import dev.prpf.data.io.SampleReader;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.threshold.TriggerThreshold;
import dev.prpf.mpp.training.MppRun;
import dev.prpf.mpp.training.TrainedRun;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Implements the command {@code prpf gate predict}. */
@Command(
        name = "predict",
        description =
                "Predict for every sample whether an intervention is due and which scenarios apply; labels are not"
                        + " needed.",
        footer = {
            "  ./prpf gate predict --gate runs/gate --out runs/gate/test.jsonl \\",
            "      --data data/synth/test/benchmark_zh.json --images data/synth/test"
        })
final class PredictCommand implements Runnable {
    private static final int CHUNK = 256;
    private static final RecordLines<Line> LINES = new RecordLines<>(Line.class, "prediction");

    @Option(
            names = "--gate",
            converter = CascadePart.Gate.class,
            required = true,
            paramLabel = "DIR",
            description = "Run of gate train, with the threshold that gate sweep chose.")
    private Path run;

    @Mixin
    private DataOptions input;

    @Option(
            names = "--out",
            required = true,
            paramLabel = "FILE",
            description = "JSON Lines, one for each sample;" + " overwritten.")
    private Path out;

    @Mixin
    private JsonOption output;

    private long samples;
    private long triggered;

    private record Line(String id, double pTrigger, boolean trigger, Map<String, Double> scenarios) {}

    private record Counts(String out, long samples, long triggered) {}

    @Override
    public void run() {
        TrainedRun trained = MppRun.trained(run);
        TriggerThreshold threshold = trained.threshold();
        EncoderSettings settings = trained.encoder(input.store, input.images);
        settings.requireImages(input.data);
        try (SampleEncoders encoders = new SampleEncoders(settings, SampleEncoder::open);
                Perceiver perceiver = trained.perceiver(encoders, input.catalog(run));
                SampleReader reader = SampleReader.open(input.data)) {
            AtomicFiles.write(out, file -> predict(perceiver, threshold, reader, file));
        }
        output.print(
                new Counts(out.toString(), samples, triggered),
                () -> triggered + " of " + samples + " samples trigger; see " + out);
    }

    private void predict(Perceiver perceiver, TriggerThreshold threshold, SampleReader reader, OutputStream file)
            throws IOException {
        List<Sample> chunk = new ArrayList<>();
        while (reader.hasNext()) {
            chunk.add(reader.next());
            if (chunk.size() == CHUNK || !reader.hasNext()) {
                write(chunk, perceiver.perceive(chunk), threshold, file);
                chunk.clear();
            }
        }
    }

    private void write(List<Sample> chunk, List<Perception> perceptions, TriggerThreshold threshold, OutputStream file)
            throws IOException {
        for (int i = 0; i < chunk.size(); i++) {
            Perception perception = perceptions.get(i);
            boolean triggers = perception.triggers(threshold.threshold());
            Line line = new Line(chunk.get(i).id(), perception.pTrigger(), triggers, perception.scenarios());
            file.write((LINES.line(line) + "\n").getBytes(StandardCharsets.UTF_8));
            samples++;
            triggered += triggers ? 1 : 0;
        }
    }

    /** Options for the paths of samples and their encodings; a mixin. */
    @OptionGroup(OptionGroup.DATA)
    static final class DataOptions {
        @Option(
                names = "--data",
                required = true,
                paramLabel = "FILE",
                description = "Samples of ProactiveMobile format, as JSON or Parquet.")
        Path data;

        @Option(
                names = "--scenarios",
                paramLabel = "FILE",
                description =
                        "Scenarios and the map function -> scenario (default: the scenarios that the functions state,"
                                + " else the shipped ones).")
        @Nullable
        Path scenarios;

        @Option(names = "--images", paramLabel = "DIR", description = "Root of the samples' image paths.")
        @Nullable
        Path images;

        @Option(
                names = "--store",
                paramLabel = "DIR",
                defaultValue = "runs/store",
                description = "Cache of encodings, read and extended (default: ${DEFAULT-VALUE}).")
        Path store;

        ScenarioCatalog catalog(FunctionPool pool) {
            return ScenarioCatalogReader.of(pool, scenarios);
        }

        /** Returns the scenarios that a gate was trained with. */
        ScenarioCatalog catalog(Path gate) {
            CatalogFiles files = CatalogFiles.find(gate);
            return ScenarioCatalogReader.read(scenarios != null || files == null ? scenarios : files.scenarios());
        }
    }
}
