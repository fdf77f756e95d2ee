package dev.prpf.mpp.command;

import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.command.CommonOptions;
import dev.prpf.data.command.ResultStream;
import dev.prpf.data.config.StrictYaml;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.io.FunctionPoolReader;
import dev.prpf.data.io.SampleReader;
import dev.prpf.data.run.AtomicFiles;
import dev.prpf.data.run.PrpfException;
import dev.prpf.data.run.RunDescription;
import dev.prpf.data.run.RunDirectory;
import dev.prpf.mpp.MppConfig;
import dev.prpf.mpp.network.MppNetwork;
import dev.prpf.mpp.training.TrainingJob;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf mpp train}. */
@Command(
        name = "train",
        description = "Train the perceiver; killed and started again, it goes on where it was.",
        footer = {
            "",
            "Example:",
            "  ./prpf mpp train --config configs/mpp.yaml --data data/train.json --images data/images \\",
            "      --store runs/store --run-dir runs/mpp"
        })
public final class TrainCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(TrainCommand.class);

    @Mixin
    private CommonOptions common;

    @Mixin
    private DataOptions input;

    @Option(
            names = "--pool",
            paramLabel = "FILE",
            description = "The function pool; every function must have a scenario (default: the shipped one).")
    private @Nullable Path pool;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        MppConfig config = StrictYaml.read(configFile(), MppConfig.class, common.overrides);
        MppNetwork.requireDevice(config.device());
        ScenarioCatalog catalog = input.catalog();
        requireMapped(catalog, FunctionPoolReader.readOrShipped(pool));
        Path directory = common.runDirectory("mpp-train");
        List<Sample> samples = SampleReader.readAll(input.data);
        try (SampleEncoder encoder = SampleEncoder.open(config.encoder().settings(input.store, input.images))) {
            if (common.dryRun) {
                report(Map.of("run", directory.toString(), "samples", samples.size(), "would", "encode and train"));
                return 0;
            }
            RunDirectory run = RunDirectory.open(directory, common.resume, description(config, catalog, encoder));
            if (run.finished()) {
                LOG.info("{} came to its end before; nothing is left to do", directory);
            }
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("run", directory.toString());
            result.putAll(new TrainingJob(config, catalog).run(samples, encoder, run));
            report(result);
        }
        return 0;
    }

    private Path configFile() {
        if (common.config == null) {
            throw PrpfException.badConfig("mpp train needs --config; the paper's values are in configs/mpp.yaml");
        }
        return common.config;
    }

    private static void requireMapped(ScenarioCatalog catalog, FunctionPool functions) {
        List<String> missing = catalog.missing(functions);
        if (!missing.isEmpty()) {
            throw PrpfException.badData("the scenario file maps no scenario to " + missing.size()
                    + " functions of the pool, the first are "
                    + missing.subList(0, Math.min(5, missing.size()))
                    + "; add them to its \"functions\"");
        }
    }

    private RunDescription description(MppConfig config, ScenarioCatalog catalog, SampleEncoder encoder) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("data", Map.of("sha256", AtomicFiles.sha256(input.data)));
        facts.put("pool_sha256", pool == null ? "shipped" : AtomicFiles.sha256(pool));
        facts.put("scenarios_sha256", input.scenarios == null ? "shipped" : AtomicFiles.sha256(input.scenarios));
        facts.put("seed", config.seed());
        facts.put("text_encoder", encoder.textEncoderId());
        facts.put("frame_encoder", encoder.frameEncoderId());
        facts.put("scenarios", catalog.names());
        facts.put("device", MppNetwork.device());
        List<String> arguments = spec.commandLine().getParseResult().originalArgs();
        return new RunDescription("mpp train", arguments, StrictYaml.write(config), facts);
    }

    private void report(Map<String, ?> result) {
        if (common.json) {
            ResultStream.json(result);
        } else {
            result.forEach((key, value) -> ResultStream.line(key + ": " + value));
        }
    }
}
