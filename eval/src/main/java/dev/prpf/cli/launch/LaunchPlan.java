package dev.prpf.cli.launch;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.workflow.ParsedCommand;
import dev.prpf.base.workflow.Stage;
import dev.prpf.cli.sweep.SweepPlan;
import dev.prpf.cli.sweep.SweepPlan.SweepMember;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The commands of a job.
 *
 * @param members commands as words without {@code ./prpf}; several in an array
 * @param then the next command line once all members are done; null without one
 */
record LaunchPlan(List<List<String>> members, @Nullable String then) {
    /** Slurm's largest array, unless its administrator allows more. */
    private static final int MOST = 1_000;

    LaunchPlan {
        if (members.isEmpty() || members.size() > MOST) {
            throw new UsageException("the launch has " + members.size() + " members, must be 1 to " + MOST);
        }
    }

    /**
     * Plans a single command, which resumes in the same run directory when started again.
     *
     * @param runDirectory for a command that has the option but does not set it
     */
    static LaunchPlan of(ParsedCommand command, String runDirectory) {
        boolean chooses = command.takes("--run-dir") && !command.has("--run-dir");
        return new LaunchPlan(List.of(chooses ? command.with("--run-dir", runDirectory) : command.words()), null);
    }

    /**
     * Plans a member for each shard of {@code eval run}, with its own folder next to {@code --out}, the path of the merged file.
     *
     * @throws PrpfException 2 for another command, or one with {@code --shard}
     */
    static LaunchPlan shards(ParsedCommand command, int count) {
        if (!command.name().equals("eval run") || command.has("--shard")) {
            throw new UsageException("--shards " + count
                    + " divides the samples of eval run without --shard; COMMAND is "
                    + String.join(" ", command.words()));
        }
        String out = Objects.requireNonNull(command.value("--out"));
        List<List<String>> members = new ArrayList<>();
        List<String> merge = new ArrayList<>(List.of("eval", "merge", "--out", out));
        for (int shard = 1; shard <= count; shard++) {
            String part = Path.of(out)
                    .resolveSibling(
                            Path.of("shard-" + shard, Path.of(out).getFileName().toString()))
                    .toString();
            List<String> words = new ArrayList<>(command.with("--out", part));
            words.addAll(List.of("--shard", shard + "/" + count));
            members.add(words);
            merge.add(part);
        }
        return new LaunchPlan(members, Stage.typed(merge));
    }

    /** Plans a member for each member of a sweep; the sweep's plan must be written before the job begins. */
    static LaunchPlan sweep(SweepPlan sweep) {
        return new LaunchPlan(
                sweep.members().stream().map(SweepMember::command).toList(),
                Stage.typed(List.of("grid", "gather", sweep.directory().toString())));
    }

    List<String> lines() {
        return members.stream()
                .map(words -> Stage.typed(words).replaceFirst("^\\./prpf ", ""))
                .toList();
    }
}
