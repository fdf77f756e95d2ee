package dev.prpf.base.error;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import org.apache.commons.text.similarity.LevenshteinDistance;

/** Finds the known name that a mistyped one was meant to be: commands, options, keys, functions and every other name. */
public final class Suggestion {
    private static final int MOST_EDITS = 3;
    private static final int LEAST_LETTERS = 3;

    private Suggestion() {}

    /** Returns the known name with the fewest edits, about a third of the letters; else one that begins with this name. */
    public static Optional<String> closest(String name, Collection<String> known) {
        int letters = name.replaceFirst("^-+", "").length();
        if (letters < LEAST_LETTERS) {
            return Optional.empty();
        }
        LevenshteinDistance edits = new LevenshteinDistance(Math.min(MOST_EDITS, (letters + 1) / 3));
        return known.stream()
                .filter(candidate -> edits.apply(name, candidate) >= 0)
                .min(Comparator.comparing(candidate -> edits.apply(name, candidate)))
                .or(() -> known.stream()
                        .filter(candidate -> candidate.startsWith(name))
                        .findFirst());
    }

    /** Returns " (did you mean …?)" if a known name is similar, else the known names. */
    public static String hint(String name, Collection<String> known) {
        return closest(name, known)
                .map(best -> " (did you mean \"" + best + "\"?)")
                .orElse(" (known: " + String.join(", ", known) + ")");
    }
}
