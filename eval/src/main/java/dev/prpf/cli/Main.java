package dev.prpf.cli;

import dev.prpf.base.command.ResultStream;
import dev.prpf.base.command.RunOptions.TrackOption;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.Printable;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.workflow.Renamings;
import dev.prpf.cli.doctor.DoctorCommand;
import dev.prpf.cli.launch.LaunchCommand;
import dev.prpf.cli.recipe.CascadeServeCommand;
import dev.prpf.cli.recipe.ConfigCommand;
import dev.prpf.cli.recipe.EvaluateCommand;
import dev.prpf.cli.recipe.InitCommand;
import dev.prpf.cli.recipe.QuickstartCommand;
import dev.prpf.cli.recipe.TrainCommand;
import dev.prpf.cli.recipe.TryCommand;
import dev.prpf.cli.sweep.GridCommand;
import dev.prpf.cli.tracking.Tracking;
import dev.prpf.data.command.DataCommand;
import dev.prpf.eval.command.EvalCommand;
import dev.prpf.mpp.command.GateCommand;
import dev.prpf.par.command.CallsCommand;
import dev.prpf.par.command.ExportCommand;
import dev.prpf.par.command.ReasonerCommand;
import dev.prpf.par.command.RolloutsCommand;
import dev.prpf.par.command.SftSetCommand;
import dev.prpf.par.engine.FreeMemory;
import dev.prpf.par.pipeline.DataGenerateCommand;
import dev.prpf.par.pipeline.DataReviewCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry point of {@code ./prpf}. */
@Command(
        name = "prpf",
        description = "Perceive before reasoning: proactive mobile agents, from data to scores.",
        footer = {
            "",
            "Environment:",
            "  PRPF_PROFILE       cpu (default); cuda, cuda-mpp or cuda-pip for a GPU, see docs/GPU.md; with encoders after a comma",
            "  PRPF_HEAP          the most memory of Java's heap (2g)",
            "  PRPF_NATIVE        the most native memory of ND4J (12G)",
            "  PRPF_JAVA_OPTIONS  further options of Java"
        },
        versionProvider = Main.Version.class,
        subcommands = {
            QuickstartCommand.class,
            InitCommand.class,
            TrainCommand.class,
            EvaluateCommand.class,
            TryCommand.class,
            CascadeServeCommand.class,
            RunsCommand.class,
            GridCommand.class,
            LaunchCommand.class,
            DoctorCommand.class,
            Main.DataGroup.class,
            GateCommand.class,
            ReasonerCommand.class,
            EvalCommand.class,
            ConfigCommand.class,
            Main.Completion.class
        })
public final class Main {
    /** Output of {@code --version}: version, commit, build profile and JDK. */
    static final class Version implements CommandLine.IVersionProvider {
        private static final int SHORT_REVISION = 8;

        @Override
        public String[] getVersion() {
            String revision = System.getProperty("prpf.revision", "unknown");
            return new String[] {
                "prpf %s (%s, %s, JDK %s)"
                        .formatted(
                                System.getProperty("prpf.version", "unknown"),
                                revision.substring(0, Math.min(SHORT_REVISION, revision.length())),
                                System.getProperty("prpf.profile", "unknown"),
                                Runtime.version())
            };
        }
    }

    /** The whole {@code prpf data}: the module's own commands, then those that make the reasoner's sets, which data-prep does not have. */
    @Command(
            name = "data",
            subcommands = {
                DataGenerateCommand.class,
                DataReviewCommand.class,
                SftSetCommand.class,
                CallsCommand.class,
                RolloutsCommand.class,
                ExportCommand.class
            })
    static final class DataGroup extends DataCommand {}

    /** Implements the command {@code prpf completion}. */
    @Command(
            name = "completion",
            description = "Print a script that completes commands and options in bash and zsh.",
            footer = "  source <(./prpf completion)")
    static final class Completion implements Runnable {
        @CommandLine.Spec
        private CommandLine.Model.CommandSpec spec;

        @Override
        public void run() {
            CommandHelp.completeConstants(spec.root());
            String script = AutoComplete.bash("prpf", spec.root().commandLine());
            ResultStream.text(script.replaceFirst("\\A(#.*\\R)+", HEADER));
        }
    }

    private static final String HEADER =
            "#!/usr/bin/env bash\n# Completion of prpf for bash and zsh: source this file.\n";

    private Main() {}

    public static void main(String[] arguments) {
        ResultStream.claim();
        System.exit(execute(arguments));
    }

    /** Runs one command line, with tracking if requested, and returns its exit status. */
    static int execute(String... arguments) {
        try (Tracking tracking = new Tracking(System.getenv())) {
            return execute(tracked(tracking), arguments);
        }
    }

    private static CommandLine tracked(Tracking tracking) {
        CommandLine line = commandLine();
        line.setExecutionStrategy(parsed -> {
            try {
                tracking.begin(TrackOption.of(parsed));
            } catch (PrpfException e) {
                return report(e);
            }
            return new CommandLine.RunLast().execute(parsed);
        });
        return line;
    }

    /** Runs one command line of a command tree and reports any failure, in one line unless it is a bug. */
    public static int execute(CommandLine tree, String... words) {
        String[] arguments = CommandHelp.asOption(words);
        String renamed = Renamings.problem(tree.getCommandName(), List.of(arguments));
        if (renamed != null) {
            return report(ExitCode.USAGE, renamed);
        }
        try {
            int status = tree.execute(arguments);
            if (status == ExitCode.DONE.status()) {
                ResultStream.requireTaken(); // output of picocli: --help, --version
            }
            return status;
        } catch (PrpfException e) {
            return report(e);
        } catch (OutOfMemoryError e) {
            return report(
                    ExitCode.OUT_OF_MEMORY,
                    "out of memory (" + e.getMessage() + "); raise PRPF_HEAP or PRPF_NATIVE, or lower the batch size");
        } catch (LinkageError e) {
            return report(ExitCode.UNAVAILABLE, unloadable(e));
        }
    }

    /** Describes in one line a native library or class that cannot be loaded. */
    static String unloadable(LinkageError error) {
        Throwable root = error;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return ("a library cannot be loaded (" + root + "); see docs/TROUBLESHOOTING.md").replaceAll("\\s+", " ");
    }

    /** Returns the whole command tree, each command with {@code --help} and {@code --version}. */
    static CommandLine commandLine() {
        return commandLine(new Main());
    }

    /** Returns a command tree with another root and the same settings. */
    public static CommandLine commandLine(Object root) {
        CommandLine line = new CommandLine(root);
        CommandHelp.addTo(line);
        line.setOut(ResultStream.writer());
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((exception, command, parsed) -> report(exception));
        line.setParameterExceptionHandler((exception, arguments) -> {
            exception.getCommandLine().getErr().println(Printable.text("error: " + CommandHelp.wrongUsage(exception)));
            return ExitCode.USAGE.status();
        });
        return line;
    }

    private static int report(Exception exception) {
        if (exception instanceof PrpfException known) {
            return report(ExitCode.of(known), String.valueOf(known.getMessage()));
        }
        if (exception instanceof UncheckedIOException unchecked) {
            return report(IoFailure.of(unchecked));
        }
        if (exception instanceof IOException io) {
            return report(IoFailure.of(new UncheckedIOException(io)));
        }
        PrpfException shortage = FreeMemory.shortage(exception);
        if (shortage != null) {
            return report(ExitCode.of(shortage), String.valueOf(shortage.getMessage()));
        }
        StringWriter trace = new StringWriter();
        exception.printStackTrace(new PrintWriter(trace));
        return report(ExitCode.BUG, "this is a bug in prpf, please report it with the lines below\n" + trace);
    }

    /** Reports a failure and records it in the run that it ended. */
    private static int report(ExitCode code, String message) {
        System.err.println(Printable.text("error: " + message.stripTrailing()));
        if (code != ExitCode.CHECKPOINTED) {
            RunDirectory.failed(message.lines().findFirst().orElse(""));
        }
        return code.status();
    }
}
