package dev.prpf.par.command;

import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.command.ConfigOptions;
import dev.prpf.data.command.ResultStream;
import dev.prpf.data.config.StrictYaml;
import dev.prpf.data.io.RecordLines;
import dev.prpf.data.io.SampleReader;
import dev.prpf.data.run.PrpfException;
import dev.prpf.par.training.DataSftConfig;
import dev.prpf.par.training.SftRecord;
import dev.prpf.par.training.SftSet;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf data sft}: labelled samples to supervised pairs, a line each. */
@Command(
        name = "sft",
        description = "Make an SFT set of labelled samples: prompts and responses, reasoning included.",
        footer = {
            "",
            "Example:",
            "  ./prpf data sft --config configs/data-sft.yaml --data data/synth/train/benchmark_zh.json \\",
            "      --images data/synth/train --out runs/sft.jsonl"
        })
public final class SftSetCommand implements Callable<Integer> {
    @Mixin
    private ConfigOptions common = new ConfigOptions();

    @Option(names = "--data", required = true, paramLabel = "FILE", description = "Labelled samples.")
    private Path data;

    @Mixin
    private SampleOptions options = new SampleOptions();

    @Option(names = "--out", required = true, paramLabel = "FILE", description = "The set, as JSON Lines; replaced.")
    private Path out;

    @Override
    public Integer call() {
        if (common.config == null) {
            throw PrpfException.usage("data sft needs --config; configs/data-sft.yaml is an example");
        }
        DataSftConfig config = StrictYaml.read(common.config, DataSftConfig.class, common.overrides);
        SftSet set = build(config);
        if (!common.dryRun) {
            new RecordLines<>(SftRecord.class, "SFT record").write(out, set.records());
        }
        report(summary(config, set));
        return 0;
    }

    private SftSet build(DataSftConfig config) {
        List<Sample> samples = SampleReader.readAll(data);
        ScenarioCatalog catalog = options.catalog();
        try (SampleReading reading = options.reading(config.encoder(), catalog)) {
            SftSet.World world = new SftSet.World(options.functions(), catalog, reading.renderer(config.prompt()));
            return SftSet.build(samples, reading.perceptions(samples), world, config.set());
        }
    }

    private Map<String, @Nullable Object> summary(DataSftConfig config, SftSet set) {
        Map<String, @Nullable Object> summary = new LinkedHashMap<>();
        summary.put("out", common.dryRun ? null : out.toString());
        summary.put("samples", set.samples());
        summary.put("records", set.records().size());
        summary.put("acting", set.acting());
        summary.put("silent", set.records().size() - set.acting());
        summary.put("dropped_targets", set.droppedTargets());
        summary.put("cut_samples", set.cutSamples());
        summary.put("reasoning", config.prompt().reasoning().name().toLowerCase(Locale.ROOT));
        return summary;
    }

    private void report(Map<String, @Nullable Object> summary) {
        if (common.json) {
            ResultStream.json(summary);
        } else {
            summary.forEach((key, value) -> ResultStream.line(key + ": " + value));
        }
    }
}
