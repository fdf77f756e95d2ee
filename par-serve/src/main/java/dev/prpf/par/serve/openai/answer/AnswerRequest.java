package dev.prpf.par.serve.openai.answer;

/**
 * What a chat asks of its answers.
 *
 * @param tenant whose compiled schemas are reused
 * @param tools functions, and whether they are called
 * @param format of the answers
 * @param prompt that they follow, as token ids
 * @param maxTokens of an answer
 * @param ends whether the model's own end tokens end an answer, as soon as it writes one
 */
public record AnswerRequest(
        String tenant, ToolUse tools, ResponseFormat format, long[] prompt, int maxTokens, boolean ends) {
    /** Returns whether a format or functions constrain the answers, which requires compilation. */
    public boolean constrained() {
        return !(format instanceof ResponseFormat.Text && tools.choice() instanceof ToolUse.Choice.None);
    }
}
