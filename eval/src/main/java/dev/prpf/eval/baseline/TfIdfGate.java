package dev.prpf.eval.baseline;

import java.util.List;

/** TF-IDF and logistic regression in one: texts in, a probability out. The baseline a gate must be seen beside. */
public record TfIdfGate(TfIdfVectorizer vectorizer, LogisticRegression regression) {
    private static final int MINIMUM_DOCUMENTS = 2;

    /**
     * Terms in two texts or more, C = 1, classes balanced.
     *
     * @throws dev.prpf.base.error.PrpfException 65 if the numbers of texts and labels differ or a class is missing
     */
    public static TfIdfGate fit(List<String> texts, boolean[] labels, TextAnalyzer analyzer) {
        TfIdfVectorizer vectorizer = TfIdfVectorizer.fit(texts, analyzer, MINIMUM_DOCUMENTS);
        List<SparseVector> rows = texts.stream().map(vectorizer::transform).toList();
        return new TfIdfGate(vectorizer, LogisticRegression.fit(rows, labels, 1));
    }

    /** P(label = true | text); 0.5 is the threshold, classes weighing the same in training. */
    public double predictProbability(String text) {
        return regression.predictProbability(vectorizer.transform(text));
    }
}
