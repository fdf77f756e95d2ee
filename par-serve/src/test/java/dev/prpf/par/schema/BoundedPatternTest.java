package dev.prpf.par.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.schema.Schema.Regex;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BoundedPatternTest {
    private static final int LONGEST = 5;
    private static final List<String> COUNTS = List.of("*", "*", "?", "+", "{0,2}", "{2}");

    /** Strings of an expression over a, b and c, by trying all. */
    private static final class Strings {
        private final IdentityHashMap<Regex, Set<String>> known = new IdentityHashMap<>();

        Set<String> of(Regex regex) {
            Set<String> made = known.get(regex);
            if (made == null) {
                made = new TreeSet<>(
                        regex instanceof Regex.Times times
                                ? times(times)
                                : regex instanceof Regex.One one ? one(one) : parts(regex));
                known.put(regex, made);
            }
            return made;
        }

        private Set<String> parts(Regex regex) {
            Set<String> made = new TreeSet<>();
            if (regex instanceof Regex.Choice choice) {
                choice.branches().forEach(branch -> made.addAll(of(branch)));
                return made;
            }
            Set<String> sequence = Set.of("");
            for (Regex part : ((Regex.Sequence) regex).parts()) {
                sequence = followed(sequence, of(part));
            }
            return sequence;
        }

        private static Set<String> one(Regex.One one) {
            Set<String> made = new TreeSet<>(Set.of("a", "b", "c"));
            made.removeIf(text -> one.of().ranges().stream()
                    .noneMatch(range -> range.from() <= text.charAt(0) && text.charAt(0) <= range.to()));
            return made;
        }

        private Set<String> times(Regex.Times times) {
            Set<String> made = new TreeSet<>();
            Set<String> written = Set.of("");
            for (int i = 0; i <= Math.min(times.max(), times.min() + LONGEST); i++) {
                if (i >= times.min()) {
                    made.addAll(written);
                }
                written = followed(written, of(times.of()));
            }
            return made;
        }

        private static Set<String> followed(Set<String> first, Set<String> second) {
            Set<String> made = new TreeSet<>();
            for (String a : first) {
                second.stream()
                        .map(a::concat)
                        .filter(text -> text.length() <= LONGEST)
                        .forEach(made::add);
            }
            return made;
        }
    }

    private static void assertRestricts(String pattern, int min, int max) {
        Regex read = RegexReader.read("the schema", "^" + pattern + "$");
        Regex bounded = BoundedPattern.of(read, min, max, new WorkBudget("reading the schema", 1 << 18));
        Set<String> expected = new TreeSet<>(new Strings().of(read));
        expected.removeIf(text -> text.length() < min || text.length() > max);
        assertThat(bounded == null ? Set.of() : new Strings().of(bounded))
                .as("%s with lengths %d to %d", pattern, min, max)
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {"((a*)*b?)* 3 5", "(((c)*)*(a)*)* 1 1", "(((a*)|(c|b)){0,2})* 1 2", "((a|b*)*c)* 2 4"})
    void repeatedPartsInEachOther_keepTheirStrings(String pattern, int min, int max) {
        assertRestricts(pattern, min, max);
    }

    @Test
    void randomPatterns_keepTheirStrings() {
        Random random = new Random(36);
        for (int i = 0; i < 600; i++) {
            int min = random.nextInt(4);
            assertRestricts(pattern(random, 4), min, Math.min(LONGEST, min + random.nextInt(3)));
        }
    }

    private static String pattern(Random random, int depth) {
        String letter = "abc".substring(random.nextInt(3)).substring(0, 1);
        return switch (depth == 0 ? 0 : random.nextInt(5)) {
            case 0 -> letter;
            case 1 -> pattern(random, depth - 1) + pattern(random, depth - 1);
            case 2 -> "(" + pattern(random, depth - 1) + "|" + pattern(random, depth - 1) + ")";
            default -> "(" + pattern(random, depth - 1) + ")" + COUNTS.get(random.nextInt(COUNTS.size()));
        };
    }
}
