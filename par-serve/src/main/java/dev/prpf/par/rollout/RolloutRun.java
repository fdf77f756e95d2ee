package dev.prpf.par.rollout;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.KeyedLines;
import dev.prpf.base.run.Progress;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.grpo.GroupAdvantages;
import dev.prpf.par.sets.PromptExample;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.IntSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * The loop of {@code data rollout-set}: samples prompts in chunks and appends groups in the prompts' order, synced after each chunk. A resumed
 * run has the same chunks and repeats an incomplete one, so its file equals that of an uninterrupted run.
 *
 * @param groups the sampler
 * @param run receives {@link #FILE} and a line of metrics for each chunk
 */
public record RolloutRun(Groups groups, RolloutProvenance provenance, RunDirectory run, RolloutSampling sampling) {
    public static final String FILE = "rollouts.jsonl";

    /** Samples and rewards groups: a {@link GroupSampler} with a decoder or servers. */
    @FunctionalInterface
    public interface Groups {
        /**
         * Returns one group for each prompt, in order.
         *
         * @param cancelled polled while sampling; incomplete groups are omitted
         */
        List<RolloutGroup> of(List<PromptExample> prompts, BooleanSupplier cancelled);
    }

    /**
     * Generates the missing groups.
     *
     * @return the file with one group for each prompt
     * @throws PrpfException 65 for a file of other rollouts; 75 when stopped by a signal; see {@link GroupSampler#sample}
     */
    public Path run(List<PromptExample> prompts, StopSignal stop) {
        Path file = run.path().resolve(FILE);
        int chunk = sampling.chunkSize();
        try (KeyedLines appender = open(file, prompts);
                Progress progress = Progress.resume("data rollout-set", prompts.size(), appender.size())) {
            run.rewind(appender.size());
            for (int from = 0; from < prompts.size(); from += chunk) {
                List<PromptExample> part = prompts.subList(from, Math.min(prompts.size(), from + chunk));
                if (!part.stream().allMatch(prompt -> appender.has(prompt.id()))) {
                    int before = appender.size();
                    sample(part, from + part.size(), appender, progress, stop);
                    progress.stepBy(appender.size() - before);
                }
                if (stop.requested() && appender.size() < prompts.size()) {
                    throw StopSignal.checkpointed(appender.size(), run.path());
                }
            }
        }
        return file;
    }

    /** Opens the file; throws 65 for an invalid complete line, another provenance or an unknown prompt. */
    private KeyedLines open(Path file, List<PromptExample> prompts) {
        Set<String> known = prompts.stream().map(PromptExample::id).collect(Collectors.toSet());
        return new KeyedLines(file, "a prompt has one group", (place, line) -> {
            RolloutGroup group = RolloutGroup.LINES.parse(place, line);
            group.provenance().requireSame(provenance, place, "rollouts of one file have");
            if (!known.contains(group.id())) {
                throw new InvalidDataException(
                        place + ": id \"" + group.id() + "\" is not a prompt of this run; name another --run-dir");
            }
            return group.id();
        });
    }

    /** Samples a chunk and writes its metrics before its groups; a resumed run drops metrics of a missing chunk. */
    private void sample(List<PromptExample> part, int step, KeyedLines appender, Progress progress, StopSignal stop) {
        List<RolloutGroup> groups = this.groups.of(part, stop::requested);
        if (groups.size() == part.size()) {
            Map<String, Double> metrics = RolloutMetrics.byName(groups);
            progress.note(String.format(Locale.ROOT, "reward %.2f", metrics.get("reward")));
            run.metric(step, metrics);
        }
        for (int i = 0;
                i < groups.size() && groups.get(i).id().equals(part.get(i).id());
                i++) {
            if (!appender.has(part.get(i).id())) {
                appender.append(part.get(i).id(), RolloutGroup.LINES.line(groups.get(i)));
            }
        }
        appender.flush();
    }

    /** Metrics of a batch of rollouts, with TRL's names; {@code rewards/malformed/mean} is ours. */
    public static final class RolloutMetrics {
        private RolloutMetrics() {}

        /**
         * Returns rewards (mean and standard deviation over n - 1, also of each term), the share of groups with equal rewards, and lengths in
         * tokens. The share of malformed responses shows a policy that loses the grammar.
         *
         * @param groups at least one
         */
        public static Map<String, Double> byName(List<RolloutGroup> groups) {
            List<Rollout> rollouts =
                    groups.stream().flatMap(group -> group.rollouts().stream()).toList();
            Map<String, Double> metrics = new LinkedHashMap<>();
            double[] rewards = values(rollouts, rollout -> rollout.reward().total());
            metrics.put("reward", mean(rewards));
            metrics.put("reward_std", GroupAdvantages.std(rewards, 1));
            long zeroVariance = groups.stream()
                    .filter(group -> GroupAdvantages.hasZeroVariance(group.rewards()))
                    .count();
            metrics.put("frac_reward_zero_std", (double) zeroVariance / groups.size());
            for (String term : rollouts.get(0).reward().terms().keySet()) {
                double[] values =
                        values(rollouts, rollout -> rollout.reward().terms().getOrDefault(term, 0.0));
                metrics.put("rewards/" + term + "/mean", mean(values));
                metrics.put("rewards/" + term + "/std", GroupAdvantages.std(values, 1));
            }
            metrics.put(
                    "rewards/malformed/mean",
                    mean(values(rollouts, rollout -> rollout.reward().outcome() == null ? 1 : 0)));
            lengths(metrics, "", rollouts);
            List<Rollout> ended = rollouts.stream()
                    .filter(rollout -> rollout.finish() == FinishReason.END_TOKEN)
                    .toList();
            metrics.put("completions/clipped_ratio", 1 - (double) ended.size() / rollouts.size());
            lengths(metrics, "terminated_", ended);
            return metrics;
        }

        /** Adds statistics of lengths; 0 without rollouts, like TRL. */
        private static void lengths(Map<String, Double> metrics, String which, List<Rollout> rollouts) {
            IntSummaryStatistics lengths =
                    rollouts.stream().mapToInt(rollout -> rollout.ids().length).summaryStatistics();
            metrics.put("completions/mean_" + which + "length", lengths.getAverage());
            metrics.put("completions/min_" + which + "length", rollouts.isEmpty() ? 0.0 : lengths.getMin());
            metrics.put("completions/max_" + which + "length", rollouts.isEmpty() ? 0.0 : lengths.getMax());
        }

        private static double[] values(List<Rollout> rollouts, ToDoubleFunction<Rollout> value) {
            return rollouts.stream().mapToDouble(value).toArray();
        }

        private static double mean(double[] values) {
            return Arrays.stream(values).average().orElseThrow();
        }
    }
}
