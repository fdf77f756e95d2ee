package dev.prpf.eval.quickstart;

/**
 * configs/quickstart.yaml: how much data, and the cascade's settings. The models' own settings stand in configs/quickstart/.
 *
 * @param seed of the data; the test split takes the next one
 * @param train samples of the training split
 * @param test samples of the test split
 * @param trainMultimodalShare share of training samples with screenshots
 * @param testMultimodalShare share of test samples with screenshots
 * @param topK scenarios whose functions the reasoner sees (PRPF: 5)
 * @param maxNew longest response in tokens
 */
public record QuickstartConfig(
        long seed,
        int train,
        int test,
        double trainMultimodalShare,
        double testMultimodalShare,
        int topK,
        int maxNew) {}
