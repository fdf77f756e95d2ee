package dev.prpf.par.serve.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.par.serve.policy.UserPolicy.QuietHours;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UserPolicyTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            quiet-hours=["22:30"]             | quiet-hours = 22:30 must be HH:MM-HH:MM, such as 22:00-07:00
            quiet-hours=["25:00-07:00"]       | quiet-hours = 25:00-07:00 must be HH:MM-HH:MM
            quiet-hours=["07:00-07:00"]       | quiet-hours = 07:00-07:00 must be of different times; "enabled: false" is silence all day
            zone=Mars/Olympus                 | zone = Mars/Olympus must be a time zone, such as Asia/Shanghai, or null
            daily-limit=-1                    | daily-limit = -1 must be at least 0, or null
            least-gap-minutes=10081           | least-gap-minutes = 10081 must be from 0 to 10080, a week
            cool-down-minutes=-1              | cool-down-minutes = -1 must be from 0 to 10080, a week
            sensitivity=1.5                   | sensitivity = 1.5 must be from -1 to 1
            opted-out-apps=["  "]             | opted-out-apps = "  " must be a text of 1 to 100 characters
            audit.keep-days=0                 | audit: keep-days = 0 must be from 1 to 3650
            signals.phone=maybe               | signals.phone: is "maybe", must be true or false
            """)
    void aWrongValueIsRefusedWithItsRule(String override, String message) {
        assertThatThrownBy(() -> Policies.policy(override))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining("policy.yaml")
                .hasMessageContaining(message);
    }

    @Test
    void quietActivitiesNeedASignalThatTellsOfThem() {
        assertThatThrownBy(() -> Policies.policy("signals.phone=false", "signals.world=false"))
                .hasMessageContaining("must be empty, since signals.phone and signals.world are false");
        assertThat(Policies.policy("signals.phone=false", "signals.world=false", "quiet-activities=[]")
                        .quietActivities())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "22:30-07:00, 22:29:59, false",
        "22:30-07:00, 22:30:00, true",
        "22:30-07:00, 00:00:00, true",
        "22:30-07:00, 06:59:59, true",
        "22:30-07:00, 07:00:00, false",
        "09:00-12:00, 08:59:59, false",
        "09:00-12:00, 09:00:00, true",
        "09:00-12:00, 12:00:00, false",
        "00:00-23:59, 23:58:59, true",
        "00:00-23:59, 23:59:00, false"
    })
    void quietHoursHoldFromTheirFirstMomentToTheirLast(String hours, String time, boolean quiet) {
        assertThat(QuietHours.parse(hours).hold(LocalTime.parse(time))).isEqualTo(quiet);
    }

    @Test
    void aFolderGivesUsersRulesOfTheirOwn() throws IOException {
        Files.copy(Policies.SHIPPED, folder.resolve("default.yaml"));
        Files.writeString(folder.resolve("ann@example.org.yaml"), "daily-limit: 3\n");
        Files.writeString(folder.resolve(".notes"), "left alone");
        PolicyFiles files = PolicyFiles.read(folder);
        assertThat(files.of("ann@example.org").policy().dailyLimit()).isEqualTo(3);
        assertThat(files.of("ann@example.org").policy().quietHours())
                .as("the default of a key that the file lacks")
                .containsExactly("22:30-07:00");
        assertThat(files.of("bob").policy().dailyLimit()).isEqualTo(20);
        assertThat(files.of("../default").policy().dailyLimit())
                .as("a name is no path")
                .isEqualTo(20);
        assertThat(files.users()).containsExactly("ann@example.org");
        assertThat(PolicyFiles.read(Policies.SHIPPED).of("ann@example.org").policy())
                .isEqualTo(files.of("bob").policy());
    }

    @Test
    void aFileThatWouldBeNobodysPolicyIsRefused() throws IOException {
        assertThatThrownBy(() -> PolicyFiles.read(folder.resolve("none")))
                .hasMessage(
                        folder.resolve("none") + ": there is no such file or folder; --policy needs a policy, such as"
                                + " configs/policy.yaml");
        assertThatThrownBy(() -> PolicyFiles.read(folder))
                .hasMessage(folder + ": has no default.yaml, the policy of users without a file of their own");
        Files.copy(Policies.SHIPPED, folder.resolve("default.yaml"));
        Path odd = Files.copy(Policies.SHIPPED, folder.resolve("ann.yml"));
        assertThatThrownBy(() -> PolicyFiles.read(folder))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageStartingWith(
                        odd + ": not a valid policy name; a file must be named default.yaml or USER.yaml");
        Files.move(odd, folder.resolve("an n.yaml"));
        assertThatThrownBy(() -> PolicyFiles.read(folder)).hasMessageContaining("a user has 1 to 128 of A-Z a-z");
        Files.move(folder.resolve("an n.yaml"), folder.resolve("ann.yaml"));
        Files.writeString(folder.resolve("ann.yaml"), "enable: false\n");
        assertThatThrownBy(() -> PolicyFiles.read(folder))
                .hasMessageContaining("ann.yaml:1: enable: is not a known key (did you mean \"enabled\"?)");
    }
}
