package dev.prpf.par.serve.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.par.serve.policy.UserPolicy.Signal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class UserRulesTest {
    private static final TraceStep MAP = new TraceStep.Caption("打开地图");
    private static final TraceStep SHOT = new TraceStep.Screenshot("a.png");

    private static UserRules.Allowed read(Sample sample, String... overrides) {
        return new UserRules(Policies.policy(overrides)).read(sample);
    }

    @Test
    void whatIsAllowedIsLeftAsItIs() {
        UserRules.Allowed allowed = read(Policies.sample());
        assertThat(allowed.sample()).isEqualTo(Policies.sample());
        assertThat(allowed.withheld()).isEmpty();
        assertThat(allowed.quiet()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Signal.class)
    void aWithheldSignalIsGoneAndNothingElse(Signal signal) {
        UserRules.Allowed allowed = read(Policies.sample(), "signals." + signal.label() + "=false");
        assertThat(allowed.withheld()).containsExactly(signal.label());
        DeviceContext whole = Policies.sample().context();
        assertThat(allowed.sample().context())
                .isEqualTo(new DeviceContext(
                        signal == Signal.PROFILE ? "" : whole.profile(),
                        signal == Signal.PHONE ? "" : whole.phone(),
                        signal == Signal.WORLD ? "" : whole.world()));
        List<TraceStep> steps = signal == Signal.CAPTIONS
                ? List.of(SHOT)
                : signal == Signal.SCREENSHOTS ? List.of(MAP) : List.of(MAP, SHOT);
        assertThat(allowed.sample().trajectory().steps()).isEqualTo(steps);
    }

    @Test
    void aSampleWithoutAnyStepLeftHasABlankOne() {
        UserRules.Allowed allowed = read(
                Policies.sample(),
                "signals={profile: false, phone: false, world: false, captions: false, screenshots: false}",
                "quiet-activities=[]");
        assertThat(allowed.sample().context()).isEqualTo(new DeviceContext("", "", ""));
        assertThat(allowed.sample().trajectory()).isEqualTo(Trajectory.BLANK);
        assertThat(allowed.withheld()).containsExactly("profile", "phone", "world", "captions", "screenshots");
    }

    @Test
    void whatNamesAnAppIsRemovedAndScreenshotsWithIt() {
        Sample sample =
                Policies.sample("爱吃辣。常用微信。", "前台应用为微信。电量80%。", "晴。", new TraceStep.Caption("在微信里聊天"), MAP, SHOT);
        UserRules.Allowed allowed = read(sample, "opted-out-apps=[微信]");
        assertThat(allowed.sample()).isEqualTo(Policies.sample("爱吃辣。", "电量80%。", "晴。", MAP));
        assertThat(allowed.withheld()).containsExactly("opted-out-apps");
        assertThat(read(sample, "opted-out-apps=[支付宝]").sample()).isEqualTo(sample);
    }

    @Test
    void aQuestionThatNamesAnAppTakesTheScreenshotsAway() {
        Sample sample = Policies.sample("爱吃辣。", "电量80%。", "晴。", MAP, SHOT);
        UserRules rules = new UserRules(Policies.policy("opted-out-apps=[微信]"));
        UserRules.Allowed asked = rules.read(sample, "用户提问：微信里他说了什么？");
        assertThat(asked.sample()).isEqualTo(Policies.sample("爱吃辣。", "电量80%。", "晴。", MAP));
        assertThat(asked.withheld()).containsExactly("opted-out-apps");
        assertThat(rules.read(sample, "用户提问：附近有什么吃的？").sample()).isEqualTo(sample);
    }

    @Test
    void anAppIsNotLookedForInWhatMayNotBeRead() {
        Sample sample = Policies.sample("", "前台应用为微信。", "", MAP, SHOT);
        UserRules.Allowed allowed = read(sample, "opted-out-apps=[微信]", "signals.phone=false");
        assertThat(allowed.sample()).isEqualTo(Policies.sample("", "", "", MAP, SHOT));
        assertThat(allowed.withheld()).containsExactly("phone");
    }

    @ParameterizedTest
    @CsvSource({
        "正在开车导航。, 晴。, '', true",
        "电量80%。, In a Meeting until 5, '', true",
        "电量80%。, 晴。, '', false",
        "正在开车导航。, 晴。, signals.phone=false, false",
        "正在开车导航。, 驾驶中, signals.phone=false, true",
        "微信会议。, 晴。, opted-out-apps=[微信], true"
    })
    void quietActivitiesAreReadOfPhoneAndWorldWhereTheyMayBe(
            String phone, String world, String override, boolean quiet) {
        Sample sample = Policies.sample("开车上班", phone, world, new TraceStep.Caption("会议"));
        String[] overrides = override.isEmpty() ? new String[0] : new String[] {override};
        assertThat(read(sample, overrides).quiet()).isEqualTo(quiet);
    }

    @Test
    void recommendationsThatNameAnAppAreSeen() {
        UserRules rules = new UserRules(Policies.policy("opted-out-apps=[Alipay]"));
        assertThat(rules.namesApp(Policies.NOTE)).isFalse();
        assertThat(rules.namesApp(Policies.recommendation("用alipay付款", "x"))).isTrue();
        assertThat(rules.namesApp(Policies.recommendation("付款", "open ALIPAY"))).isTrue();
    }

    @Test
    void theUsersZoneSaysWhatTimeItIs() {
        UserRules shanghai = new UserRules(Policies.policy("zone=Asia/Shanghai", "quiet-hours=[\"20:00-21:00\"]"));
        assertThat(shanghai.silence(Policies.NOON)).isEqualTo("quiet-hours");
        assertThat(shanghai.silence(Policies.NOON.plus(Duration.ofHours(1)))).isNull();
        assertThat(shanghai.dayBegan(Policies.NOON)).isEqualTo(Instant.parse("2026-03-01T16:00:00Z"));
        UserRules berlin = new UserRules(Policies.policy("zone=Europe/Berlin"));
        assertThat(berlin.dayBegan(Instant.parse("2026-03-29T12:00:00Z")))
                .as("a day of 23 hours")
                .isEqualTo(Instant.parse("2026-03-28T23:00:00Z"));
        assertThat(new UserRules(Policies.policy("enabled=false")).silence(Policies.NOON))
                .isEqualTo("disabled");
    }

    @Test
    void limitsHoldToTheirLastMomentAndAgainstAClockThatWasSetBack() {
        UserRules rules =
                new UserRules(Policies.policy("daily-limit=2", "least-gap-minutes=10", "cool-down-minutes=30"));
        Instant now = Policies.NOON;
        Instant gapAgo = now.minus(Duration.ofMinutes(10));
        assertThat(rules.silence(new UserRules.History(1, gapAgo, null), now)).isNull();
        assertThat(rules.silence(new UserRules.History(1, gapAgo.plusMillis(1), null), now))
                .isEqualTo("least-gap");
        assertThat(rules.silence(new UserRules.History(1, now.plusSeconds(3600), null), now))
                .isEqualTo("least-gap");
        assertThat(rules.silence(new UserRules.History(2, gapAgo, null), now)).isEqualTo("daily-limit");
        Instant rejected = now.minus(Duration.ofMinutes(30));
        assertThat(rules.silence(new UserRules.History(0, null, rejected), now)).isNull();
        assertThat(rules.silence(new UserRules.History(0, null, rejected.plusMillis(1)), now))
                .isEqualTo("cool-down");
    }

    @Test
    void whatALimitCountsFromIsKeptAsLongAsItCounts() {
        UserRules rules = new UserRules(Policies.policy("audit.keep-days=1", "cool-down-minutes=10080"));
        assertThat(rules.keptSince(Policies.NOON)).isEqualTo(Policies.NOON.minus(Duration.ofDays(1)));
        assertThat(rules.countedSince(Policies.NOON)).isEqualTo(Policies.NOON.minus(Duration.ofDays(9)));
        UserRules longer = new UserRules(Policies.policy("audit.keep-days=30"));
        assertThat(longer.countedSince(Policies.NOON)).isEqualTo(longer.keptSince(Policies.NOON));
    }
}
