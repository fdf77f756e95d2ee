package dev.prpf.par.constraint;

import dev.prpf.par.response.ResponseGrammar;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Text between tags: not blank, and of the response's tags only those that end it.
 *
 * @param endings tags, one of the grammar's each
 */
record FreeTextRules(List<String> endings) implements TextRules {
    @Override
    public @Nullable Place next(Place place, int b) {
        if (Utf8.isPending(place.pending())) {
            return Utf8.more(place, b);
        }
        String tag = place.pending() + (char) b;
        if (ResponseGrammar.tags().contains(tag)) {
            int exit = place.blank() ? Place.INSIDE : endings.indexOf(tag);
            return exit < 0 ? null : Place.out(exit);
        }
        if (ResponseGrammar.tags().stream().anyMatch(t -> t.startsWith(tag))) {
            return Place.inside(place.blank(), tag);
        }
        boolean blank = place.blank() && place.pending().isEmpty();
        if (b == '<') {
            return Place.inside(blank, "<");
        }
        return b < 0x80 ? Place.inside(blank && Character.isWhitespace(b), "") : Utf8.lead(blank, b);
    }
}
