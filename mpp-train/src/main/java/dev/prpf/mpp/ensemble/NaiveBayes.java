package dev.prpf.mpp.ensemble;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Multinomial naive Bayes on term presence, add-one smoothing, equal class priors.
 *
 * @param analyzer splits texts into terms
 * @param logOdds of each term
 */
public record NaiveBayes(TextAnalyzer analyzer, Map<String, Double> logOdds) {
    /**
     * Counts the texts of each class that contain a term; excludes terms of fewer than {@code minimumDocuments} texts.
     *
     * @throws dev.prpf.base.error.PrpfException 65 if the numbers of texts and labels differ or a class is missing
     */
    public static NaiveBayes fit(List<String> texts, boolean[] labels, TextAnalyzer analyzer, int minimumDocuments) {
        LogisticRegression.positives(texts.size(), labels);
        Map<String, int[]> counts = new TreeMap<>(); // term -> texts without, with the label
        for (int i = 0; i < labels.length; i++) {
            int label = labels[i] ? 1 : 0;
            new HashSet<>(analyzer.terms(texts.get(i)))
                    .forEach(term -> counts.computeIfAbsent(term, key -> new int[2])[label]++);
        }
        counts.values().removeIf(count -> count[0] + count[1] < minimumDocuments);
        double negatives = counts.values().stream().mapToInt(count -> count[0]).sum() + counts.size();
        double positives = counts.values().stream().mapToInt(count -> count[1]).sum() + counts.size();
        Map<String, Double> logOdds = new TreeMap<>();
        counts.forEach((term, count) ->
                logOdds.put(term, Math.log((count[1] + 1) / positives) - Math.log((count[0] + 1) / negatives)));
        return new NaiveBayes(analyzer, logOdds);
    }

    /** P(label = true | text) under equal priors. */
    public double predictProbability(String text) {
        Set<String> terms = new HashSet<>(analyzer.terms(text));
        double sum = 0;
        for (Map.Entry<String, Double> entry : logOdds.entrySet()) { // in sorted order, so that the sum is reproducible
            sum += terms.contains(entry.getKey()) ? entry.getValue() : 0;
        }
        return LogisticRegression.sigmoid(sum);
    }
}
