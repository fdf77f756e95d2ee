package dev.prpf.par.constraint;

import dev.prpf.par.constraint.ModelConstraints.ResponseConstraints;
import dev.prpf.par.tokenizer.Tokenizer.WrittenToken;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** A vocabulary as large as wanted, of letters, words and scraps of JSON. The last id is the end token. */
final class MadeVocabulary {
    private static final String[] SCRAPS = {
        "a", "e", "ing", "tion", " the", "\"", "\":\"", "},", "]", "[{", "0", "12", "的", "我们", "，", "<", "/", "_",
        "name", " "
    };

    private MadeVocabulary() {}

    static ResponseConstraints constraints(int width) {
        return new ResponseConstraints(
                tokens(width), width, List.of(width - 1), ConstraintSettings.DEFAULT, text -> new long[0]);
    }

    /** All but the end token. */
    static List<WrittenToken> tokens(int width) {
        List<WrittenToken> tokens = new ArrayList<>();
        for (int b = 0; b < 256; b++) {
            tokens.add(new WrittenToken(b, new byte[] {(byte) b}));
        }
        Random random = new Random(1);
        Set<String> seen = new HashSet<>();
        while (tokens.size() < width - 1) {
            StringBuilder text = new StringBuilder();
            for (int i = 2 + random.nextInt(4); i > 0; i--) {
                text.append(
                        random.nextInt(3) > 0
                                ? String.valueOf((char) ('a' + random.nextInt(26)))
                                : SCRAPS[random.nextInt(SCRAPS.length)]);
            }
            if (seen.add(text.toString())) {
                tokens.add(new WrittenToken(tokens.size(), text.toString().getBytes(StandardCharsets.UTF_8)));
            }
        }
        return tokens;
    }
}
