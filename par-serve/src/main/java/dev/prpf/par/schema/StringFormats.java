package dev.prpf.par.schema;

import java.util.Map;

/**
 * The patterns of texts that JSON Schema's {@code format} values describe. Each covers a part of the format (RFC 3339, 4122, 2673), enough
 * to generate a value.
 */
final class StringFormats {
    /** Dates, with 29 February of leap years except full centuries. */
    private static final String DATE =
            "(\\d{4}-((0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])|(0[469]|11)-(0[1-9]|[12]\\d|30)"
                    + "|02-(0[1-9]|1\\d|2[0-8]))|\\d\\d(0[48]|[2468][048]|[13579][26])-02-29)";

    private static final String TIME =
            "([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,6})?(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)";
    private static final String BYTE = "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
    private static final String LABEL = "[A-Za-z0-9]([A-Za-z0-9-]{0,20}[A-Za-z0-9])?";

    private static final Map<String, String> PATTERNS = Map.of(
            "date",
            DATE,
            "time",
            TIME,
            "date-time",
            DATE + "T" + TIME,
            "uuid",
            "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
            "ipv4",
            BYTE + "(\\." + BYTE + "){3}",
            "email",
            "[A-Za-z0-9_+-]+(\\.[A-Za-z0-9_+-]+)*@" + LABEL + "(\\." + LABEL + "){1,8}");

    private StringFormats() {}

    static boolean has(String format) {
        return PATTERNS.containsKey(format);
    }

    static String pattern(String format) {
        return "^" + PATTERNS.get(format) + "$";
    }
}
