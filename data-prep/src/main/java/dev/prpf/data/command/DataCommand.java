package dev.prpf.data.command;

import picocli.CommandLine.Command;

/** {@code prpf data}: reading, checking, making and encoding samples, getting models. */
@Command(
        name = "data",
        description = "Read, check, make and encode samples; get models and data sets.",
        subcommands = {
            ValidateCommand.class,
            StatsCommand.class,
            SynthCommand.class,
            EncodeCommand.class,
            HubCommand.class
        })
public class DataCommand {}
