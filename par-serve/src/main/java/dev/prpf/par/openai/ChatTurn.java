package dev.prpf.par.openai;

/**
 * One message.
 *
 * @param role {@code system}, {@code user} or {@code assistant}
 * @param content its text
 */
public record ChatTurn(String role, String content) {}
