package dev.prpf.par.command;

import picocli.CommandLine.Command;

/** {@code prpf reasoner}: the commands of the reasoner. */
@Command(
        name = "reasoner",
        description = "Make, train and run the reasoner.",
        subcommands = {
            ReasonerInitCommand.class,
            AdoptCommand.class,
            SftCommand.class,
            GrpoCommand.class,
            RespondCommand.class,
            GenerateCommand.class,
            LogitsCommand.class,
            RenderCommand.class,
            RewardCommand.class,
            BenchCommand.class
        })
public final class ReasonerCommand {}
