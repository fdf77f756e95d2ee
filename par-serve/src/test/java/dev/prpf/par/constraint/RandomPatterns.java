package dev.prpf.par.constraint;

import java.util.Random;

/** Patterns with groups, alternatives, classes and counts within counts, most of them hostile. */
final class RandomPatterns {
    private static final String[] ATOMS = {
        ".", "a", "b", "\\w", "\\d", "\\s", "[a-m]", "[^x]", "[n-z_]", "的", "\\n", "[😀-😂]", "\\W", "[ -~]", "ing"
    };
    private static final String[] COUNTS = {"*", "+", "?", "{0,9}", "{2,5}", "{0,99}", "{1,}", "{3}", "{0,999}", "*?"};

    private final Random random;

    RandomPatterns(long seed) {
        random = new Random(seed);
    }

    String next() {
        String pattern = part(2 + random.nextInt(12));
        boolean begins = random.nextInt(4) > 0;
        return (begins ? "^" : "") + pattern + (random.nextInt(4) > 0 ? "$" : "");
    }

    private String part(int depth) {
        if (depth == 0 || random.nextInt(9) == 0) {
            return ATOMS[random.nextInt(ATOMS.length)];
        }
        String inner = part(depth - 1);
        return switch (random.nextInt(5)) {
            case 0 -> inner + ATOMS[random.nextInt(ATOMS.length)] + count();
            case 1 -> "(" + inner + "|" + part(Math.min(2, depth - 1)) + ")" + count();
            case 2 -> ATOMS[random.nextInt(ATOMS.length)] + "?" + inner;
            default -> "(" + inner + ATOMS[random.nextInt(ATOMS.length)] + count() + ")" + count();
        };
    }

    private String count() {
        return COUNTS[random.nextInt(COUNTS.length)];
    }
}
