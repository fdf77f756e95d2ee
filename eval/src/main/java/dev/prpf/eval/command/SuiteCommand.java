package dev.prpf.eval.command;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.data.encode.spec.EncoderSpec;
import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec.LongText;
import dev.prpf.data.encode.spec.ShippedEncoders;
import dev.prpf.data.encode.text.OnnxTextEncoder;
import dev.prpf.eval.calls.CallSuite;
import dev.prpf.eval.suite.DataFolder;
import dev.prpf.eval.suite.GateSuite;
import dev.prpf.eval.suite.GateSuite.SuiteEncoder;
import dev.prpf.eval.suite.Suite;
import dev.prpf.eval.suite.SuiteResult;
import dev.prpf.eval.world.PareSuite;
import dev.prpf.par.command.LocalDecodingOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Implements the command {@code prpf eval suite}. */
@Command(
        name = "suite",
        description = {
            "Score our gate, any reasoner's calls, or assistants in PARE's worlds, with baselines and published results.",
            "Without a name: list the suites."
        },
        defaultValueProvider = LocalDecodingOptions.ShortResponses.class,
        modelTransformer = SuiteCommand.Footer.class)
final class SuiteCommand implements Runnable, Suite.SuiteRun {
    private static final Logger LOG = LoggerFactory.getLogger(SuiteCommand.class);

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", arity = "0..1", paramLabel = "NAME", description = "One of the suites below.")
    private @Nullable String name;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Folder of the suite's data (default: environment variable " + DataFolder.VARIABLE
                    + ", else system property " + DataFolder.PROPERTY + ").")
    private @Nullable Path data;

    // Not private: the options are found by their kind.
    @Mixin
    Encoders encoders;

    @Mixin
    SuiteReasoner reasoner;

    @Mixin
    PareSuite.PlayOptions play;

    @Mixin
    private JsonOption output;

    static List<Suite> all() {
        return Stream.of(GateSuite.all(), CallSuite.all(), List.of(new PareSuite()))
                .<Suite>flatMap(List::stream)
                .toList();
    }

    /** Lists the suites, with the commands that get their data. */
    static final class Footer implements CommandLine.IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec command) {
            List<String> lines = new ArrayList<>();
            lines.add("");
            lines.addAll(listing());
            lines.addAll(List.of(
                    "",
                    "Examples:",
                    "  PRPF_PROFILE=cpu,encoders ./prpf eval suite proactivebench --data ProactiveAgent",
                    "  ./prpf eval suite proactivebench --data ProactiveAgent --text-encoder bge-small-zh-v1.5",
                    "  ./prpf eval suite bfcl --data gorilla --reasoner runs/reasoner/model --constrained --run-dir runs/bfcl",
                    "  ./prpf eval suite pare --data scenarios --agent expected,always"));
            command.usageMessage().footer(lines.toArray(String[]::new));
            return command;
        }
    }

    private static List<String> listing() {
        List<String> lines = new ArrayList<>(List.of("Suites (docs/SUITES.md):"));
        for (Suite suite : all()) {
            lines.add("  %-20s  %s".formatted(suite.name(), suite.about()));
            lines.add("  %-20s  %s, %s"
                    .formatted("", suite.source(), suite.source().licence()));
        }
        lines.add("The data are not part of this project and are read in place; get them with");
        all().stream().map(suite -> "  " + suite.source().command()).distinct().forEach(lines::add);
        return lines;
    }

    private record Listed(String name, String about, @JsonUnwrapped Suite.DataSource source, String get) {
        static Listed of(Suite suite) {
            return new Listed(
                    suite.name(), suite.about(), suite.source(), suite.source().command());
        }
    }

    private record Listing(List<Listed> suites) {}

    @Override
    public void run() {
        if (name == null) {
            output.printLines(new Listing(all().stream().map(Listed::of).toList()), SuiteCommand::listing);
            return;
        }
        SuiteResult result = all().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new UsageException("no suite '" + name + "'; there are "
                        + all().stream().map(Suite::name).collect(Collectors.joining(", "))))
                .score(this);
        output.print(result, result::text);
    }

    @Override
    public DataFolder data(Suite suite) {
        return DataFolder.of(suite, data, System.getenv());
    }

    @Override
    public <T extends Suite.SuiteOptions> T options(Suite suite, Class<T> kind) {
        List<T> own = new ArrayList<>();
        for (CommandSpec mixin : spec.mixins().values()) {
            if (kind.isInstance(mixin.userObject())) {
                own.add(kind.cast(mixin.userObject()));
            } else if (mixin.userObject() instanceof Suite.SuiteOptions other) {
                refuse(suite, mixin, other.kind());
            }
        }
        return own.get(0);
    }

    private void refuse(Suite suite, CommandSpec mixin, String kind) {
        for (OptionSpec option : mixin.options()) {
            if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
                throw new UsageException(
                        option.longestName() + " is for " + kind + "; suite " + suite.name() + " is of another kind");
            }
        }
    }

    /** The text encoders of gates; a mixin. */
    static final class Encoders implements GateSuite.EncoderOptions {
        @Option(
                names = "--text-encoder",
                paramLabel = "NAME[,NAME...]",
                split = ",",
                description =
                        "Gates: text encoders to compare, as in data encode (default: "
                                + "bge-small-en-v1.5,e5-small-v2,all-minilm-l6-v2; for proactivebench-tasks: bge-small-zh-v1.5).")
        private @Nullable List<String> textEncoders;

        @Override
        public String kind() {
            return "suites of gates";
        }

        @Override
        public GateSuite.EncoderChoice choice(GateSuite suite) {
            String builtIn = textEncoders == null ? fallbackNote(suite) : null;
            List<EncoderSpec> specs =
                    builtIn == null ? encoders(suite) : List.of(EncoderSpec.ofText(ShippedEncoders.DEFAULT));
            return new GateSuite.EncoderChoice(() -> open(specs, builtIn), builtIn);
        }

        private static List<SuiteEncoder> open(List<EncoderSpec> specs, @Nullable String builtIn) {
            if (builtIn != null) {
                LOG.warn(builtIn);
            }
            specs.forEach(spec -> spec.requirePresent(EncoderPrecision.FP32));
            OnnxTextEncoder.Running running = new OnnxTextEncoder.Running(
                    EncoderPrecision.FP32,
                    LongText.MEAN_OF_WINDOWS,
                    Runtime.getRuntime().availableProcessors(),
                    false);
            return specs.stream()
                    .map(spec -> new SuiteEncoder(spec.id(), () -> new OnnxTextEncoder(spec, running)))
                    .toList();
        }

        /** Returns a note if the default encoder replaces one that this build lacks; null if the build has all of the suite's encoders. */
        private static @Nullable String fallbackNote(GateSuite suite) {
            for (String encoder : suite.encoders()) {
                try {
                    EncoderSpec.ofText(encoder).requirePresent(EncoderPrecision.FP32);
                } catch (UnavailableException lacks) {
                    return "The suite's own text encoders (" + String.join(", ", suite.encoders())
                            + ") are not in this build, " + ShippedEncoders.DEFAULT
                            + " is used instead, and the rows are not those of"
                            + " docs/SUITES.md: " + lacks.getMessage();
                }
            }
            return null;
        }

        private List<EncoderSpec> encoders(GateSuite suite) {
            List<String> choices = textEncoders == null ? suite.encoders() : textEncoders;
            if (choices.size() > 1 && suite.encoders().size() == 1) {
                throw new UsageException("--text-encoder names " + choices.size() + " encoders, suite " + suite.name()
                        + " takes one; name one");
            }
            choices.forEach(Encoders::requireChoice);
            List<EncoderSpec> specs = choices.stream().map(EncoderSpec::ofText).toList();
            if (specs.stream().map(EncoderSpec::id).distinct().count() < specs.size()) {
                throw new UsageException("--text-encoder names " + String.join(", ", choices)
                        + ", with a duplicate encoder; name each once");
            }
            return specs;
        }

        private static void requireChoice(String choice) {
            try {
                EncoderSpec.requireTextChoice(choice);
            } catch (IllegalArgumentException e) {
                throw new UsageException("--" + e.getMessage());
            }
        }
    }
}
