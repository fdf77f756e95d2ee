package dev.prpf.mpp.command;

import picocli.CommandLine.Command;

/** The command group {@code prpf gate}. */
@Command(
        name = "gate",
        description = "Train, tune and run the perceiver.",
        subcommands = {GateTrainCommand.class, ThresholdCommand.class, PredictCommand.class})
public final class GateCommand {}
