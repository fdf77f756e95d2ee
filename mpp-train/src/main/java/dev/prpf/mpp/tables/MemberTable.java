package dev.prpf.mpp.tables;

import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import dev.prpf.mpp.ensemble.EnsembleDescription;
import dev.prpf.mpp.ensemble.OutOfFold;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The members of an ensemble with their weights and out-of-fold scores. */
public final class MemberTable {
    /** Explanation printed with the table. */
    public static final String NOTE =
            "Each fold of the training samples was scored by models of the other folds. A member's C was chosen on all folds, by log loss;"
                    + " the mixture's weights were fitted on the other folds here, and on all for use. Intervals are 95 percent, by"
                    + " bootstrap over groups of near-duplicates.";

    private MemberTable() {}

    /** Returns the table, with the mixture, which is the gate, in the first row. */
    public static Table of(EnsembleDescription ensemble) {
        List<Table.Row> rows = new ArrayList<>();
        rows.add(row("mixture", null, null, ensemble.mixture(), true));
        ensemble.members()
                .forEach(member ->
                        rows.add(row(member.name(), member.strength(), member.weight(), member.outOfFold(), false)));
        return new Table("Out of fold, training samples", List.of("gate", "C", "weight", "AUC [95 %]"), rows);
    }

    private static Table.Row row(
            String name, @Nullable Double c, @Nullable Double weight, OutOfFold.Figure area, boolean primary) {
        String auc = Shown.number(area.value(), "%.3f") + Shown.bracketed(area.interval(), "%.3f");
        return new Table.Row(List.of(name, Shown.number(c, "%.2f"), Shown.number(weight, "%.2f"), auc), primary);
    }
}
