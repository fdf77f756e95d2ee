package dev.prpf.eval.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CommandNeedTest {
    @Test
    void whatFitsHasItsTime() {
        assertThat(new CommandNeed("./prpf par sft", 1234L, "it needs 1.23 GB", 20_000L, true, 720.0, null, null)
                        .lines())
                .containsExactly(
                        "./prpf par sft",
                        "#   it needs 1.23 GB; 20.00 GB are free: fits",
                        "#   its products take about 12.0 minutes here");
    }

    @Test
    void whatDoesNotFitNamesWhatWouldAndAnotherTrainer() {
        CommandNeed need = new CommandNeed(
                "./prpf par sft", 30_000L, "it needs 30.00 GB", 20_000L, false, null, "lower the batch", "trl.sh sft");
        assertThat(need.lines())
                .containsExactly(
                        "./prpf par sft",
                        "#   it needs 30.00 GB; 20.00 GB are free: does NOT fit; to fit here, lower the batch",
                        "#   or with TRL, on 8 GPUs: trl.sh sft");
    }

    @Test
    void whatIsUnknownSaysWhy() {
        assertThat(new CommandNeed("./prpf par sft", null, "its memory is unknown", null, null, null, null, null)
                        .lines())
                .containsExactly("./prpf par sft", "#   its memory is unknown");
    }
}
