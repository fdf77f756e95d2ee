package dev.prpf.par.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.rollout.GroupSampler.GroupSeeds;
import org.junit.jupiter.api.Test;

class GroupSeedsTest {
    @Test
    void seedsDependOnSeedIdAndCopy() {
        GroupSeeds seeds = new GroupSeeds(7);
        assertThat(seeds.next("a", 3)).isEqualTo(new GroupSeeds(7).next("a", 3));
        assertThat(seeds.next("b", 3)).as("whatever came before").isEqualTo(new GroupSeeds(7).next("b", 3));
        assertThat(seeds.next("a", 3)).as("again").doesNotContainAnyElementsOf(new GroupSeeds(7).next("a", 3));
        assertThat(new GroupSeeds(8).next("a", 3)).doesNotContainAnyElementsOf(new GroupSeeds(7).next("a", 3));
    }

    @Test
    void moreSamplesBeginWithTheSame() {
        assertThat(new GroupSeeds(7).next("a", 8))
                .startsWith(new GroupSeeds(7).next("a", 4).toArray(Long[]::new));
    }
}
