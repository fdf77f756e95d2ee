package dev.prpf.par.constraint;

import dev.prpf.par.constraint.Branch.Option;
import java.util.ArrayList;
import java.util.List;

/** The inside of an array of JSON, elements separated by commas. */
final class Elements {
    private final List<Option> element;
    private final String close;
    private final TokenTrie trie;
    private final Branch further;

    /**
     * An array.
     *
     * @param element the ways an element begins
     * @param close the closing bracket, with what text must follow it
     */
    Elements(List<Option> element, String close, TokenTrie trie) {
        this.element = element;
        this.close = close;
        this.trie = trie;
        int costOfClose = Branch.literal(close, trie).cost();
        List<Option> options = new ArrayList<>();
        for (Option option : element) {
            options.add(new Option(
                    "," + option.text(), Expression.sum(option.cost(), costOfClose), () -> followed(option)));
        }
        options.add(Option.end(close));
        further = Branch.of(options, trie);
    }

    private List<Expression> followed(Option option) {
        List<Expression> expressions = new ArrayList<>(option.then().get());
        expressions.add(further);
        return expressions;
    }

    /** What may follow the opening bracket. */
    Branch first(boolean mayBeEmpty) {
        return Branch.of(options("", mayBeEmpty), trie);
    }

    /** The same after a text. */
    List<Option> options(String opening, boolean mayBeEmpty) {
        List<Option> options = new ArrayList<>();
        for (Option option : element) {
            options.add(new Option(
                    opening + option.text(), Expression.sum(option.cost(), further.cost()), () -> followed(option)));
        }
        if (mayBeEmpty) {
            options.add(Option.end(opening + close));
        }
        return options;
    }
}
