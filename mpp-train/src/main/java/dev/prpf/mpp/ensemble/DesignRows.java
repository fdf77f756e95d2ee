package dev.prpf.mpp.ensemble;

import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;

/** Rows of a design matrix, one for each sample, to train and apply regressions. */
sealed interface DesignRows {
    /** Fits one regression for each strength C, in order. */
    List<LogisticRegression> fit(boolean[] labels, double... strengths);

    /** Returns a regression's probability of each row; shape (n). */
    double[] probabilities(LogisticRegression regression);

    /** Rows of mostly zeros. */
    record Sparse(List<SparseVector> rows) implements DesignRows {
        @Override
        public List<LogisticRegression> fit(boolean[] labels, double... strengths) {
            return DoubleStream.of(strengths)
                    .mapToObj(c -> LogisticRegression.fit(rows, labels, c))
                    .toList();
        }

        @Override
        public double[] probabilities(LogisticRegression regression) {
            return rows.stream().mapToDouble(regression::predictProbability).toArray();
        }
    }

    /** Dense rows, shape (n, columns). */
    record Dense(double[][] rows) implements DesignRows {
        @Override
        public List<LogisticRegression> fit(boolean[] labels, double... strengths) {
            return LogisticRegression.path(rows, labels, strengths);
        }

        @Override
        public double[] probabilities(LogisticRegression regression) {
            return Arrays.stream(rows)
                    .mapToDouble(regression::predictProbability)
                    .toArray();
        }
    }
}
