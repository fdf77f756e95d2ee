package dev.prpf.eval.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AgreementTest {
    private static final Bootstrap BOOTSTRAP = new Bootstrap(500, 42, 95);

    private final Map<String, SampleVerdict> first = new LinkedHashMap<>();
    private final Map<String, SampleVerdict> second = new LinkedHashMap<>();

    private void add(int count, @Nullable Boolean a, @Nullable Boolean b) {
        for (int i = 0; i < count; i++) {
            String id = "s" + first.size();
            first.put(id, new SampleVerdict(id, a, "A of " + id));
            second.put(id, new SampleVerdict(id, b, "B of " + id));
        }
    }

    private Agreement agreement() {
        return Agreement.of(first, second, BOOTSTRAP);
    }

    /** 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: p_o = 35/50, p_e = 1/2 · 3/5 + 1/2 · 2/5 = 1/2, kappa = 0.2/0.5. */
    @Test
    void kappaByHand() {
        add(20, true, true);
        add(5, true, false);
        add(10, false, true);
        add(15, false, false);
        Agreement agreement = agreement();
        assertThat(agreement.n()).isEqualTo(50);
        assertThat(agreement.agreement()).isEqualTo(70.0);
        assertThat(agreement.kappa()).isCloseTo(0.4, within(1e-12));
        Interval interval = Objects.requireNonNull(agreement.interval());
        assertThat(interval.low()).isBetween(0.05, 0.3);
        assertThat(interval.high()).isBetween(0.5, 0.75);
        assertThat(agreement.confusion())
                .containsEntry(true, Map.of(true, 20, false, 5))
                .containsEntry(false, Map.of(true, 10, false, 15));
        assertThat(agreement.dissent())
                .hasSize(15)
                .startsWith(new Agreement.Dissent("s20", true, false, "A of s20", "B of s20"));
    }

    @Test
    void abstentionsStandApart() {
        add(2, true, true);
        add(2, false, false);
        add(1, null, true);
        add(3, false, null);
        add(1, null, null);
        Agreement agreement = agreement();
        assertThat(agreement.n()).isEqualTo(4);
        assertThat(agreement.abstained()).isEqualTo(new Agreement.Abstained(2, 4, 1));
        assertThat(agreement.kappa()).isEqualTo(1.0);
        assertThat(agreement.agreement()).isEqualTo(100.0);
        assertThat(agreement.dissent()).isEmpty();
    }

    @Test
    void whereChanceAgreesAlwaysThereIsNoKappa() {
        add(5, true, true);
        assertThat(agreement().kappa()).isNull();
        assertThat(agreement().interval()).isNull();
        assertThat(agreement().agreement()).isEqualTo(100.0);
        first.clear();
        second.clear();
        add(3, null, null);
        assertThat(agreement().n()).isZero();
        assertThat(agreement().kappa()).isNull();
        assertThat(agreement().agreement()).isNull();
    }

    @Test
    void oppositesAreMinusOne() {
        add(3, true, false);
        add(3, false, true);
        assertThat(agreement().kappa()).isEqualTo(-1.0);
    }

    @Test
    void theObjectIsTheContracts() {
        add(1, true, true);
        add(1, false, false);
        add(25, true, false);
        assertThat(JsonRecords.write(agreement()))
                .startsWith("{\"n\":27,\"abstained\":{\"a\":0,\"b\":0,\"both\":0},\"agreement\":7.4")
                .contains("\"kappa\":0.00", "\"kappa_ci\":[")
                .contains("\"confusion\":{\"true\":{\"true\":1,\"false\":25},\"false\":{\"true\":0,\"false\":1}}")
                .contains("{\"id\":\"s2\",\"a\":true,\"b\":false,\"a_reason\":\"A of s2\",\"b_reason\":\"B of s2\"}");
        assertThat(agreement().dissent()).hasSize(20);
    }

    @Test
    void verdictsOnOtherSamplesAreRefused() {
        add(2, true, true);
        first.put("only-a", new SampleVerdict("only-a", true, ""));
        second.put("only-b", new SampleVerdict("only-b", true, ""));
        assertThatThrownBy(this::agreement)
                .hasMessage(
                        "the two files hold verdicts on different samples: the second file lacks 1 ids of the other:"
                                + " only-a; the first file lacks 1 ids of the other: only-b. Both judges must have judged the"
                                + " same predictions");
    }
}
