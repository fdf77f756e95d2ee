package dev.prpf.par.chat;

import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.Piece.PieceList;
import java.util.List;
import org.apache.commons.lang3.StringUtils;

/** Text with the template's characters marked, preserved through the string operations of templates. */
record MarkedText(List<Piece> pieces) {
    /** White space by Python's {@code str.isspace}: {@code str.strip()} removes more than Java's. */
    private static final String SPACE = "\t\n\u000B\f\r\u001C\u001D\u001E\u001F \u0085\u00A0\u1680"
            + "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000";

    private static final String NEWLINE = "\n";
    private static final String THINK = "<think>";
    private static final String END_THINK = "</think>";

    static MarkedText plain(String text) {
        return new MarkedText(new PieceList().plain(text).build());
    }

    String text() {
        return Piece.text(pieces);
    }

    boolean isEmpty() {
        return pieces.stream().allMatch(piece -> piece.text().isEmpty());
    }

    MarkedText slice(int from, int to) {
        PieceList kept = new PieceList();
        int start = 0;
        for (Piece piece : pieces) {
            int end = start + piece.text().length();
            if (end > from && start < to) {
                String text = piece.text().substring(Math.max(from, start) - start, Math.min(to, end) - start);
                kept.all(List.of(new Piece(piece.control(), text)));
            }
            start = end;
        }
        return new MarkedText(kept.build());
    }

    /** Returns Python's {@code strip()} of the text. */
    MarkedText strip() {
        return strip(SPACE, true, true);
    }

    /** Returns Python's {@code strip('\n')} of the text. */
    MarkedText stripNewlines() {
        return strip(NEWLINE, true, true);
    }

    /** Returns Python's {@code lstrip('\n')} of the text. */
    MarkedText stripLeadingNewlines() {
        return strip(NEWLINE, true, false);
    }

    private MarkedText strip(String characters, boolean leading, boolean trailing) {
        String text = text();
        int from = leading
                ? text.length() - StringUtils.stripStart(text, characters).length()
                : 0;
        int to = trailing ? StringUtils.stripEnd(text, characters).length() : text.length();
        return slice(from, to);
    }

    /** Returns whether the text is a manually wrapped tool response, not a query. */
    boolean isToolResponse() {
        String text = text();
        return text.startsWith("<tool_response>") && text.endsWith("</tool_response>");
    }

    boolean hasThinking() {
        return text().contains(END_THINK);
    }

    /** Returns the reasoning: the text before the first end tag, from the last begin tag in that text on. */
    MarkedText thinking() {
        String text = text();
        MarkedText before = slice(0, text.indexOf(END_THINK)).strip(NEWLINE, false, true);
        int begin = before.text().lastIndexOf(THINK);
        return before.slice(begin < 0 ? 0 : begin + THINK.length(), text.length())
                .stripLeadingNewlines();
    }

    /** Returns the text after the last end of reasoning. */
    MarkedText afterThinking() {
        String text = text();
        return slice(text.lastIndexOf(END_THINK) + END_THINK.length(), text.length())
                .stripLeadingNewlines();
    }
}
