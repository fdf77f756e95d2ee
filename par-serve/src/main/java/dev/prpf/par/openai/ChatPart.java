package dev.prpf.par.openai;

import java.util.ArrayList;
import java.util.List;

/** A part of a message: text, or an image between texts. */
public sealed interface ChatPart {
    record Text(String text) implements ChatPart {}

    /** An image, sent within the request. */
    record Image(SentImage image) implements ChatPart {}

    /** Merges adjacent texts and drops empty ones; returns one empty text if nothing remains. */
    static List<ChatPart> joined(List<ChatPart> parts) {
        List<ChatPart> joined = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        for (ChatPart part : parts) {
            if (part instanceof Text more) {
                text.append(more.text());
            } else {
                flush(text, joined);
                joined.add(part);
            }
        }
        flush(text, joined);
        return joined.isEmpty() ? List.of(new Text("")) : List.copyOf(joined);
    }

    private static void flush(StringBuilder text, List<ChatPart> to) {
        if (!text.isEmpty()) {
            to.add(new Text(text.toString()));
            text.setLength(0);
        }
    }
}
