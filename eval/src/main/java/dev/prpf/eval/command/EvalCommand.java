package dev.prpf.eval.command;

import picocli.CommandLine.Command;

/** {@code prpf eval}. */
@Command(
        name = "eval",
        description = "Run the cascade, score it, compare it.",
        subcommands = {
            RunCommand.class,
            ScoreCommand.class,
            CompareCommand.class,
            JudgesCommand.class,
            SuiteCommand.class
        })
public final class EvalCommand {}
