package dev.prpf.mpp.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ThresholdCommandTest {
    @Test
    void lengthsOfTheShortlistAreARangeOrAList() {
        assertThat(ThresholdCommand.lengths("1..3")).containsExactly(1, 2, 3);
        assertThat(ThresholdCommand.lengths("1,3,5")).containsExactly(1, 3, 5);
        for (String wrong : List.of("0", "5..2", "a", "1,,2", "0..3", "")) {
            assertThatThrownBy(() -> ThresholdCommand.lengths(wrong))
                    .hasMessageContaining("--shortlist = " + wrong + ", must be");
        }
    }
}
