package dev.prpf.base.report;

/** Escaping for HTML and SVG. */
final class Html {
    private Html() {}

    /** Text or an attribute's value: markup characters as entities, characters that XML forbids as U+FFFD. */
    static String escape(String text) {
        StringBuilder escaped = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(character -> {
            switch (character) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                default -> escaped.appendCodePoint(isAllowed(character) ? character : 0xFFFD);
            }
        });
        return escaped.toString();
    }

    private static boolean isAllowed(int character) {
        boolean control = character < 0x20 && character != '\n' && character != '\t' && character != '\r';
        boolean surrogate = character >= 0xD800 && character <= 0xDFFF;
        return !control && !surrogate && character != 0xFFFE && character != 0xFFFF;
    }
}
