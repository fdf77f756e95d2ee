package dev.prpf.par.serve.openai.answer;

import java.util.List;

/** Reads the text of one answer as it comes, and says what it is. */
public interface AnswerReader {
    /** What is known now that there is more text. */
    List<AnswerDelta> read(String text);

    /** What remains; nothing follows. */
    List<AnswerDelta> end();

    /** All of it is said. */
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
