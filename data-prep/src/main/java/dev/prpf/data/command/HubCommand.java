package dev.prpf.data.command;

import picocli.CommandLine.Command;

/** {@code prpf data hub}: the one group of commands that uses the network. */
@Command(
        name = "hub",
        description = "Get models and data sets from a Hugging Face hub.",
        subcommands = {HubGetCommand.class})
public final class HubCommand {}
