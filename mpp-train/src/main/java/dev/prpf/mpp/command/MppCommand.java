package dev.prpf.mpp.command;

import picocli.CommandLine.Command;

/** The command group {@code prpf mpp}. */
@Command(
        name = "mpp",
        description = "Train, tune and run the perceiver.",
        subcommands = {TrainCommand.class, SweepCommand.class, PredictCommand.class})
public final class MppCommand {}
