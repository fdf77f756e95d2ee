package dev.prpf.par.rollout;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/** Seeded draws of groups by their weights. */
final class WeightedDraws {
    private final GrpoSetSettings settings;
    private final SplittableRandom random;

    WeightedDraws(GrpoSetSettings settings) {
        this.settings = settings;
        random = new SplittableRandom(settings.seed());
    }

    private record Keyed(GroupSummary group, double key) {}

    /**
     * Draws without putting back (Efraimidis and Spirakis 2006: the largest u^(1/w)), preferred groups before all others.
     *
     * @param count at most; fewer where there are fewer
     */
    List<GroupSummary> distinct(List<GroupSummary> groups, int count) {
        List<Keyed> keyed = new ArrayList<>();
        for (GroupSummary group : groups) {
            double key = Math.log(1 - random.nextDouble()) / group.weight(settings);
            keyed.add(new Keyed(group, key));
        }
        keyed.sort(Comparator.comparing((Keyed one) -> !one.group().preferred(settings))
                .thenComparing(Comparator.comparingDouble(Keyed::key).reversed()));
        return keyed.stream().limit(count).map(Keyed::group).toList();
    }

    /** Draws with putting back. */
    List<GroupSummary> repeated(List<GroupSummary> groups, int count) {
        double all =
                groups.stream().mapToDouble(group -> group.weight(settings)).sum();
        List<GroupSummary> drawn = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            double left = random.nextDouble() * all;
            int at = 0;
            while (at < groups.size() - 1 && left >= groups.get(at).weight(settings)) {
                left -= groups.get(at++).weight(settings);
            }
            drawn.add(groups.get(at));
        }
        return drawn;
    }

    /** The same groups in a random order. */
    List<GroupSummary> shuffled(List<GroupSummary> groups) {
        List<GroupSummary> order = new ArrayList<>(groups);
        for (int i = order.size() - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            GroupSummary other = order.get(j);
            order.set(j, order.get(i));
            order.set(i, other);
        }
        return order;
    }
}
