package dev.prpf.par.constraint;

import dev.prpf.par.constraint.Branch.Option;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A number of JSON after its first byte; no exponents, at most 18 digits on either side of the point, so that it fits what reads it.
 *
 * @param part where we are
 * @param digits of this part so far
 * @param decimals whether a fraction may follow
 */
record NumberText(Part part, int digits, boolean decimals) implements Expression {
    private static final int MOST = 18;

    enum Part {
        MINUS,
        ZERO,
        WHOLE,
        POINT,
        FRACTION
    }

    static List<Option> options(boolean decimals) {
        List<Option> options = new ArrayList<>();
        options.add(Option.of("-", new NumberText(Part.MINUS, 0, decimals)));
        options.add(Option.of("0", new NumberText(Part.ZERO, 1, decimals)));
        for (int digit = 1; digit < 10; digit++) {
            options.add(Option.of(Integer.toString(digit), new NumberText(Part.WHOLE, 1, decimals)));
        }
        return options;
    }

    @Override
    public @Nullable List<Expression> step(int b) {
        boolean digit = b >= '0' && b <= '9';
        NumberText next =
                switch (part) {
                    case MINUS -> !digit ? null : new NumberText(b == '0' ? Part.ZERO : Part.WHOLE, 1, decimals);
                    case ZERO -> b == '.' && decimals ? new NumberText(Part.POINT, 0, true) : null;
                    case WHOLE -> b == '.' && decimals ? new NumberText(Part.POINT, 0, true) : more(digit, Part.WHOLE);
                    case POINT, FRACTION -> more(digit, Part.FRACTION);
                };
        return next == null ? null : List.of(next);
    }

    private @Nullable NumberText more(boolean digit, Part of) {
        return digit && digits < MOST ? new NumberText(of, digits + 1, decimals) : null;
    }

    @Override
    public @Nullable List<Expression> end() {
        return part == Part.MINUS || part == Part.POINT ? null : List.of();
    }

    @Override
    public int cost() {
        return part == Part.MINUS || part == Part.POINT ? 1 : 0;
    }
}
