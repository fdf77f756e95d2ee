package dev.prpf.par.schema;

import java.util.List;

/** A regular expression that a whole string matches. */
public sealed interface Regex {
    /** Matches any string of any length. */
    Regex ANYTHING = new Times(new One(CodePoints.ALL), 0, Schema.UNBOUNDED);

    /** Matches one character of a set. */
    record One(CodePoints of) implements Regex {}

    /** Matches the parts in sequence; without parts the empty string. */
    record Sequence(List<Regex> parts) implements Regex {
        public Sequence {
            parts = List.copyOf(parts);
        }
    }

    /** Matches one of several branches. */
    record Choice(List<Regex> branches) implements Regex {
        public Choice {
            branches = List.copyOf(branches);
        }
    }

    /** Matches an expression a number of times, at most {@link Schema#UNBOUNDED}. */
    record Times(Regex of, int min, int max) implements Regex {}
}
