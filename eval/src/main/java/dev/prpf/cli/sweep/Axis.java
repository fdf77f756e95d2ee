package dev.prpf.cli.sweep;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UsageException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A setting that a sweep varies.
 *
 * @param key of the configuration ({@code training.seed}), or an option of the command ({@code --shortlist})
 * @param values at least one, as typed, without duplicates
 */
record Axis(String key, List<String> values) {
    private static final Pattern KEY = Pattern.compile("(--)?[A-Za-z][\\w.-]*");
    private static final String NUMBER = "(-?\\d+(?:\\.\\d+)?)";
    private static final Pattern RANGE = Pattern.compile(NUMBER + "\\.\\." + NUMBER + "(?:\\.\\." + NUMBER + ")?");
    private static final Set<String> TAKEN = Set.of("self", "run");
    private static final int MOST = 10_000;

    public Axis {
        if (!KEY.matcher(key).matches() || TAKEN.contains(key)) {
            throw new IllegalArgumentException("key \"" + key + "\", must be one of a configuration (training.seed) or"
                    + " an option (--shortlist); self and run name folders");
        }
        if (values.isEmpty() || values.contains("") || new HashSet<>(values).size() < values.size()) {
            throw new IllegalArgumentException(
                    key + " = " + values + ", must be at least one value, without empty ones and duplicates");
        }
    }

    /**
     * Parses an axis {@code KEY=VALUES}: {@code a,b,c}, a range {@code 42..46}, or one with a step, {@code 0.1..0.9..0.2}; both ends count. A
     * comma inside brackets or braces belongs to its value.
     *
     * @throws PrpfException 2 for any other text
     */
    public static Axis parse(String text) {
        int equals = text.indexOf('=');
        if (equals <= 0) {
            throw new UsageException(
                    "--sweep " + text + ": must be KEY=VALUES, as training.seed=42..46 or --shortlist=1,3,5");
        }
        try {
            List<String> values = new ArrayList<>();
            split(text.substring(equals + 1)).forEach(part -> values.addAll(range(part)));
            return new Axis(text.substring(0, equals).strip(), values);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--sweep " + text + ": " + e.getMessage());
        }
    }

    /** Returns whether the key is an option of the command, not a key of its configuration. */
    public boolean option() {
        return key.startsWith("--");
    }

    /** Returns whether members that differ only in this axis are repetitions of one another. */
    public boolean overSeeds() {
        return key.equals("--seed") || key.equals("seed") || key.endsWith(".seed");
    }

    List<String> words(String value) {
        return option() ? List.of(key + "=" + value) : List.of("--set", key + "=" + value);
    }

    private static List<String> split(String text) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
            if (c == ',' && depth == 0) {
                parts.add(text.substring(from, i).strip());
                from = i + 1;
            }
        }
        parts.add(text.substring(from).strip());
        return parts;
    }

    /** Returns the numbers of a range, in decimal arithmetic to avoid rounding errors; any other text is one value. */
    private static List<String> range(String text) {
        Matcher range = RANGE.matcher(text);
        if (!range.matches()) {
            return List.of(text);
        }
        BigDecimal low = new BigDecimal(range.group(1));
        BigDecimal high = new BigDecimal(range.group(2));
        BigDecimal step = range.group(3) == null ? BigDecimal.ONE : new BigDecimal(range.group(3));
        if (low.compareTo(high) > 0 || step.signum() <= 0) {
            throw new IllegalArgumentException(
                    "range " + text + ", must go up from its first number to its second by a step above 0");
        }
        List<String> numbers = new ArrayList<>();
        for (BigDecimal number = low; number.compareTo(high) <= 0; number = number.add(step)) {
            if (numbers.size() == MOST) {
                throw new IllegalArgumentException("range " + text + ", must be at most " + MOST + " numbers");
            }
            numbers.add(number.toPlainString());
        }
        return numbers;
    }
}
