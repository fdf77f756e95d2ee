package dev.prpf.par.openai;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One message.
 *
 * @param role {@code system}, {@code user} or {@code assistant}
 * @param content its text
 */
public record ChatTurn(String role, String content) {
    /**
     * A prompt of one user's turn.
     *
     * @param system the system message before it, or null for none
     */
    public static List<ChatTurn> prompt(@Nullable String system, String user) {
        ChatTurn turn = new ChatTurn("user", user);
        return system == null ? List.of(turn) : List.of(new ChatTurn("system", system), turn);
    }
}
