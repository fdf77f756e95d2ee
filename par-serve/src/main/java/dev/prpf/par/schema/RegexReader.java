package dev.prpf.par.schema;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.schema.Schema.Regex;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the regular expressions of {@code pattern} (ECMA-262, see JSON Schema). Supported are characters, {@code .}, classes, {@code \d \w
 * \s} and their opposites, groups, {@code |} and {@code * + ? {m,n}}, greedy or lazy. {@code ^} and {@code $} are supported at the ends of a
 * pattern or of its branches. Without them a pattern may match anywhere in a string.
 */
final class RegexReader {
    private static final int MAX_LENGTH = 512;
    private static final int MAX_DEPTH = 32;
    private static final int END = -1;

    private static final CodePoints DIGITS = CodePoints.of(List.of(new CodePoints.Range('0', '9')));
    private static final CodePoints WORDS = CodePoints.of(List.of(
            new CodePoints.Range('0', '9'),
            new CodePoints.Range('A', 'Z'),
            new CodePoints.Range('a', 'z'),
            new CodePoints.Range('_', '_')));
    private static final CodePoints SPACES = CodePoints.of(List.of(
            new CodePoints.Range('\t', '\r'),
            new CodePoints.Range(' ', ' '),
            new CodePoints.Range(0xA0, 0xA0),
            new CodePoints.Range(0x1680, 0x1680),
            new CodePoints.Range(0x2000, 0x200A),
            new CodePoints.Range(0x2028, 0x2029),
            new CodePoints.Range(0x202F, 0x202F),
            new CodePoints.Range(0x205F, 0x205F),
            new CodePoints.Range(0x3000, 0x3000),
            new CodePoints.Range(0xFEFF, 0xFEFF)));
    private static final CodePoints DOT =
            CodePoints.of('\n', '\r', 0x2028, 0x2029).negated();

    private final String place;
    private final int[] pattern;
    private int at;

    private RegexReader(String place, String pattern) {
        this.place = place;
        this.pattern = pattern.codePoints().toArray();
    }

    /**
     * Reads a pattern as an expression for whole strings.
     *
     * @throws InvalidDataException naming the position in the pattern and the unsupported part
     */
    static Regex read(String place, String pattern) {
        RegexReader reader = new RegexReader(place, pattern);
        if (reader.pattern.length > MAX_LENGTH) {
            throw new InvalidDataException(place + ": the pattern has " + reader.pattern.length
                    + " characters, at most " + MAX_LENGTH + " are supported");
        }
        return reader.whole();
    }

    private InvalidDataException refused(String what) {
        return new InvalidDataException(place + ": the pattern " + new String(pattern, 0, pattern.length) + " has "
                + what + " at character " + (at + 1)
                + "; supported are characters, classes, groups, |, * + ? {m,n}, and ^ and $ at its ends");
    }

    private int peek() {
        return at < pattern.length ? pattern[at] : END;
    }

    private boolean skip(int c) {
        boolean there = peek() == c;
        at += there ? 1 : 0;
        return there;
    }

    private Regex whole() {
        List<Regex> branches = new ArrayList<>();
        do {
            List<Regex> parts = new ArrayList<>();
            if (!skip('^')) {
                parts.add(Regex.ANYTHING);
            }
            parts.add(sequence(0));
            if (!skip('$')) {
                parts.add(Regex.ANYTHING);
            }
            branches.add(new Regex.Sequence(parts));
        } while (skip('|'));
        if (at < pattern.length) {
            throw refused("\"" + Character.toString(peek()) + "\"");
        }
        return choice(branches);
    }

    private static Regex choice(List<Regex> branches) {
        return branches.size() == 1 ? branches.get(0) : new Regex.Choice(branches);
    }

    private Regex group(int depth) {
        if (depth > MAX_DEPTH) {
            throw refused("more than " + MAX_DEPTH + " nested groups");
        }
        if (skip('?') && !skip(':')) {
            throw refused("a look-around or a named group");
        }
        List<Regex> branches = new ArrayList<>();
        do {
            branches.add(sequence(depth));
        } while (skip('|'));
        if (!skip(')')) {
            throw refused(peek() == END ? "an unclosed group" : "\"" + Character.toString(peek()) + "\"");
        }
        return choice(branches);
    }

    private Regex sequence(int depth) {
        List<Regex> parts = new ArrayList<>();
        while (peek() != END && "|)$^".indexOf(peek()) < 0) {
            parts.add(quantified(atom(depth)));
        }
        return new Regex.Sequence(parts);
    }

    private Regex atom(int depth) {
        int c = peek();
        if ("*+?{}]".indexOf(c) >= 0) {
            throw refused("\"" + Character.toString(c) + "\" with nothing before it");
        }
        at++;
        return switch (c) {
            case '(' -> group(depth + 1);
            case '[' -> new Regex.One(characterClass());
            case '.' -> new Regex.One(DOT);
            case '\\' -> new Regex.One(escape());
            default -> new Regex.One(CodePoints.of(c));
        };
    }

    private Regex quantified(Regex atom) {
        int min = 0;
        int max = Schema.UNBOUNDED;
        if (skip('?')) {
            max = 1;
        } else if (skip('+')) {
            min = 1;
        } else if (skip('{')) {
            min = number();
            max = !skip(',') ? min : peek() == '}' ? Schema.UNBOUNDED : number();
            if (!skip('}') || max < min) {
                throw refused("an invalid repetition count");
            }
        } else if (!skip('*')) {
            return atom;
        }
        skip('?'); // a lazy count matches equal strings
        if ("*+?{".indexOf(peek()) >= 0) {
            throw refused("\"" + Character.toString(peek()) + "\" after a count");
        }
        return new Regex.Times(atom, min, max);
    }

    private int number() {
        long number = 0;
        int from = at;
        while (peek() >= '0' && peek() <= '9' && number < Schema.UNBOUNDED) {
            number = number * 10 + (pattern[at++] - '0');
        }
        if (at == from || number >= Schema.UNBOUNDED) {
            throw refused("an invalid repetition count");
        }
        return (int) number;
    }

    private CodePoints characterClass() {
        boolean negated = skip('^');
        List<CodePoints.Range> ranges = new ArrayList<>();
        while (!skip(']')) {
            CodePoints from = member();
            if (peek() == '-' && at + 1 < pattern.length && pattern[at + 1] != ']') {
                at++;
                ranges.add(range(from, member()));
            } else {
                ranges.addAll(from.ranges());
            }
        }
        CodePoints set = CodePoints.of(ranges);
        return negated ? set.negated() : set;
    }

    private CodePoints.Range range(CodePoints from, CodePoints to) {
        if (from.size() != 1
                || to.size() != 1
                || from.ranges().get(0).from() > to.ranges().get(0).to()) {
            throw refused("an invalid range");
        }
        return new CodePoints.Range(
                from.ranges().get(0).from(), to.ranges().get(0).to());
    }

    private CodePoints member() {
        if (peek() == END) {
            throw refused("an unclosed class");
        }
        int c = pattern[at++];
        return c != '\\' ? CodePoints.of(c) : skip('b') ? CodePoints.of('\b') : escape();
    }

    private CodePoints escape() {
        int c = peek();
        at++;
        return switch (c) {
            case 'd' -> DIGITS;
            case 'D' -> DIGITS.negated();
            case 'w' -> WORDS;
            case 'W' -> WORDS.negated();
            case 's' -> SPACES;
            case 'S' -> SPACES.negated();
            case 't' -> CodePoints.of('\t');
            case 'n' -> CodePoints.of('\n');
            case 'r' -> CodePoints.of('\r');
            case 'f' -> CodePoints.of('\f');
            case 'v' -> CodePoints.of(0x0B);
            case 'x' -> CodePoints.of(hex(2));
            case 'u' -> CodePoints.of(hex(4));
            default -> {
                at--;
                if (c == END || Character.isLetterOrDigit(c)) {
                    throw refused(c == END ? "a backslash at its end" : "the escape \\" + Character.toString(c));
                }
                at++;
                yield CodePoints.of(c);
            }
        };
    }

    private int hex(int digits) {
        int value = 0;
        for (int i = 0; i < digits; i++) {
            int digit = peek() == END ? -1 : Character.digit(peek(), 16);
            if (digit < 0) {
                throw refused("an invalid escape");
            }
            at++;
            value = value * 16 + digit;
        }
        if (value >= Character.MIN_SURROGATE && value <= Character.MAX_SURROGATE) {
            throw refused("half a surrogate pair");
        }
        return value;
    }
}
