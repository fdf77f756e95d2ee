package dev.prpf.eval.command;

import dev.prpf.par.bench.MachineSpeed;
import dev.prpf.par.engine.FreeMemory;
import dev.prpf.par.plan.PlannedCommand;
import dev.prpf.par.plan.StageNeed;
import dev.prpf.par.plan.StagePlan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The need of a plan's command, compared with this machine.
 *
 * @param command as typed
 * @param memoryMb at most; null if unknown
 * @param about the memory and its parts in words
 * @param freeMb free memory here, or on the card
 * @param fits whether the free memory is enough; null if unknown
 * @param seconds of its matrix products at this machine's speed; null if unknown, and for a command that does not fit
 * @param lower how to need less; null for a command that fits
 * @param elsewhere the command of another trainer, for a training that does not fit; else null
 */
record CommandNeed(
        String command,
        @Nullable Long memoryMb,
        String about,
        @Nullable Long freeMb,
        @Nullable Boolean fits,
        @Nullable Double seconds,
        @Nullable String lower,
        @Nullable String elsewhere) {
    private static final long MEGA = 1_000_000;
    private static final double MINUTE = 60;

    /**
     * Estimates a command.
     *
     * @param parsed the command with its options
     * @param plan with what the commands before it make
     * @param speed of this machine, measured at its first use
     */
    static CommandNeed of(CommandSpec parsed, String typed, StagePlan plan, Supplier<MachineSpeed> speed) {
        StageNeed need = need(parsed, plan);
        Long bytes = need.bytes();
        if (bytes == null) {
            return new CommandNeed(typed, null, need.about(), null, null, null, null, null);
        }
        long free = FreeMemory.bytes(bytes);
        boolean fits = bytes <= free;
        StageNeed.Work work = fits ? need.work() : null;
        return new CommandNeed(
                typed,
                bytes / MEGA,
                need.about(),
                free / MEGA,
                fits,
                work == null ? null : (Double) work.seconds(speed.get()),
                fits ? null : need.lower(),
                fits ? null : need.elsewhere());
    }

    private static StageNeed need(CommandSpec parsed, StagePlan plan) {
        OptionSpec config = parsed.findOption("--config");
        Path file = config == null ? null : config.getValue();
        if (file != null && !Files.exists(file)) {
            return StageNeed.unknown(file);
        }
        return parsed.userObject() instanceof PlannedCommand planned ? planned.need(plan) : StageNeed.withoutModel();
    }

    /** Returns the command, then its need as comments of a shell. */
    List<String> lines() {
        List<String> lines = new ArrayList<>(List.of(command));
        String verdict = freeMb == null
                ? ""
                : String.format(Locale.ROOT, "; %.2f GB are free%s: ", freeMb / 1e3, FreeMemory.place())
                        + (lower == null ? "fits" : "does NOT fit; to fit here, " + lower);
        lines.add("#   " + about + verdict);
        if (seconds != null) {
            lines.add(String.format(Locale.ROOT, "#   its products take about %.1f minutes here", seconds / MINUTE));
        }
        if (elsewhere != null) {
            lines.add("#   or with TRL, on 8 GPUs: " + elsewhere);
        }
        return lines;
    }
}
