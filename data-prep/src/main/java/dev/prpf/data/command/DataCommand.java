package dev.prpf.data.command;

import picocli.CommandLine.Command;

/** {@code prpf data}: reading, checking, making and encoding samples. */
@Command(
        name = "data",
        description = "Read, check, make and encode samples.",
        subcommands = {ValidateCommand.class, StatsCommand.class, SynthCommand.class, EncodeCommand.class})
public final class DataCommand {}
