package dev.prpf.cli.quickstart;

/**
 * configs/quickstart.yaml: how much data, and the cascade's settings. The models' own settings stand in configs/quickstart/.
 *
 * @param seed of the data; the test split takes the next one
 * @param train samples of the training split
 * @param test samples of the test split
 * @param trainMultimodalShare share of training samples with screenshots
 * @param testMultimodalShare share of test samples with screenshots
 * @param maxFalseTriggers percent of silent dev samples that a gate may let through; the paper's rule, recall of at least 90, leaves
 *     declining to a reasoner that is large enough for it
 * @param topK scenarios whose functions the reasoner sees (PRPF: 5)
 * @param maxNewTokens longest response in tokens
 */
public record QuickstartConfig(
        long seed,
        int train,
        int test,
        double trainMultimodalShare,
        double testMultimodalShare,
        double maxFalseTriggers,
        int topK,
        int maxNewTokens) {}
