package dev.prpf.par.reward;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Responses a second, on all cores: run its main; prints one line a round. Half of the responses carry a page of thinking, one in ten is
 * malformed. No test.
 */
final class RewardBench {
    private static final int RESPONSES = 20_000;
    private static final int ROUNDS = 8;

    private RewardBench() {}

    private record Case(Sample sample, String text) {}

    /** Runs it. */
    public static void main(String[] arguments) {
        RandomGold random = new RandomGold(1);
        random.nextPool();
        StructuredReward reward = new StructuredReward(RewardSettings.PAPER, random.pool());
        List<Case> cases = cases(random);
        long characters = cases.stream().mapToLong(one -> one.text().length()).sum();
        System.err.printf(Locale.ROOT, "%d responses, %d characters each%n", cases.size(), characters / cases.size());
        for (int round = 1; round <= ROUNDS; round++) {
            long start = System.nanoTime();
            double sum = cases.parallelStream()
                    .mapToDouble(one -> reward.score(one.sample(), one.text(), ResponseForm.ANY)
                            .total())
                    .sum();
            double seconds = (System.nanoTime() - start) / 1e9;
            System.err.printf(
                    Locale.ROOT,
                    "round %d: %.0f responses/s on %d cores (mean reward %.3f)%n",
                    round,
                    RESPONSES / seconds,
                    Runtime.getRuntime().availableProcessors(),
                    sum / RESPONSES);
        }
    }

    private static List<Case> cases(RandomGold random) {
        String thinking = "用户刚刚结束会议，地图显示他离车站还有三公里，手机电量充足。".repeat(20);
        List<Case> cases = new ArrayList<>();
        IntStream.range(0, RESPONSES).forEach(i -> {
            List<FunctionCall> gold = random.calls();
            Sample sample = RewardCases.sample("s" + i, List.of(new Recommendation("", gold)));
            List<Recommendation> said = List.of(new Recommendation("现在出发去车站", random.spoiled(gold)));
            String text = ResponseWriter.write(
                    i % 2 == 0
                            ? new ParResponse.Parsed(null, thinking, thinking, said)
                            : new ParResponse.Parsed(null, null, null, said));
            cases.add(new Case(sample, i % 10 == 0 ? random.damaged(text) : text));
        });
        return cases;
    }
}
