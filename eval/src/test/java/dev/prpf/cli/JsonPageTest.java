package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Holds the shapes on the page on JSON to the records that the commands print. With {@code -Dprpf.write=true} it writes them. */
class JsonPageTest {
    private static final Path PAGE = Path.of("..", "docs", "reference", "JSON.md");
    private static final Pattern BLOCK =
            Pattern.compile("(?m)^<!-- (\\S+) -->\\n```text\\n(.*?)```\\n", Pattern.DOTALL);
    private static final Pattern COMMAND = Pattern.compile("(?m)^### `prpf ([a-z -]+?)`");

    @Test
    void shapes_areThoseOfTheRecords() throws Exception {
        String page = Files.readString(PAGE);
        Matcher blocks = BLOCK.matcher(page);
        StringBuilder generated = new StringBuilder();
        while (blocks.find()) {
            String shape = JsonShapes.of(Class.forName(blocks.group(1)));
            String block = "<!-- " + blocks.group(1) + " -->\n```text\n" + shape + "\n```\n";
            blocks.appendReplacement(generated, Matcher.quoteReplacement(block));
        }
        blocks.appendTail(generated);
        if (Boolean.getBoolean("prpf.write")) {
            Files.writeString(PAGE, generated);
        }
        assertThat(page).isEqualTo(generated.toString());
    }

    @Test
    void everyCommandWithJson_isOnThePage() throws IOException {
        List<String> written = COMMAND.matcher(Files.readString(PAGE))
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(commands(Main.commandLine(), "")).containsExactlyInAnyOrderElementsOf(written);
    }

    private static List<String> commands(CommandLine command, String prefix) {
        List<String> names = new ArrayList<>();
        for (Map.Entry<String, CommandLine> sub : command.getSubcommands().entrySet()) {
            String name = prefix + sub.getKey();
            if (sub.getValue().getCommandSpec().findOption("--json") != null) {
                names.add(name);
            }
            names.addAll(commands(sub.getValue(), name + " "));
        }
        return names;
    }
}
