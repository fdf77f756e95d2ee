package dev.prpf.eval.baseline;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.math3.util.MathArrays;

/**
 * Term weights: {@code (1 + ln tf) * (1 + ln((1 + n) / (1 + df)))}, then L2-normalised; scikit-learn's TfidfVectorizer with
 * {@code sublinear_tf=True}. Terms in fewer than {@code minimumDocuments} texts are left out; columns are in alphabetical order.
 *
 * @param analyzer cuts texts into terms
 * @param columns of the terms known
 * @param inverseDocumentFrequency one a column
 */
public record TfIdfVectorizer(TextAnalyzer analyzer, Map<String, Integer> columns, double[] inverseDocumentFrequency) {
    /** Learns vocabulary and document frequencies from these texts alone. */
    public static TfIdfVectorizer fit(List<String> texts, TextAnalyzer analyzer, int minimumDocuments) {
        TreeMap<String, Integer> documents = new TreeMap<>();
        for (String text : texts) {
            new HashSet<>(analyzer.terms(text)).forEach(term -> documents.merge(term, 1, Integer::sum));
        }
        documents.values().removeIf(count -> count < minimumDocuments);
        Map<String, Integer> columns = new HashMap<>();
        double[] idf = new double[documents.size()];
        documents.forEach((term, count) -> {
            idf[columns.size()] = 1 + Math.log((1.0 + texts.size()) / (1.0 + count));
            columns.put(term, columns.size());
        });
        return new TfIdfVectorizer(analyzer, columns, idf);
    }

    /** The text as a row of unit length, or an empty row if no term of it is known. */
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
