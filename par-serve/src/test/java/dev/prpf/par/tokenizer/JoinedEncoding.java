package dev.prpf.par.tokenizer;

import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Encodes pieces as one text, like other programs with a rendered chat template: tokens between two control tokens may extend over two
 * pieces. Control tokens are recognised only in control pieces.
 */
public final class JoinedEncoding {
    private JoinedEncoding() {}

    public static long[] of(Tokenizer tokenizer, List<Piece> pieces) {
        Pattern control = Pattern.compile(tokenizer.controlTokens().keySet().stream()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .map(Pattern::quote)
                .collect(Collectors.joining("|")));
        LongStream.Builder ids = LongStream.builder();
        StringBuilder between = new StringBuilder();
        for (Piece piece : pieces) {
            Matcher token = control.matcher(piece.control() ? piece.text() : "");
            int done = 0;
            while (token.find()) {
                between.append(piece.text(), done, token.start());
                done = token.end();
                LongStream.of(tokenizer.encodePlain(between.toString())).forEach(ids::add);
                between.setLength(0);
                ids.add(tokenizer.controlToken(token.group()));
            }
            between.append(piece.text(), done, piece.text().length());
        }
        LongStream.of(tokenizer.encodePlain(between.toString())).forEach(ids::add);
        return ids.build().toArray();
    }
}
