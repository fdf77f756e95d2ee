package dev.prpf.par.serve.openai.answer;

/**
 * What a chat asks of its answers.
 *
 * @param tools functions, and whether they are called
 * @param format of the answers
 * @param prompt that they follow, as token ids
 * @param maxTokens of an answer
 * @param ends whether the model's own end tokens end an answer, as soon as it writes one
 */
public record AnswerRequest(ToolUse tools, ResponseFormat format, long[] prompt, int maxTokens, boolean ends) {}
