package dev.prpf.eval.efficiency;

import dev.prpf.eval.efficiency.EfficiencyTable.CostedRun;
import dev.prpf.eval.score.Provenance;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Describes in sentences how the numbers of an {@link EfficiencyTable} were computed. */
final class Assumptions {
    private static final List<String> ALWAYS = List.of(
            "Operations are two a multiply-add, as in PRPF eq. 31, counted part by part of what ran. flops_eq31_mean has the"
                    + " reasoner's part estimated as eq. 31: all parameters for every token, every prompt token seen by all.",
            "A mean is (sum of F_MPP over all samples + sum of F_PAR over the routed ones, each with its own prompt and"
                    + " response) / n (PRPF Table 10), not r times a mean: routed prompts are longer than others.",
            "Samples that ran together share the wall clock, so the mean latency is the wall clock divided by the samples"
                    + " (PRPF B.6); it is no single request's waiting time.",
            "peak_memory_mb is what was resident at most with perceiver and reasoner both loaded. sequential_mb is the"
                    + " paper's assumption, only the larger stage; co_resident_bound_mb is the sum of both. Stages are"
                    + " estimated: each one's peak less what loading the other added; Java itself counts in both.");

    private Assumptions() {}

    static List<String> of(List<CostedRun> runs, List<EfficiencyTable.Row> rows) {
        List<String> all = new ArrayList<>(ALWAYS);
        all.add(devices(runs));
        rows.stream()
                .filter(row -> row.roofline() != null)
                .forEach(row -> all.add(peak(row.name(), Objects.requireNonNull(row.roofline()))));
        if (rows.stream().anyMatch(row -> row.roofline() != null)) {
            all.add(
                    "Seconds of prefill hold the prompt's rendering and tokenizing, so its share of the roofline is rather too"
                            + " low.");
        }
        runs.forEach(run -> ofOne(run, all));
        Map<String, Provenance> made = new LinkedHashMap<>();
        runs.forEach(run -> made.put(run.name(), Provenance.of(run.files())));
        Provenance.differences(made).forEach(difference -> all.add(sentence(difference)));
        return List.copyOf(all);
    }

    private static String sentence(Provenance.Difference difference) {
        return "Rows differ in " + difference.fact() + " (" + difference.kind().key() + "): "
                + difference.values().keySet().stream()
                        .map(run -> run + " " + difference.shown(run))
                        .collect(Collectors.joining(", "))
                + ".";
    }

    private static String peak(String name, MachineFigures.Share share) {
        return name + ": its roofline is the peak of " + share.peak() + " products"
                + (share.eightBits() ? ", used for 8 bits, which reasoner bench does not measure." : ".");
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
        if (run.files().run() == null) {
            all.add(run.name() + ": the run.json of the run that made " + run.file()
                    + " is not next to it, so its memory and origin are unknown.");
        } else if (run.resources().equals(RunResources.NONE)) {
            all.add(run.name() + ": the run that made " + run.file() + " is not finished, so its memory is not known.");
        }
        if (run.sums().untimed() > 0 && run.sums().seconds().total() != null) {
            all.add(String.format(
                    Locale.ROOT,
                    "%s: the seconds of %d of %d samples were not measured (a server's answers that an earlier process had);"
                            + " its mean latency takes them to be those of the others of their route.",
                    run.name(),
                    run.sums().untimed(),
                    run.n()));
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
