package dev.prpf.par.reward;

import java.util.List;

/** Whether names come in the answer's order (PRPF A.4: longest-common-subsequence order consistency). */
final class NameOrder {
    private NameOrder() {}

    /** Length of the longest common subsequence over that of the longer sequence, in [0, 1]; one of them is not empty. */
    static double consistency(List<String> predicted, List<String> gold) {
        int[] row = new int[gold.size() + 1];
        for (String name : predicted) {
            int diagonal = 0;
            for (int j = 1; j < row.length; j++) {
                int above = row[j];
                row[j] = name.equals(gold.get(j - 1)) ? diagonal + 1 : Math.max(above, row[j - 1]);
                diagonal = above;
            }
        }
        return (double) row[gold.size()] / Math.max(predicted.size(), gold.size());
    }
}
