package dev.prpf.mpp.bench;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.cli.Main;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.mpp.network.Device;
import dev.prpf.mpp.training.MppConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures the perceiver on this machine; run by {@code benchmarks/run}. */
@Command(
        name = "bench",
        description = {
            "Measure the perceiver on this machine: training samples a second, decision latency, operations and"
                    + " memory, by part.",
            "Takes some 90 seconds; let nothing else run. benchmarks/perceiver/README.md compares it with the same network"
                    + " in PyTorch."
        },
        footer = {
            "",
            "Example:",
            "  benchmarks/run perceiver/BenchCommand.java --config configs/gate.yaml --images screens/ --json"
        })
public final class BenchCommand implements Callable<Integer> {
    @Option(
            names = "--config",
            required = true,
            paramLabel = "FILE",
            description = "YAML configuration of gate train; network, optimizer and encoder count here.")
    private Path config;

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "Override one key (repeatable).")
    private List<String> overrides = List.of();

    @Option(
            names = "--images",
            paramLabel = "DIR",
            description = "Screenshots for the rows with the frame encoder (default: these are left out).")
    private @Nullable Path images;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            defaultValue = "4",
            description = "Time measured for each number (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Mixin
    private JsonOption output;

    public static void main(String[] arguments) {
        ResultStream.claim();
        System.exit(Main.execute(Main.commandLine(new BenchCommand()), arguments));
    }

    @Override
    public Integer call() {
        MppConfig read = StrictYaml.read(config, MppConfig.class, overrides);
        Device.require(read.device());
        int scenarios = ScenarioCatalogReader.shipped().names().size();
        if (!(seconds > 0)) {
            throw new UsageException("--seconds = " + seconds + ", must be above 0");
        }
        BenchResult result = new PerceiverBench(read, scenarios, screenshots(), seconds).run();
        if (output.json) {
            ResultStream.json(result);
        } else {
            result.texts().forEach(ResultStream::line);
        }
        return 0;
    }

    private List<Path> screenshots() {
        if (images == null) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(images)) {
            List<Path> found = files.filter(file -> file.toString().matches("(?i).*\\.(png|jpe?g|gif|bmp)"))
                    .sorted()
                    .toList();
            if (found.isEmpty()) {
                throw new InvalidDataException("--images " + images + ": holds no .png, .jpg, .jpeg, .gif or .bmp");
            }
            return found;
        } catch (IOException e) {
            throw new InvalidDataException("--images " + images + ": cannot be listed: " + e.getMessage());
        }
    }
}
