package dev.prpf.par.serve.openai.answer;

import java.util.List;

/** Splits the text of one answer, as it arrives, into content, reasoning and calls. */
public interface AnswerReader {
    /** Adds text and returns the pieces known now. */
    List<AnswerDelta> read(String text);

    /** Returns the remaining pieces; nothing follows. */
    List<AnswerDelta> end();

    /** Returns a reader that treats the whole text as content. */
    static AnswerReader plain() {
        return new AnswerReader() {
            @Override
            public List<AnswerDelta> read(String text) {
                return text.isEmpty() ? List.of() : List.of(new AnswerDelta.Content(text));
            }

            @Override
            public List<AnswerDelta> end() {
                return List.of();
            }
        };
    }
}
