package dev.prpf.eval.efficiency;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/** How the numbers of an {@link EfficiencyTable} came about, said in sentences. */
final class Assumptions {
    private static final List<String> ALWAYS = List.of(
            "Operations are two a multiply-add, as in PRPF eq. 31, counted part by part of what ran. flops_eq31_mean has the"
                    + " reasoner's part estimated as eq. 31: all parameters for every token, every prompt token seen by all.",
            "A mean is (sum of F_MPP over all samples + sum of F_PAR over the routed ones, each with its own prompt and"
                    + " response) / n (PRPF Table 10), not r times a mean: routed prompts are longer than others.",
            "Samples that ran together share the wall clock, so the mean latency is the wall clock divided by the samples"
                    + " (PRPF B.6); it is no single request's waiting time.",
            "peak_memory_mb is what was resident at most with perceiver and reasoner both loaded. sequential_mb is the"
                    + " paper's assumption, the larger stage alone; co_resident_bound_mb is the sum of both. Stages are"
                    + " estimated: each one's peak less what loading the other added; Java itself counts in both.");

    private Assumptions() {}

    static List<String> of(List<CostedRun> runs) {
        List<String> all = new ArrayList<>(ALWAYS);
        all.add(devices(runs));
        runs.forEach(run -> ofOne(run, all));
        return List.copyOf(all);
    }

    private static String devices(List<CostedRun> runs) {
        List<String> cards = runs.stream()
                .map(CostedRun::decoder)
                .filter(Objects::nonNull)
                .map(DecoderFacts::device)
                .filter(device -> !device.equals("cpu"))
                .distinct()
                .toList();
        return cards.isEmpty()
                ? "No reasoner ran on a CUDA device, so no device memory was measured; clocks are the host's."
                : "On " + String.join(", ", cards) + " the clock waits for the card after every pass; device_mb is what"
                        + " all processes used of it.";
    }

    private static void ofOne(CostedRun run, List<String> all) {
        if (run.resources().equals(RunResources.NONE)) {
            all.add(run.name() + ": no finished run's run.json stands beside " + run.file()
                    + ", so its memory is not known.");
        }
        if (run.resources().encodingsReused() > 0) {
            all.add(String.format(
                    Locale.ROOT,
                    "%s: %d encodings came from a store that earlier runs had filled and cost nothing here: its"
                            + " perceiver's part is too low; run it with an empty --store.",
                    run.name(),
                    run.resources().encodingsReused()));
        }
        if (run.sums().prefixTokens() > 0) {
            all.add(String.format(
                    Locale.ROOT,
                    "%s: the prefix cache had %d prompt tokens, which cost nothing; eq. 31 counts them.",
                    run.name(),
                    run.sums().prefixTokens()));
        }
        String unknown = List.of(
                        run.sums().flops().total() == null ? "operations" : "",
                        run.sums().seconds().total() == null ? "seconds" : "")
                .stream()
                .filter(what -> !what.isEmpty())
                .collect(Collectors.joining(" and "));
        if (!unknown.isEmpty()) {
            all.add(run.name() + ": " + unknown + " of some predictions are not known (a reasoner on a server does not"
                    + " tell them), so there is no mean.");
        }
    }
}
