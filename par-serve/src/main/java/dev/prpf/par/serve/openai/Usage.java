package dev.prpf.par.serve.openai;

/**
 * The token counts of a request.
 *
 * @param promptTokens of its prompts, each counted once for any number of answers
 * @param completionTokens of all answers, with the tokens that ended them
 */
record Usage(int promptTokens, int completionTokens, int totalTokens, Details promptTokensDetails) {
    /** @param cachedTokens prompt tokens from the prefix cache */
    record Details(int cachedTokens) {}

    static Usage of(int promptTokens, int completionTokens, int cachedTokens) {
        return new Usage(promptTokens, completionTokens, promptTokens + completionTokens, new Details(cachedTokens));
    }
}
