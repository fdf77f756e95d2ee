package dev.prpf.data.synth;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.Language;
import dev.prpf.data.synth.SynthLibrary.PhraseTemplates;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A need that one function of the pool fulfils, with its sentences.
 *
 * @param need sentences that show the need
 * @param done sentences that show the same thing completed
 * @param instruction the proposal in words
 * @param parameters the required parameters, values as templates
 * @param optional a clause that adds an optional parameter, or null
 * @param alternative another function for the same need, or null
 */
record Intent(
        String function,
        PhraseTemplates need,
        PhraseTemplates done,
        Wording instruction,
        JsonNode parameters,
        @Nullable Extra optional,
        @Nullable Alternative alternative) {
    private static final String TIME = "{" + Binding.TIME + "}";

    /** One template in both languages. */
    record Wording(String zh, String en) {
        String in(Language language) {
            return language.of(zh, en);
        }
    }

    /** An optional parameter and the clause of the need that states it. */
    record Extra(String parameter, JsonNode value, Wording clause) {}

    /** Another valid call for the same need. */
    record Alternative(String function, JsonNode parameters, Wording instruction) {}

    /** Returns the need's templates that state a time, or those that do not. */
    List<String> needs(Language language, boolean timed) {
        return need.in(language).stream()
                .filter(template -> template.contains(TIME) == timed)
                .toList();
    }

    /** Returns whether a need of this kind can be too late. */
    boolean canBeLate() {
        return need.zh().stream().anyMatch(template -> template.contains(TIME));
    }
}
