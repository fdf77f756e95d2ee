package dev.prpf.cli.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.UsageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemberGpusTest {
    /** Says which GPUs it sees, and waits for the end of its input. */
    private static ProcessBuilder member() {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", "echo ${CUDA_VISIBLE_DEVICES-all}; read -r line");
        builder.environment().remove("CUDA_VISIBLE_DEVICES");
        return builder;
    }

    private static String ended(Process member) throws IOException, InterruptedException {
        member.getOutputStream().close();
        String said = new String(member.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        member.waitFor();
        return said;
    }

    @Test
    void eachMemberThatRunsHasAGpuOfItsOwn() throws Exception {
        MemberGpus gpus = MemberGpus.of(List.of("0", "2"), 2);
        Process first = gpus.start(member());
        Process second = gpus.start(member());
        assertThat(ended(first)).isEqualTo("0");
        Process third = gpus.start(member());
        assertThat(ended(second)).isEqualTo("2");
        assertThat(ended(third)).as("that of the member which ended").isEqualTo("0");
    }

    @Test
    void oneMemberAtATimeOrABuildWithoutGpusIsToldNothing() throws Exception {
        assertThat(ended(MemberGpus.of(List.of("0", "1"), 1).start(member()))).isEqualTo("all");
        assertThat(ended(MemberGpus.of(List.of(), 4).start(member()))).isEqualTo("all");
    }

    @Test
    void moreMembersThanGpusAreRefusedUnlessAGpuIsNamedSeveralTimes() throws Exception {
        assertThatThrownBy(() -> MemberGpus.of(List.of("0"), 2))
                .isInstanceOf(UsageException.class)
                .hasMessage(
                        "--workers = 2, must be at most 1, a member for each GPU that this build sees (0); for members"
                                + " that use none set CUDA_VISIBLE_DEVICES= , and for several on one name it several times:"
                                + " CUDA_VISIBLE_DEVICES=0,0");
        MemberGpus shared = MemberGpus.of(List.of("0", "0"), 2);
        Process first = shared.start(member());
        assertThat(ended(shared.start(member()))).isEqualTo("0");
        assertThat(ended(first)).isEqualTo("0");
    }
}
