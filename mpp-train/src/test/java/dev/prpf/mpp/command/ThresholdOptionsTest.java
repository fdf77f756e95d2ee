package dev.prpf.mpp.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.mpp.command.ThresholdCommand.ThresholdOptions;
import dev.prpf.mpp.threshold.LearnThenTest;
import dev.prpf.mpp.threshold.ThresholdRule;
import dev.prpf.mpp.threshold.TriggerThreshold.Risk;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class ThresholdOptionsTest {
    private static ThresholdRule rule(String option) {
        ThresholdOptions options = new ThresholdOptions();
        new CommandLine(options).parseArgs(option);
        return options.rule(90);
    }

    @Test
    void eachOptionIsItsRule() {
        assertThat(rule("--min-recall=80")).isEqualTo(new ThresholdRule.MinRecall(80));
        assertThat(rule("--max-ftr=20")).isEqualTo(new ThresholdRule.MaxFalseTriggers(20));
        assertThat(rule("--tau=0.3")).isEqualTo(new ThresholdRule.Fixed(0.3));
        assertThat(rule("--paper")).isEqualTo(new ThresholdRule.Fixed(0.78));
        assertThat(rule("--bound-ftr=20")).isEqualTo(new LearnThenTest(Risk.FTR, 20, 90));
        assertThat(rule("--bound-miss=10")).isEqualTo(new LearnThenTest(Risk.MISS, 10, 90));
    }

    @Test
    void aValueOutOfRangeIsRefusedByItsOption() {
        Map<String, String> messages = Map.of(
                "--min-recall=101",
                "--min-recall = 101.0: min-recall = 101.0 must be from 0 to 100",
                "--max-ftr=-1",
                "--max-ftr = -1.0: max-ftr = -1.0 must be from 0 to 100",
                "--tau=1.5",
                "--tau = 1.5: tau = 1.5 must be in [0, 1]",
                "--bound-ftr=100",
                "--bound-ftr = 100.0: bound = 100.0 must be between 0 and 100 percent",
                "--paper=false",
                "--paper=false chooses no rule; name a rule or leave all of them out");
        messages.forEach((option, message) -> assertThatThrownBy(() -> rule(option))
                .isInstanceOf(UsageException.class)
                .hasMessage(message));
    }
}
