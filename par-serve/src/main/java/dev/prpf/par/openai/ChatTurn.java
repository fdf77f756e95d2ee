package dev.prpf.par.openai;

import dev.prpf.par.tokenizer.Piece;
import java.util.List;
import java.util.stream.Collectors;

/**
 * One message.
 *
 * @param role {@code system}, {@code user} or {@code assistant}
 * @param content its text
 */
public record ChatTurn(String role, String content) {
    /** A prompt's text. The server finds control tokens in it by itself: what came from outside must not hold any. */
    public static String text(List<Piece> pieces) {
        return pieces.stream()
                .map(piece -> piece.control() ? piece.text() : piece.text().replace("<|", "< |"))
                .collect(Collectors.joining());
    }
}
