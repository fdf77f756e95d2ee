package dev.prpf.par.bench;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.run.StopSignal;
import dev.prpf.cli.Main;
import dev.prpf.par.engine.Precision;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures a vision encoder of random weights on this machine; run by {@code benchmarks/run}. */
@Command(
        name = "vision",
        description = "Measure a vision encoder of random weights: seconds of one image, by number format and size.",
        footer = {
            "",
            "Example: benchmarks/run vision/VisionCommand.java --vision 0.8b --dtype fp32,bf16 --image 1080x2400"
        })
public final class VisionCommand implements Callable<Integer> {
    @Option(
            names = "--vision",
            required = true,
            paramLabel = "NAME",
            description = "Shape of the vision encoder: 0.8b or 4b of Qwen3.5.")
    private String vision;

    @Option(
            names = "--dtype",
            split = ",",
            defaultValue = "fp32,bf16,int8",
            description = "Number formats: fp32, bf16, int8 (default: ${DEFAULT-VALUE}).")
    private List<Precision> precisions;

    @Option(
            names = "--image",
            split = ",",
            paramLabel = "WxH",
            defaultValue = "448x448,1080x2400",
            description = "Sizes of the images in pixels (default: ${DEFAULT-VALUE}).")
    private List<String> images;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "3",
            description = "Rounds of measurement; the median is reported (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Mixin
    private JsonOption output;

    public static void main(String[] arguments) {
        ResultStream.claim();
        System.exit(Main.execute(Main.commandLine(new VisionCommand()), arguments));
    }

    @Override
    public Integer call() {
        VisionMetrics metrics;
        try (StopSignal stop = StopSignal.install()) {
            metrics = new VisionBench(vision, precisions, images, rounds).run(stop);
        }
        if (output.json) {
            ResultStream.json(metrics);
        } else {
            metrics.lines().forEach(ResultStream::line);
        }
        return 0;
    }
}
