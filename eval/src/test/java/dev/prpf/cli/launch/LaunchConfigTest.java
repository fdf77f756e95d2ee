package dev.prpf.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LaunchConfigTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nodes=0 | nodes = 0 must be 1 or more",
                "gpus=-1 | gpus = -1 must be 0 or more",
                "cpus=0 | cpus = 0 must be 1 or more",
                "memory-gib=0 | memory-gib = 0 must be 1 or more",
                "restarts=-1 | restarts = -1 must be 0 or more",
                "retries=-1 | retries = -1 must be 0 or more",
                "grace=0 | grace = 0 must be seconds from 1 to 65535",
                "time='90' | time = 90 must be [D-]HH:MM:SS, as 04:00:00",
                "time='00:02:00' | time = 00:02:00 must be longer than grace = 120 s",
                "profile=gpu | profile = gpu must be auto, cpu, cuda, cuda-mpp or cuda-pip, and ,encoders after it",
                "environment={A-B: x} | environment = A-B must be the name of a variable",
                "slurm.options=[exclusive] | options = exclusive must be --name=value",
                "slurm.partition='gpu long' | partition = gpu long must be null, or a name without blanks",
                "slurm.account='a\\\"b' | account = a\\\"b must be null, or a name without blanks, quotes",
                "kubernetes.secrets={HF_TOKEN: token} | secrets.HF_TOKEN = token must be SECRET/KEY, a Secret of the namespace",
                "kubernetes.secrets={HF-TOKEN: hub/token} | secrets = HF-TOKEN must be the name of a variable",
                "kubernetes.mount=runs | mount = runs must be an absolute path",
                "kubernetes.queue-system=kueue | queue = null must be the queue's name with queue-system kueue or volcano",
                "kubernetes.queue=gpu | queue = gpu must be the queue's name with queue-system kueue or volcano"
            })
    void whatMakesNoSenseIsRefusedWithValueAndRule(String override, String message) {
        assertThatThrownBy(() -> Launches.config(override))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining(message);
    }

    @Test
    void theMemberIsToldToSaveBeforeItsTimeIsUp() {
        assertThat(Launches.config("time='04:00:00'", "grace=120").saveAfter()).isEqualTo(4 * 3600 - 120);
        assertThat(Launches.config("time='2-01:00:05'", "grace=5").saveAfter()).isEqualTo(49 * 3600);
        assertThat(Launches.config("time=null").saveAfter()).isNull();
    }

    @Test
    void aVariableIsASecretOrWrittenDownNotBoth() {
        assertThatThrownBy(() -> Launches.config("environment={A: x}", "kubernetes.secrets={A: b/c}"))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining("environment = A must be in environment or in kubernetes.secrets, not in both");
    }

    @Test
    void aLinesEndWouldBeginAnotherDirective() {
        assertThatThrownBy(() -> Launches.config("slurm.qos=\"a\\n#SBATCH --uid=0\""))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining("qos = a\n#SBATCH --uid=0 must be null, or a name without blanks");
    }
}
