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
            BlindCommand.class,
            EncodeCommand.class,
            DataCommand.HubCommand.class
        })
public class DataCommand {
    /** {@code prpf data hub}: the one group of commands that uses the network. */
    @Command(
            name = "hub",
            description = "Get models and data sets from a Hugging Face hub.",
            subcommands = {HubGetCommand.class})
    static final class HubCommand {}
}
