import dev.prpf.mpp.ensemble.LogisticRegression;
import dev.prpf.mpp.ensemble.SparseVector;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Measures the seconds of logistic regression on dense rows and on the same rows as sparse rows. Each figure is the better of two fits:
 *
 * <pre>benchmarks/run gate/FitTime.java 1600 1024 1</pre>
 */
final class FitTime {
    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        int width = Integer.parseInt(args[1]);
        double c = Double.parseDouble(args[2]);
        Random random = new Random(42);
        double[][] rows = new double[n][width];
        boolean[] labels = new boolean[n];
        for (int i = 0; i < n; i++) {
            double score = random.nextGaussian();
            for (int j = 0; j < width; j++) {
                double entry = random.nextGaussian();
                rows[i][j] = (0.5 + entry) / Math.sqrt(width); // as embeddings: about length 1, most of it in common
                score += j < 20 ? entry : 0;
            }
            labels[i] = score > 0;
        }
        int[] columns = IntStream.range(0, width).toArray();
        List<SparseVector> sparse =
                Arrays.stream(rows).map(row -> new SparseVector(columns, row)).toList();
        double dense = seconds(() -> LogisticRegression.fit(rows, labels, c));
        double before = seconds(() -> LogisticRegression.fit(sparse, labels, c));
        double[] a = LogisticRegression.fit(rows, labels, c).weights();
        double[] b = LogisticRegression.fit(sparse, labels, c).weights();
        double apart = IntStream.range(0, width)
                .mapToDouble(j -> Math.abs(a[j] - b[j]))
                .max()
                .orElse(0);
        System.out.printf(
                "%d x %d, C = %s: sparse %.2f s, dense %.2f s, ratio %.1f; weights apart by at most %.1e%n",
                n, width, c, before, dense, before / dense, apart);
    }

    private static double seconds(Supplier<LogisticRegression> fit) {
        double best = Double.MAX_VALUE;
        for (int run = 0; run < 2; run++) {
            long start = System.nanoTime();
            fit.get();
            best = Math.min(best, (System.nanoTime() - start) / 1e9);
        }
        return best;
    }
}
