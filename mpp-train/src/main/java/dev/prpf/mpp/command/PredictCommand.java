package dev.prpf.mpp.command;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.Sample;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.io.SampleReader;
import dev.prpf.mpp.MppConfig;
import dev.prpf.mpp.MppModel;
import dev.prpf.mpp.MppPerceiver;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.TriggerThreshold;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf mpp predict}. */
@Command(
        name = "predict",
        description =
                "Say of every sample whether an intervention is due and which scenarios apply; answers are not needed.",
        footer = {
            "",
            "Example:",
            "  ./prpf mpp predict --run runs/mpp --out runs/mpp/test.jsonl \\",
            "      --data data/synth/test/benchmark_zh.json --images data/synth/test"
        })
public final class PredictCommand implements Callable<Integer> {
    private static final int CHUNK = 256;
    private static final ObjectMapper JSON = new ObjectMapper();

    @Option(
            names = "--run",
            required = true,
            paramLabel = "DIR",
            description = "Run of mpp train, with the threshold that mpp sweep chose.")
    private Path run;

    @Mixin
    private DataOptions input;

    @Option(names = "--out", required = true, paramLabel = "FILE", description = "JSON Lines, one a sample; replaced.")
    private Path out;

    @Mixin
    private JsonOption output;

    private long samples;
    private long triggered;

    @Override
    public Integer call() {
        TriggerThreshold threshold = TriggerThreshold.load(run);
        MppConfig config = StrictYaml.read(run.resolve("config.resolved.yaml"), MppConfig.class, List.of());
        MppModel model = MppModel.load(run);
        EncoderSettings settings = config.encoder().settings(input.store, input.images);
        settings.requirePictures(input.data);
        SampleEncoder encoder = SampleEncoder.open(settings);
        try (Perceiver perceiver = new MppPerceiver(model, encoder, input.catalog());
                SampleReader reader = SampleReader.open(input.data)) {
            AtomicFiles.write(out, file -> predict(perceiver, threshold, reader, file));
        }
        Map<String, Object> counts = new LinkedHashMap<>();
        counts.put("out", out.toString());
        counts.put("samples", samples);
        counts.put("triggered", triggered);
        if (output.json) {
            ResultStream.json(counts);
        } else {
            ResultStream.line(triggered + " of " + samples + " samples trigger; see " + out);
        }
        return 0;
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
            boolean triggers = threshold.triggers(perception);
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("id", chunk.get(i).id());
            line.put("p_trigger", perception.pTrigger());
            line.put("trigger", triggers);
            line.put("scenarios", perception.scenarios());
            file.write((JSON.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8));
            samples++;
            triggered += triggers ? 1 : 0;
        }
    }
}
