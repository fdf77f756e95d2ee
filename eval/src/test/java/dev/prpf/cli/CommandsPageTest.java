package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Holds the page of all commands to their help. With {@code -Dprpf.write=true} it writes the page. */
class CommandsPageTest {
    private static final Path PAGE = Path.of("..", "docs", "reference", "COMMANDS.md");
    private static final int WIDTH = 110;

    @Test
    void page_hasTheHelpOfEveryCommand() throws IOException {
        StringBuilder page = new StringBuilder("# Commands\n\nThe help of every command, as `--help` prints it. "
                + "`CommandsPageTest` writes this page.\n");
        append(Main.commandLine(), page);
        if (Boolean.getBoolean("prpf.write")) {
            Files.writeString(PAGE, page);
        }
        assertThat(PAGE).as("run this test with -Dprpf.write=true").content().isEqualTo(page.toString());
    }

    private static void append(CommandLine command, StringBuilder page) {
        command.getCommandSpec().usageMessage().width(WIDTH);
        String name = command.getCommandSpec().qualifiedName();
        String help = command.getUsageMessage(CommandLine.Help.Ansi.OFF).stripTrailing();
        page.append("\n## `").append(name).append("`\n```text\n").append(help).append("\n```\n");
        command.getSubcommands().values().forEach(sub -> append(sub, page));
    }
}
