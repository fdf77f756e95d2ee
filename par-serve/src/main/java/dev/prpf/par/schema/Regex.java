package dev.prpf.par.schema;

import java.util.List;

/** A regular expression that a whole string matches. */
public sealed interface Regex {
    /** Any number of any characters. */
    Regex ANYTHING = new Times(new One(CodePoints.ALL), 0, Schema.UNBOUNDED);

    /** One character. */
    record One(CodePoints of) implements Regex {}

    /** One after the other; of none: the empty string. */
    record Sequence(List<Regex> parts) implements Regex {
        public Sequence {
            parts = List.copyOf(parts);
        }
    }

    /** One of several. */
    record Choice(List<Regex> branches) implements Regex {
        public Choice {
            branches = List.copyOf(branches);
        }
    }

    /** Several times, at most {@link Schema#UNBOUNDED}. */
    record Times(Regex of, int min, int max) implements Regex {}
}
