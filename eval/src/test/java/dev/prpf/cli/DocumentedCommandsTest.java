package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.workflow.Renamings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Parses every command line in the code blocks of the pages, with its options, without running it. */
class DocumentedCommandsTest {
    private static final CommandLine COMMANDS = Main.commandLine();
    private static final Path ROOT = Path.of("..");
    private static final Pattern BLOCK = Pattern.compile("(?m)^[> ]*```\\w*\\n(.*?)^[> ]*```", Pattern.DOTALL);
    private static final Pattern WORD = Pattern.compile("(?:'[^']*'|\"[^\"]*\"|[^\\s'\"])+");
    private static final List<String> SEPARATORS = List.of("&&", "||", "|", ">", "&", "do");
    private static final List<String> RUNNERS = List.of("launch", "grid");

    @Test
    void everyCommand_hasOptionsThatExist() throws IOException {
        List<String> problems = new ArrayList<>();
        int commands = 0;
        for (Path page : pages()) {
            for (List<String> command : commands(Files.readString(page))) {
                commands++;
                problems(command)
                        .forEach(problem -> problems.add(page + ": " + String.join(" ", command) + ": " + problem));
            }
        }
        assertThat(problems).isEmpty();
        assertThat(commands).isGreaterThan(100);
    }

    @Test
    void wrongOption_isReported() {
        assertThat(commands("```\n./prpf gate sweep --gat runs/gate   # a comment\n```\n"))
                .singleElement()
                .satisfies(command ->
                        assertThat(problems(command)).singleElement().asString().contains("--gat"));
    }

    @Test
    void indentedBlocksAndSubstitutions_areReadToo() {
        assertThat(commands("- A list:\n  ```bash\n  source <(./prpf completion)\n  id=$(./prpf runs --json)\n  ```\n"))
                .containsExactly(List.of("completion"), List.of("runs", "--json"));
    }

    @Test
    void commandOfALaunch_isParsedToo() {
        assertThat(problems(List.of("launch", "--to", "local", "--", "runs", "--no-such")))
                .singleElement()
                .asString()
                .contains("--no-such");
    }

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md")));
        for (String folder : List.of("docs", "benchmarks", "examples", "integrations", "configs", "checkpoints")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
                files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
            }
        }
        return pages;
    }

    /** Returns the arguments of each {@code ./prpf} in a page's code blocks. */
    private static List<List<String>> commands(String page) {
        List<List<String>> commands = new ArrayList<>();
        Matcher blocks = BLOCK.matcher(page);
        while (blocks.find()) {
            for (String line : blocks.group(1).replace("\\\n", " ").split("\n", -1)) {
                List<String> words = words(line);
                for (int i = 0; i < words.size(); i++) {
                    if (!words.contains("…") && words.get(i).matches("([A-Za-z_]+=)?([$<]?\\()?\\./prpf")) {
                        commands.add(arguments(words.subList(i + 1, words.size())));
                    }
                }
            }
        }
        return commands;
    }

    /** Splits a line of shell into words, without quotes and without its comment. */
    private static List<String> words(String line) {
        List<String> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(line);
        while (matcher.find() && !matcher.group().startsWith("#")) {
            words.add(matcher.group().replaceAll("[\"']", ""));
        }
        return words;
    }

    private static List<String> arguments(List<String> words) {
        List<String> arguments = new ArrayList<>();
        for (String word : words) {
            if (SEPARATORS.contains(word) || word.startsWith("(")) { // or the explanation of an example
                break;
            }
            if (word.endsWith(";") || word.endsWith(")")) {
                arguments.add(word.substring(0, word.length() - 1));
                break;
            }
            arguments.add(word);
            if (word.endsWith("/*")) {
                arguments.add(word); // a pattern is several files
            }
        }
        return arguments;
    }

    private static List<String> problems(List<String> command) {
        List<String> problems = new ArrayList<>();
        int inner = command.indexOf("--");
        boolean runs = inner > 0 && RUNNERS.contains(command.get(0));
        if (runs) {
            List<String> rest = command.subList(inner + 1, command.size());
            problems.addAll(problems(rest.get(0).equals("./prpf") ? rest.subList(1, rest.size()) : rest));
        }
        String renamed = Renamings.problem("prpf", command);
        if (renamed != null) {
            problems.add(renamed);
        }
        int end = !runs && inner > 0 ? inner : command.size();
        try {
            CommandLine.ParseResult parsed =
                    COMMANDS.parseArgs(command.subList(0, end).toArray(String[]::new));
            if (!parsed.hasSubcommand() && !parsed.isVersionHelpRequested()) {
                problems.add("no command");
            }
        } catch (ParameterException e) {
            problems.add(e.getMessage());
        }
        return problems;
    }
}
