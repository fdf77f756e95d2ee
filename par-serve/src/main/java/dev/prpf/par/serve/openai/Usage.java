package dev.prpf.par.serve.openai;

/**
 * What a request took.
 *
 * @param promptTokens of its prompts, each counted once however many answers it has
 * @param completionTokens of all answers, what ended them included
 */
record Usage(int promptTokens, int completionTokens, int totalTokens, Details promptTokensDetails) {
    /** @param cachedTokens of the prompts that the prefix cache had */
    record Details(int cachedTokens) {}

    static Usage of(int promptTokens, int completionTokens, int cachedTokens) {
        return new Usage(promptTokens, completionTokens, promptTokens + completionTokens, new Details(cachedTokens));
    }
}
