package dev.prpf.par.openai;

import java.util.ArrayList;
import java.util.List;

/** A part of a message: text, or a picture that stands between texts. */
public sealed interface ChatPart {
    /** Text. */
    record Text(String text) implements ChatPart {}

    /** A picture, sent in the request itself. */
    record Picture(SentPicture picture) implements ChatPart {}

    /** Texts that stand side by side are one, and none is empty; where nothing is left, one empty text. */
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
