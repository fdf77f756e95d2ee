package dev.prpf.par.constraint;

import dev.prpf.par.constraint.Branch.Option;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The contents of a JSON array, elements separated by commas. */
final class Elements {
    private final List<Option> element;
    private final String close;
    private final TokenTrie trie;
    private final Branch further;

    /**
     * Creates the contents of an array.
     *
     * @param close the closing bracket, with the text that must follow it
     */
    Elements(List<Option> element, String close, TokenTrie trie) {
        this.element = element;
        this.close = close;
        this.trie = trie;
        List<Option> options = options(",", Branch.literal(close, trie).cost());
        options.add(Option.end(close));
        further = Branch.of(options, trie);
    }

    private List<Option> options(String opening, int costAfter) {
        List<Option> options = new ArrayList<>();
        for (Option option : element) {
            int cost = Expression.sum(option.cost(), costAfter);
            options.add(new Option(opening + option.text(), cost, () -> followed(option)));
        }
        return options;
    }

    private List<Expression> followed(Option option) {
        return Stream.concat(option.then().get().stream(), Stream.of(further)).toList();
    }

    Branch first(boolean mayBeEmpty) {
        return Branch.of(options("", mayBeEmpty), trie);
    }

    List<Option> options(String opening, boolean mayBeEmpty) {
        List<Option> options = options(opening, further.cost());
        if (mayBeEmpty) {
            options.add(Option.end(opening + close));
        }
        return options;
    }
}
