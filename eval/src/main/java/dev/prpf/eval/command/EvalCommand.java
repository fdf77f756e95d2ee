package dev.prpf.eval.command;

import picocli.CommandLine.Command;

/** {@code prpf eval}. */
@Command(
        name = "eval",
        description = "Run the cascade, score it, compare it, say what it costs.",
        subcommands = {
            RunCommand.class,
            MergeCommand.class,
            ScoreCommand.class,
            CompareCommand.class,
            EfficiencyCommand.class,
            ReportCommand.class,
            JudgesCommand.class,
            SuiteCommand.class
        })
public final class EvalCommand {}
