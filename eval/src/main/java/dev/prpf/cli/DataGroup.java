package dev.prpf.cli;

import dev.prpf.data.command.DataCommand;
import dev.prpf.par.command.CallsCommand;
import dev.prpf.par.command.ExportCommand;
import dev.prpf.par.command.RolloutsCommand;
import dev.prpf.par.command.SftSetCommand;
import picocli.CommandLine.Command;

/** {@code prpf data}, whole: the module's own commands, then those that make sets in the reasoner's terms, which data-prep does not know. */
@Command(
        name = "data",
        subcommands = {SftSetCommand.class, CallsCommand.class, RolloutsCommand.class, ExportCommand.class})
final class DataGroup extends DataCommand {}
