package dev.prpf.eval.command;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.UsageException;
import dev.prpf.data.encode.spec.EncoderSpec;
import dev.prpf.data.encode.spec.LongText;
import dev.prpf.data.encode.spec.Precision;
import dev.prpf.data.encode.spec.ShippedEncoders;
import dev.prpf.data.encode.text.OnnxTextEncoder;
import dev.prpf.eval.suite.DataFolder;
import dev.prpf.eval.suite.Suite;
import dev.prpf.eval.suite.SuiteResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code prpf eval suite}. */
@Command(
        name = "suite",
        description = "Score our gate on public human-labelled data, beside baselines and released models.",
        modelTransformer = SuiteCommand.Footer.class)
public final class SuiteCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "NAME", description = "One of the suites below.")
    private String name;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Folder of the suite's data (default: environment variable " + DataFolder.VARIABLE
                    + ", else system property " + DataFolder.PROPERTY + ").")
    private @Nullable Path data;

    @Option(
            names = "--text-encoder",
            paramLabel = "NAME",
            description = "Whose vectors the gates see, a choice as of data encode (default: bge-small-zh-v1.5).")
    private String textEncoder = ShippedEncoders.DEFAULT;

    @Mixin
    private JsonOption output;

    /** Lists the suites that there are, with the commands that get their data. */
    static final class Footer implements CommandLine.IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec command) {
            List<String> lines = new ArrayList<>(List.of("", "Suites (docs/SUITES.md):"));
            Suite.all().forEach(suite -> lines.add("  %-14s  %s".formatted(suite.name(), suite.about())));
            lines.add("Each takes minutes. The data are not part of this project and are read in place; get them with");
            Suite.all().forEach(suite -> lines.add("  " + suite.source().command()));
            lines.addAll(List.of("", "Example:", "  ./prpf eval suite proactivebench --data ProactiveAgent"));
            command.usageMessage().footer(lines.toArray(String[]::new));
            return command;
        }
    }

    @Override
    public Integer call() {
        Suite suite = Suite.all().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new UsageException("no suite '" + name + "'; there are "
                        + Suite.all().stream().map(Suite::name).collect(Collectors.joining(", "))));
        try {
            EncoderSpec.requireTextChoice(textEncoder);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--" + e.getMessage());
        }
        EncoderSpec encoder = EncoderSpec.ofText(textEncoder);
        encoder.requirePresent(Precision.FP32);
        OnnxTextEncoder.Running running = new OnnxTextEncoder.Running(
                Precision.FP32, LongText.MEAN_OF_WINDOWS, Runtime.getRuntime().availableProcessors(), false);
        SuiteResult result = suite.protocol()
                .apply(DataFolder.of(suite, data, System.getenv()), () -> new OnnxTextEncoder(encoder, running));
        if (output.json) {
            ResultStream.json(result);
        } else {
            ResultStream.line(result.text());
        }
        return 0;
    }
}
