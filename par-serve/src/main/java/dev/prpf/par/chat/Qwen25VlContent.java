package dev.prpf.par.chat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.tokenizer.Piece.PieceList;

/** Renders a message's content like Qwen2.5-VL's template: text, or a list of texts, images and videos. */
final class Qwen25VlContent {
    static final String VIDEO = "<|vision_start|><|video_pad|><|vision_end|>";

    private Qwen25VlContent() {}

    /** @throws PrpfException 65 for content that the template cannot write, or would silently drop */
    static MarkedText of(ChatMessage message) {
        JsonNode content = message.content();
        if (content.isTextual()) {
            return message.marked();
        }
        PieceList out = new PieceList();
        if (!content.isArray() && !content.isMissingNode()) {
            throw refused(message, content);
        }
        content.forEach(part -> part(out, message, part));
        return new MarkedText(out.build());
    }

    private static void part(PieceList out, ChatMessage message, JsonNode part) {
        String type = part.path("type").asText();
        if (part.has("image") || part.has("image_url") || "image".equals(type)) {
            out.image();
        } else if (part.has("video") || "video".equals(type)) {
            out.control(VIDEO);
        } else if (part.has("text")) {
            out.plain(PythonText.str(part.path("text")));
        } else {
            throw refused(message, part);
        }
    }

    private static PrpfException refused(ChatMessage message, JsonNode value) {
        return new InvalidDataException(
                message.place() + ": content must be text, or a list of texts, images and videos,"
                        + " for this template, it holds " + PythonText.json(value));
    }
}
