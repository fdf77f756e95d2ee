package dev.prpf.mpp.ensemble;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.math3.util.MathArrays;

/** A baseline gate by TF-IDF and logistic regression, from a text to a probability. */
public record TfIdfGate(Vectorizer vectorizer, LogisticRegression regression) {
    private static final int MINIMUM_DOCUMENTS = 2;

    /**
     * Fits with terms of at least two texts, C = 1 and balanced classes.
     *
     * @throws dev.prpf.base.error.PrpfException 65 if the numbers of texts and labels differ or a class is missing
     */
    public static TfIdfGate fit(List<String> texts, boolean[] labels, TextAnalyzer analyzer) {
        Vectorizer vectorizer = Vectorizer.fit(texts, analyzer);
        List<SparseVector> rows = texts.stream().map(vectorizer::transform).toList();
        return new TfIdfGate(vectorizer, LogisticRegression.fit(rows, labels, 1));
    }

    /** P(label = true | text); the threshold is 0.5, since training balances the classes. */
    public double predictProbability(String text) {
        return regression.predictProbability(vectorizer.transform(text));
    }

    /**
     * The weights of terms, {@code (1 + ln tf) * (1 + ln((1 + n) / (1 + df)))}, then L2-normalised; scikit-learn's TfidfVectorizer with
     * {@code sublinear_tf=True}. Terms of fewer than two texts are excluded; columns are in alphabetical order.
     *
     * @param analyzer splits texts into terms
     * @param columns the column of each known term
     */
    public record Vectorizer(TextAnalyzer analyzer, Map<String, Integer> columns, double[] inverseDocumentFrequency) {
        /** Learns vocabulary and document frequencies from these texts. */
        public static Vectorizer fit(List<String> texts, TextAnalyzer analyzer) {
            TreeMap<String, Integer> documents = new TreeMap<>();
            for (String text : texts) {
                new HashSet<>(analyzer.terms(text)).forEach(term -> documents.merge(term, 1, Integer::sum));
            }
            documents.values().removeIf(count -> count < MINIMUM_DOCUMENTS);
            Map<String, Integer> columns = new HashMap<>();
            double[] idf = new double[documents.size()];
            documents.forEach((term, count) -> {
                idf[columns.size()] = 1 + Math.log((1.0 + texts.size()) / (1.0 + count));
                columns.put(term, columns.size());
            });
            return new Vectorizer(analyzer, columns, idf);
        }

        /** Returns the text's row, of unit length, or an empty row if it has no known term. */
        public SparseVector transform(String text) {
            TreeMap<Integer, Integer> counts = new TreeMap<>();
            for (String term : analyzer.terms(text)) {
                Integer column = columns.get(term);
                if (column != null) {
                    counts.merge(column, 1, Integer::sum);
                }
            }
            int[] indices = counts.keySet().stream().mapToInt(Integer::intValue).toArray();
            double[] values = new double[indices.length];
            for (int k = 0; k < indices.length; k++) {
                values[k] = (1 + Math.log(counts.getOrDefault(indices[k], 1))) * inverseDocumentFrequency[indices[k]];
            }
            return new SparseVector(indices, MathArrays.scale(1 / MathArrays.safeNorm(values), values));
        }
    }
}
