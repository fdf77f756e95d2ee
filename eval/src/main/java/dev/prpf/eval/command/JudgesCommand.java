package dev.prpf.eval.command;

import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import dev.prpf.eval.judge.Agreement;
import dev.prpf.eval.judge.SampleVerdict;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Implements the command {@code prpf eval judges}. */
@Command(
        name = "judges",
        description = {
            "Agreement of two judges, or of a judge and a person, on the same predictions: Cohen's kappa with its"
                    + " interval, confusion, examples of dissent.",
            "A file has a line a sample: {\"id\", \"equivalent\": true, false or null, \"reason\"}; eval score writes"
                    + " verdicts.jsonl."
        },
        footer = "  ./prpf eval judges runs/exact/verdicts.jsonl runs/llm/verdicts.jsonl")
final class JudgesCommand implements Runnable {
    @Mixin
    private BootstrapOptions options = new BootstrapOptions();

    @Parameters(index = "0", paramLabel = "A", description = "Verdicts of the first judge.")
    private Path first;

    @Parameters(index = "1", paramLabel = "B", description = "Verdicts of the second judge, on the same samples.")
    private Path second;

    @Override
    public void run() {
        Agreement agreement = Agreement.of(SampleVerdict.read(first), SampleVerdict.read(second), options.bootstrap());
        options.printLines(agreement, () -> lines(agreement));
    }

    private static List<String> lines(Agreement agreement) {
        Table confusion = Table.of("", "B equivalent", "B not")
                .row("A equivalent", counts(agreement, true))
                .row("A not", counts(agreement, false))
                .captioned("Verdicts of A (rows) and B (columns), samples");
        Table.Builder dissent = Table.of("id", "A", "B", "reason of A", "reason of B");
        agreement
                .dissent()
                .forEach(one -> dissent.row(one.id(), word(one.a()), word(one.b()), one.aReason(), one.bReason()));
        return List.of(
                "n " + agreement.n() + ", agreement " + Shown.percent(agreement.agreement()) + " %, kappa "
                        + Shown.number(agreement.kappa(), "%.3f") + Shown.bracketed(agreement.interval(), "%.3f")
                        + "; abstained: A " + agreement.abstained().a() + ", B "
                        + agreement.abstained().b() + ", both "
                        + agreement.abstained().both(),
                confusion.toText().stripTrailing(),
                dissent.captioned("Dissent").toText().stripTrailing());
    }

    private static List<Integer> counts(Agreement agreement, boolean first) {
        Map<Boolean, Integer> counts = agreement.confusion().getOrDefault(first, Map.of());
        return List.of(counts.getOrDefault(true, 0), counts.getOrDefault(false, 0));
    }

    private static String word(boolean equivalent) {
        return equivalent ? "equivalent" : "not";
    }
}
