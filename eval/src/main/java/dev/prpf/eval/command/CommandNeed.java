package dev.prpf.eval.command;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.error.PrpfException.InsufficientMemoryException;
import dev.prpf.base.workflow.ParsedCommand;
import dev.prpf.base.workflow.Stage;
import dev.prpf.par.bench.MachineSpeed;
import dev.prpf.par.engine.FreeMemory;
import dev.prpf.par.plan.PlannedCommand;
import dev.prpf.par.plan.StageNeed;
import dev.prpf.par.plan.StagePlan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The need of a plan's command, compared with this machine.
 *
 * @param command as typed
 * @param freeBytes free memory here, or on the card; null if the need is unknown
 * @param fits whether the free memory is enough; null if unknown
 * @param seconds of its matrix products at this machine's speed. Examples have max-length if the lengths of their texts are unknown. Null if
 *     unknown or for a command that does not fit
 */
public record CommandNeed(
        String command,
        @JsonUnwrapped StageNeed need,
        @Nullable Long freeBytes,
        @Nullable Boolean fits,
        @Nullable Double seconds) {
    private static final double MINUTE = 60;

    /**
     * Estimates the needs of stages, by stage.
     *
     * @param sources files that the plan writes before its stages
     */
    public static Map<String, List<CommandNeed>> of(
            List<Stage> stages, CommandLine tree, Map<Path, StagePlan.Source> sources) {
        AtomicReference<@Nullable MachineSpeed> measured = new AtomicReference<>();
        Supplier<MachineSpeed> speed = () ->
                Objects.requireNonNull(measured.updateAndGet(known -> known == null ? MachineSpeed.measure() : known));
        return of(stages, tree, sources, speed);
    }

    private static Map<String, List<CommandNeed>> of(
            List<Stage> stages,
            CommandLine tree,
            Map<Path, StagePlan.Source> sources,
            Supplier<? extends @Nullable MachineSpeed> speed) {
        StagePlan plan = new StagePlan();
        sources.forEach(plan::makes);
        Map<String, List<CommandNeed>> needs = new LinkedHashMap<>();
        for (Stage stage : stages) {
            needs.put(
                    stage.name(),
                    stage.commands().stream()
                            .map(command ->
                                    of(ParsedCommand.of(tree, command).spec(), Stage.typed(command), plan, speed))
                            .toList());
        }
        return needs;
    }

    /**
     * Refuses stages with a language model that does not fit into the free memory.
     *
     * @param sources see {@link #of(List, CommandLine, Map)}
     * @param done stages that do not run again
     * @throws InsufficientMemoryException 3, naming the stage
     */
    public static void requireRoom(
            List<Stage> stages, CommandLine tree, Map<Path, StagePlan.Source> sources, Set<String> done) {
        of(stages, tree, sources, () -> null).forEach((stage, all) -> all.stream()
                .filter(need -> !done.contains(stage) && need.need.loadsModel() && Boolean.FALSE.equals(need.fits))
                .findFirst()
                .ifPresent(need -> {
                    String line = need.lines().get(1);
                    throw new InsufficientMemoryException(
                            stage + ": " + line.substring(1).strip());
                }));
    }

    /** Returns needs as lines of a shell script. */
    public static List<String> lines(Map<String, List<CommandNeed>> needs) {
        List<String> lines = new ArrayList<>();
        needs.forEach((stage, all) -> {
            lines.add("# " + stage);
            all.forEach(need -> lines.addAll(need.lines()));
        });
        return lines;
    }

    /**
     * Estimates the need of a command.
     *
     * @param plan with the models and sets of earlier commands
     * @param speed of this machine, measured at its first use; null if the time is not needed
     */
    private static CommandNeed of(
            CommandSpec parsed, String typed, StagePlan plan, Supplier<? extends @Nullable MachineSpeed> speed) {
        StageNeed need = need(parsed, plan);
        Long bytes = need.bytes();
        if (bytes == null) {
            return new CommandNeed(typed, need, null, null, null);
        }
        long free = FreeMemory.bytes(bytes);
        StageNeed.Work work = bytes <= free ? need.work() : null;
        MachineSpeed here = work == null ? null : speed.get();
        Double seconds = work == null || here == null ? null : (Double) work.seconds(here);
        return new CommandNeed(typed, need, free, bytes <= free, seconds);
    }

    private static StageNeed need(CommandSpec parsed, StagePlan plan) {
        OptionSpec config = parsed.findOption("--config");
        Path file = config == null ? null : config.getValue();
        if (file != null && !Files.exists(file)) {
            return StageNeed.unknown(file);
        }
        return parsed.userObject() instanceof PlannedCommand planned ? planned.need(plan) : StageNeed.withoutModel();
    }

    /** Returns the command, followed by its need as shell comments. */
    List<String> lines() {
        boolean tooLarge = Boolean.FALSE.equals(fits);
        String free = freeBytes == null
                ? ""
                : String.format(Locale.ROOT, "; %.2f GB are free%s: ", freeBytes / 1e9, FreeMemory.place())
                        + (tooLarge ? "does NOT fit; to fit here, " + need.lower() : "fits");
        List<String> lines = new ArrayList<>(List.of(command, "#   " + need.about() + free));
        StageNeed.Work work = need.work();
        if (seconds != null) {
            lines.add(String.format(
                    Locale.ROOT,
                    work != null && work.typical()
                            ? "#   its matrix products take about %.1f minutes here"
                            : "#   its matrix products take at most %.1f minutes here, with every example of max-length",
                    seconds / MINUTE));
        }
        if (tooLarge && need.elsewhere() != null) {
            lines.add("#   or with TRL, on 8 GPUs: " + need.elsewhere());
        }
        return lines;
    }
}
