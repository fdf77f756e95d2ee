package dev.prpf.data.synth;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sentences of one sample that have nothing to do with its need; none comes twice. */
final class DistractorBank {
    private static final Pattern SLOT = Pattern.compile("\\{([a-z]+)\\}");
    private static final int ATTEMPTS = 40;

    private final SynthLibrary library;
    private final Language language;
    private final SplittableRandom random;
    private final Set<String> used = new HashSet<>();

    DistractorBank(SynthLibrary library, Language language, SplittableRandom random) {
        this.library = library;
        this.language = language;
        this.random = random;
    }

    /** A new sentence for one of the fields {@code profile}, {@code phone}, {@code world} and {@code trace}. */
    String sentence(String field) {
        List<String> templates = library.sentences(field).in(language);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int drawn = random.nextInt(templates.size());
            if (used.contains(field + drawn) && attempt < ATTEMPTS / 2) {
                continue;
            }
            String sentence = fill(templates.get(drawn));
            if (used.add(sentence)) {
                used.add(field + drawn);
                return sentence;
            }
        }
        return fill(Draw.from(templates, random));
    }

    private String fill(String template) {
        return SLOT.matcher(template)
                .replaceAll(slot ->
                        Matcher.quoteReplacement(library.slot(slot.group(1)).pick(language, random)));
    }
}
