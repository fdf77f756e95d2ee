package dev.prpf.par.schema;

import dev.prpf.par.schema.Schema.Regex;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;

/**
 * A closed range of numbers in digits without an exponent. Numbers with a fraction have the decimal places of the bounds, and more places if
 * they stay in the range.
 *
 * @param low inclusive lower bound
 * @param high inclusive upper bound
 * @param places decimal places; 0 for whole numbers
 */
record NumberRange(BigDecimal low, BigDecimal high, int places) {
    private static final int MORE_PLACES = 9;
    private static final Regex POINT = new Regex.One(CodePoints.of('.'));
    private static final Regex MINUS = new Regex.One(CodePoints.of('-'));
    private static final Regex NOTHING = new Regex.Sequence(List.of());

    /** Returns the expressions that match exactly these numbers; empty for an empty range. */
    List<Regex> written() {
        List<Regex> ways = new ArrayList<>();
        add(ways, low.max(BigDecimal.ZERO), high, NOTHING);
        add(ways, high.negate().max(BigDecimal.ZERO), low.negate(), MINUS);
        return ways;
    }

    private void add(List<Regex> ways, BigDecimal from, BigDecimal to, Regex sign) {
        BigInteger least = from.setScale(0, RoundingMode.CEILING).toBigInteger();
        if (sign == MINUS) {
            least = least.max(BigInteger.ONE); // zero has no sign
        }
        add(ways, sign, least, to.setScale(0, RoundingMode.FLOOR).toBigInteger(), 0, NOTHING);
        if (places > 0) {
            BigInteger begin = from.movePointRight(places).toBigIntegerExact();
            BigInteger end = to.movePointRight(places).toBigIntegerExact();
            Regex more = new Regex.Times(digit('0', '9'), 0, MORE_PLACES);
            add(ways, sign, begin, end.subtract(BigInteger.ONE), places, more);
            add(ways, sign, begin.max(end), end, places, NOTHING);
        }
    }

    /** Adds the numbers of each length; a fraction has at least one digit before its point. */
    private static void add(List<Regex> ways, Regex sign, BigInteger from, BigInteger to, int places, Regex after) {
        if (from.signum() < 0 || from.compareTo(to) > 0) {
            return;
        }
        int longest = padded(to, places + 1).length();
        for (int length = padded(from, places + 1).length(); length <= longest; length++) {
            BigInteger least = length == places + 1 ? BigInteger.ZERO : BigInteger.TEN.pow(length - 1);
            BigInteger most = BigInteger.TEN.pow(length).subtract(BigInteger.ONE);
            String low = padded(from.max(least), length);
            String high = padded(to.min(most), length);
            ways.add(new Regex.Sequence(List.of(sign, digits(low, high, places), after)));
        }
    }

    private static String padded(BigInteger number, int length) {
        String digits = number.toString();
        return "0".repeat(Math.max(0, length - digits.length())) + digits;
    }

    /** Matches the digits from one text to another of the same length, with a point before the last {@code places} digits. */
    private static Regex digits(String low, String high, int places) {
        int length = low.length();
        if (length == 0) {
            return NOTHING;
        }
        Regex point = places > 0 && length == places ? POINT : NOTHING;
        char first = low.charAt(0);
        char last = high.charAt(0);
        String lowRest = low.substring(1);
        String highRest = high.substring(1);
        String zeros = "0".repeat(length - 1);
        String nines = "9".repeat(length - 1);
        List<Regex> ways = new ArrayList<>();
        if (first == last) {
            ways.add(one(first, first, digits(lowRest, highRest, places)));
        } else {
            boolean whole = lowRest.equals(zeros);
            boolean full = highRest.equals(nines);
            char from = whole ? first : (char) (first + 1);
            char to = full ? last : (char) (last - 1);
            if (!whole) {
                ways.add(one(first, first, digits(lowRest, nines, places)));
            }
            if (from <= to) {
                ways.add(one(from, to, digits(zeros, nines, places)));
            }
            if (!full) {
                ways.add(one(last, last, digits(zeros, highRest, places)));
            }
        }
        return new Regex.Sequence(List.of(point, ways.size() == 1 ? ways.get(0) : new Regex.Choice(ways)));
    }

    private static Regex one(char from, char to, Regex then) {
        return new Regex.Sequence(List.of(digit(from, to), then));
    }

    private static Regex digit(char from, char to) {
        return new Regex.One(CodePoints.of(List.of(new CodePoints.Range(from, to))));
    }
}
