package dev.prpf.par.serve.openai.answer;

/**
 * The part of a chat request that decides the form of its answers.
 *
 * @param tenant that owns the compiled schemas
 * @param tools functions, and whether they are called
 * @param prompt token ids before the answers
 * @param maxTokens maximum tokens of an answer
 * @param ends whether the first of the model's end tokens ends an answer
 */
public record AnswerRequest(
        String tenant, ToolUse tools, ResponseFormat format, long[] prompt, int maxTokens, boolean ends) {
    /** Returns whether a format or functions constrain the answers, which requires compilation. */
    public boolean constrained() {
        return !(format instanceof ResponseFormat.Text && tools.choice() instanceof ToolUse.Choice.None);
    }
}
