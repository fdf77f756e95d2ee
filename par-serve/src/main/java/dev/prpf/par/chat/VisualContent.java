package dev.prpf.par.chat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.prompt.PieceList;

/** Content as Qwen3.5 renders it: text, or a list of texts, pictures and videos, trimmed. */
final class VisualContent {
    private static final String IMAGE = "<|vision_start|><|image_pad|><|vision_end|>";
    private static final String VIDEO = "<|vision_start|><|video_pad|><|vision_end|>";

    private VisualContent() {}

    static MarkedText render(ChatMessage message) {
        JsonNode content = message.content();
        PieceList out = new PieceList();
        if (content.isTextual()) {
            out.plain(content.asText());
        } else if (content.isArray()) {
            content.forEach(part -> part(out, message, part));
        } else if (!content.isNull() && !content.isMissingNode()) {
            throw refused(message, "Unexpected content type.", content);
        }
        return new MarkedText(out.build()).strip();
    }

    private static void part(PieceList out, ChatMessage message, JsonNode part) {
        String type = part.path("type").asText();
        if (part.has("image") || part.has("image_url") || "image".equals(type)) {
            requireNoSystem(message, "System message cannot contain images.", part);
            out.control(IMAGE);
        } else if (part.has("video") || "video".equals(type)) {
            requireNoSystem(message, "System message cannot contain videos.", part);
            out.control(VIDEO);
        } else if (part.has("text")) {
            out.plain(PythonText.str(part.path("text")));
        } else {
            throw refused(message, "Unexpected item type in content.", part);
        }
    }

    private static void requireNoSystem(ChatMessage message, String rule, JsonNode part) {
        if (message.role() == ChatRole.SYSTEM) {
            throw refused(message, rule, part);
        }
    }

    private static PrpfException refused(ChatMessage message, String rule, JsonNode value) {
        return new InvalidDataException(
                message.place() + ": " + rule + " (The template's rule; here stands " + PythonText.json(value) + ")");
    }
}
