package dev.prpf.data.command;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.data.Language;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.data.synth.SampleSynth;
import dev.prpf.data.synth.SynthSettings;
import dev.prpf.data.synth.SynthSettings.VisualCues;
import dev.prpf.data.synth.output.SynthOutput;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf data synth}: generates samples in ProactiveMobile's format. */
@Command(
        name = "synth",
        description = "Generate synthetic samples in ProactiveMobile's format, with known answers.",
        footer = {
            "  ./prpf data synth --out data/synth/train --count 4000 --seed 1 --split train",
            "writes benchmark_zh.json, function_pool.json, scenarios.json and images/ there."
        })
public final class SynthCommand implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Option(names = "--out", paramLabel = "DIR", required = true, description = "Folder to write.")
    private Path out;

    @Option(names = "--count", paramLabel = "N", defaultValue = "1000", description = "Samples (${DEFAULT-VALUE}).")
    private int count;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description = "Random seed; equal seeds give equal bytes.")
    private long seed;

    @Option(
            names = "--split",
            paramLabel = "NAME",
            defaultValue = "train",
            description = "train, test or another name (${DEFAULT-VALUE}); only test has all 14 scenarios.")
    private String split;

    @Option(
            names = "--lang",
            converter = Language.Option.class,
            paramLabel = "zh|en",
            description = "Language of the texts (zh).")
    private Language language = Language.ZH;

    @Option(names = "--unseen-names", description = "Give the split test names, places and values that no other has.")
    private boolean unseenNames;

    @Option(names = "--multimodal-share", paramLabel = "P", description = "Share with screenshots, 0 to 1 (0.1).")
    private @Nullable Double multimodalShare;

    @Option(names = "--silent-share", paramLabel = "P", description = "Share of silent samples, 0 to 1 (0.333).")
    private @Nullable Double silentShare;

    @Option(
            names = "--visual-cues",
            paramLabel = "P",
            description = "Share in which only the look of one small screenshot decides the answer, 0 to 1 (none).")
    private @Nullable Double visualCues;

    @Option(names = "--font", paramLabel = "FILE", description = "TrueType font for the screenshots.")
    private @Nullable Path font;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "YAML with every setting, instead of options; see configs/synth.yaml.")
    private @Nullable Path config;

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "Override one setting (repeatable).")
    private List<String> overrides = List.of();

    @Option(names = "--overwrite", description = "Replace the data set in --out, its images too.")
    private boolean overwrite;

    @Mixin
    private JsonOption output;

    @Option(names = "--dry-run", description = "Check the settings, print what would be written, write nothing.")
    private boolean dryRun;

    @Override
    public void run() {
        SynthSettings settings = settings();
        SynthOutput target = new SynthOutput(
                out, settings.language().of(FunctionPoolFile.shipped(), FunctionPoolFile.shippedEnglish()));
        requireFree(target);
        Map<String, Object> result = new LinkedHashMap<>();
        result.put(
                "data", out.resolve(SynthOutput.fileName(settings.language())).toString());
        result.put("split", settings.split());
        result.put("seed", settings.seed());
        if (dryRun) {
            result.put("records", settings.count());
            result.put("dry_run", true);
        } else {
            SampleSynth synth = new SampleSynth(settings, ScenarioCatalogReader.shipped());
            result.putAll(target.write(synth, font));
        }
        output.print(result);
    }

    private void requireFree(SynthOutput target) {
        Path existing = overwrite ? null : target.existing();
        if (existing != null) {
            throw new UsageException(existing
                    + ": exists, and would be replaced; name another --out, or replace the data set with --overwrite");
        }
    }

    private SynthSettings settings() {
        if (config != null) {
            requireNoOptionsWithConfig();
            return StrictYaml.read(config, SynthSettings.class, overrides);
        }
        SynthSettings chosen = fromOptions();
        return StrictYaml.readText("the options", StrictYaml.write(chosen), SynthSettings.class, overrides);
    }

    private void requireNoOptionsWithConfig() {
        for (String option : List.of(
                "--count",
                "--seed",
                "--split",
                "--lang",
                "--unseen-names",
                "--multimodal-share",
                "--silent-share",
                "--visual-cues")) {
            if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
                throw new UsageException(option + " with --config: the file has every setting; change one with --set "
                        + option.substring(2).replace("lang", "language").replace("cues", "cues.share") + "=VALUE");
            }
        }
    }

    private SynthSettings fromOptions() {
        SynthSettings defaults = SynthSettings.defaults(1, 1, "train");
        try {
            return new SynthSettings(
                    seed,
                    count,
                    split,
                    language,
                    unseenNames,
                    multimodalShare == null ? defaults.multimodalShare() : multimodalShare,
                    silentShare == null ? defaults.silentShare() : silentShare,
                    defaults.distractors(),
                    defaults.screens(),
                    defaults.difficulty(),
                    visualCues == null ? null : VisualCues.small(visualCues));
        } catch (IllegalArgumentException e) {
            throw new UsageException("data synth: " + e.getMessage() + "; see --help");
        }
    }
}
