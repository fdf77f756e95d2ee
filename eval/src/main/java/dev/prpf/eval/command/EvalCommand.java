package dev.prpf.eval.command;

import dev.prpf.eval.world.EpisodesCommand;
import dev.prpf.eval.world.WorldCommand;
import picocli.CommandLine.Command;

/** Implements the command {@code prpf eval}. */
@Command(
        name = "eval",
        description = "Run the cascade, score it, compare it, ablate it, measure its cost.",
        subcommands = {
            RunCommand.class,
            MergeCommand.class,
            ScoreCommand.class,
            CompareCommand.class,
            AblateCommand.class,
            EfficiencyCommand.class,
            ReportCommand.class,
            JudgesCommand.class,
            EpisodesCommand.class,
            WorldCommand.class,
            SuiteCommand.class
        })
public final class EvalCommand {}
