package dev.prpf.eval.command;

import picocli.CommandLine.Command;

/** {@code prpf eval}. */
@Command(
        name = "eval",
        description = "Run the cascade, score it, compare it, take parts of it away, say what it costs.",
        subcommands = {
            RunCommand.class,
            MergeCommand.class,
            ScoreCommand.class,
            CompareCommand.class,
            AblateCommand.class,
            EfficiencyCommand.class,
            ReportCommand.class,
            JudgesCommand.class,
            SuiteCommand.class
        })
public final class EvalCommand {}
