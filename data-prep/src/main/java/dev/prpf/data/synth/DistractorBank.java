package dev.prpf.data.synth;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Draws distinct sentences of one sample that are unrelated to its need. */
final class DistractorBank {
    private static final Pattern SLOT = Pattern.compile("\\{([a-z]+)\\}");
    private static final int ATTEMPTS = 40;

    private final Draw draw;
    private final Set<String> used = new HashSet<>();

    DistractorBank(Draw draw) {
        this.draw = draw;
    }

    /** Returns a new sentence for one of the fields {@code profile}, {@code phone}, {@code world} and {@code trace}. */
    String sentence(String field) {
        List<String> templates = draw.library().sentences(field).in(draw.language());
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int drawn = draw.random().nextInt(templates.size());
            if (used.contains(field + drawn) && attempt < ATTEMPTS / 2) {
                continue;
            }
            String sentence = fill(templates.get(drawn));
            if (used.add(sentence)) {
                used.add(field + drawn);
                return sentence;
            }
        }
        return fill(draw.from(templates));
    }

    String fill(String template) {
        return SLOT.matcher(template)
                .replaceAll(
                        slot -> Matcher.quoteReplacement(draw.of(draw.library().slot(slot.group(1)))));
    }
}
