package dev.prpf.par.constraint;

import java.util.List;
import java.util.function.Supplier;

/**
 * One way to go on in a {@link Branch}.
 *
 * @param text the bytes it begins with, as text
 * @param cost of what follows the text
 * @param then what follows the text; asked for when it is reached, so grammars may go in circles
 */
record Option(String text, int cost, Supplier<List<Expression>> then) {
    /** Text that completes what it stands in. */
    static Option end(String text) {
        return new Option(text, 0, List::of);
    }

    static Option of(String text, Expression... then) {
        List<Expression> list = List.of(then);
        return new Option(text, Expression.cost(list), () -> list);
    }
}
