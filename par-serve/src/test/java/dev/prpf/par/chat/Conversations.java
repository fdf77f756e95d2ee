package dev.prpf.par.chat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.par.chat.ChatTemplate.Conversation;
import dev.prpf.par.tokenizer.Piece;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Conversations for tests, written as JSON with single quotes. */
final class Conversations {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Conversations() {}

    static JsonNode json(String text) {
        try {
            return JSON.readTree(text.replace('\'', '"'));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    static Conversation of(String messages) {
        return of(messages, "[]", null);
    }

    static Conversation of(String messages, String tools, @Nullable Boolean thinking) {
        return new Conversation(
                ConversationReader.messages("m.json", json(messages)),
                ConversationReader.tools("t.json", json(tools)),
                true,
                thinking);
    }

    static String render(ChatTemplate template, String messages) {
        return Piece.text(template.render(of(messages)));
    }

    static List<String> plain(List<Piece> pieces) {
        return pieces.stream()
                .filter(piece -> !piece.control())
                .map(Piece::text)
                .toList();
    }
}
