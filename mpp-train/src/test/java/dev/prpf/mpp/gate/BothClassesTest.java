package dev.prpf.mpp.gate;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BothClassesTest {
    @ParameterizedTest
    @CsvSource({"0, 3", "3, 0", "0, 0"})
    void aMissingClassIsBadDataOfItsOwner(long acting, long silent) {
        assertThatThrownBy(() -> ConfusionMatrix.requireBothClasses("dev.jsonl", acting, silent))
                .isInstanceOfSatisfying(PrpfException.class, e -> Assertions.assertThat(ExitCode.of(e))
                        .isEqualTo(ExitCode.BAD_DATA))
                .hasMessage("dev.jsonl: holds " + acting + " samples that want an intervention and " + silent
                        + " silent ones; a gate needs some of both");
    }

    @Test
    void oneOfEachIsEnough() {
        assertThatCode(() -> ConfusionMatrix.requireBothClasses("dev.jsonl", 1, 1))
                .doesNotThrowAnyException();
    }
}
