package dev.prpf.data.command;

import picocli.CommandLine.Command;

/** {@code prpf data}: reads, checks, generates and encodes samples, and downloads models. */
@Command(
        name = "data",
        description = "Read, check, generate and encode samples; download models and data sets.",
        subcommands = {
            ValidateCommand.class,
            ImportCommand.class,
            FeedbackCommand.class,
            StatsCommand.class,
            SynthCommand.class,
            BlindCommand.class,
            EncodeCommand.class,
            DataCommand.HubCommand.class
        })
public class DataCommand {
    /** {@code prpf data hub}: the only commands that download files. */
    @Command(
            name = "hub",
            description = "Download models and data sets from a Hugging Face hub.",
            subcommands = {HubGetCommand.class})
    static final class HubCommand {}
}
