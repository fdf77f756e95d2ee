package dev.prpf.mpp.split;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NearDuplicatesTest {
    private static List<Set<String>> sample(String... fields) {
        return Stream.of(fields)
                .<Set<String>>map(field -> field.isEmpty() ? Set.of() : Set.of(field.split(" ")))
                .toList();
    }

    @Test
    void fourOfFiveTermsAreEnoughAndThreeOfFiveAreNot() {
        assertThat(NearDuplicates.groups(List.of(sample("a b c d"), sample("a b c d e"), sample("a b c x y"))))
                .containsExactly(0, 0, 2);
    }

    @Test
    void everyFieldMustBeAlikeAndTwoEmptyOnesAre() {
        String profile = "a b c d e f g h i j k l m n o p q r s t";
        assertThat(NearDuplicates.groups(List.of(
                        sample(profile, "", "opens maps"),
                        sample(profile, "", "locks phone"),
                        sample(profile, "", "opens maps"),
                        sample(profile, "low", "opens maps"),
                        sample("", "", ""),
                        sample("", "", ""))))
                .containsExactly(0, 1, 0, 3, 4, 4);
    }

    @Test
    void groupsAreJoinedThroughTheirMembers() {
        String first = "a b c d e f g h i";
        String middle = first + " j";
        String last = middle + " k l"; // similar to the middle one, 10 of 12, but not to the first, 9 of 12
        assertThat(NearDuplicates.groups(List.of(sample(first), sample(last)))).containsExactly(0, 1);
        assertThat(NearDuplicates.groups(List.of(sample(first), sample(last), sample(middle))))
                .containsExactly(0, 0, 0);
    }

    /** The rare terms find every pair that a comparison of all pairs finds. */
    @Test
    void noPairIsMissed() {
        SplittableRandom random = new SplittableRandom(11);
        List<List<Set<String>>> samples = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            Set<String> terms = new HashSet<>(
                    i % 3 == 0 || samples.isEmpty()
                            ? random.ints(10, 0, 60).mapToObj(String::valueOf).toList()
                            : samples.get(random.nextInt(samples.size())).get(0));
            terms.add("" + random.nextInt(60));
            samples.add(List.of(terms));
        }
        List<Integer> groups = NearDuplicates.groups(samples);

        int pairs = 0;
        for (int i = 0; i < 200; i++) {
            for (int j = 0; j < i; j++) {
                if (overlap(samples.get(i).get(0), samples.get(j).get(0)) >= 0.8) {
                    pairs++;
                    assertThat(groups.get(i)).as("%s and %s", i, j).isEqualTo(groups.get(j));
                }
            }
        }
        assertThat(pairs).isGreaterThan(100);
        assertThat(new HashSet<>(groups)).hasSizeBetween(20, 150);
    }

    private static double overlap(Set<String> a, Set<String> b) {
        long shared = a.stream().filter(b::contains).count();
        return (double) shared / (a.size() + b.size() - shared);
    }
}
