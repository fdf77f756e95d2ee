package dev.prpf.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.cli.launch.JobFile.JobTemplate;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JobTemplateTest {
    private static final Path FILE = Path.of("job.sh");

    private static String render(String text, Map<String, @Nullable String> more) {
        Map<String, @Nullable String> values = new HashMap<>(Map.of("member-script", "run", "cpus", "2"));
        values.putAll(more);
        return new JobTemplate(FILE, text).render(values);
    }

    @Test
    void namesAreFilledAndLinesWithoutAValueLeftOut() {
        Map<String, @Nullable String> none = new HashMap<>();
        none.put("gpus", null);
        assertThat(render("a {{cpus}}{{cpus}}\n#SBATCH --gpus={{gpus}} {{cpus}}\n\n{{member-script}}\n", none))
                .isEqualTo("a 22\n\nrun\n");
    }

    @Test
    void aValueOfSeveralLinesKeepsTheIndentationOfItsLine() {
        assertThat(render("x:\n    {{member-script}}\n", Map.of("member-script", "a\n\n  b\n")))
                .isEqualTo("x:\n    a\n\n      b\n");
    }

    @Test
    void whatAShellAndBracesMeanStaysAsItIs() {
        assertThat(render(
                        "${a} {0..{{cpus}}} {b: {{cpus}}} $1\n{{member-script}}",
                        Map.of("member-script", "$x \\1 {{c}}")))
                .isEqualTo("${a} {0..2} {b: 2} $1\n$x \\1 {{c}}\n");
    }

    @Test
    void everyUnknownNameIsToldWithItsPlaceAndWhatWasMeant() {
        assertThatThrownBy(() -> render("{{cpu}}\nb {{nodes}}\n{{member-script}}", Map.of()))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining("job.sh:1: {{cpu}} is an unknown name (did you mean \"cpus\"?)")
                .hasMessageContaining("job.sh:2: {{nodes}} is an unknown name");
    }

    @Test
    void aTemplateThatWouldRunNothingIsRefused() {
        assertThatThrownBy(() -> render("echo {{cpus}}", Map.of()))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessage("job.sh: lacks {{member-script}}, which runs the command; copy it from configs/launch/");
        assertThatThrownBy(() -> JobTemplate.read(Path.of("/no/such.sh")))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageStartingWith("/no/such.sh: cannot be read")
                .hasMessageEndingWith("give the file of a template to --template");
    }
}
