package dev.prpf.par.serve.cascade;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.encode.image.DataUrl;
import dev.prpf.par.agent.ActionForm;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.openai.ChatRole.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;

/** Reads a chat of PARE with its observing or executing model (arXiv 2604.00842). Names of functions come from the prompt only. */
final class ParePrompt {
    static final String WAIT = "__wait";
    static final String SAY = "__send_message_to_user";
    private static final int MOST_FUNCTIONS = 128;
    private static final int LONGEST = 2000; // characters of a step
    private static final int LONGEST_INPUTS = 8192;
    private static final int LONGEST_ACTION = 65_536;
    private static final int LONGEST_CHAT = 1_000_000;
    private static final Pattern FUNCTION = Pattern.compile("- (\\w{1,200}+): (?:Acts on app \\w{1,200}+: )?(.*)");
    private static final Pattern TASK_HEAD =
            Pattern.compile("(\\[TASK]|Sender|Already read|(User reply: )?Received at):.*");
    private static final Pattern TASK_LABEL = Pattern.compile("^(Proposed Goal|Message): ");
    private static final Pattern INPUT =
            Pattern.compile("'(\\w{1,200}+)': \\{'description': (?:'(?:[^'\\\\]++|\\\\.)*+'"
                    + "|\"(?:[^\"\\\\]++|\\\\.)*+\"|None), 'type': '(\\w{1,200}+)'(, 'default')?");
    private static final Map<String, String> TYPES = Map.of("integer", "int", "boolean", "bool", "array", "list");
    private static final Pattern READS = Pattern.compile("\\w+__(get|list|search|read|lookup|regex_search)(_\\w+)?");
    private static final Pattern TIMED = Pattern.compile("\\[[-0-9]{10} [:0-9]{8}] (.*)");
    private static final Pattern TODAY = Pattern.compile("Today's date in '[^']*' format is (.*)");

    private final List<FunctionSpec> functions = new ArrayList<>();
    private final List<String> steps = new ArrayList<>();
    private final List<ActionForm> actions = new ArrayList<>();
    private final List<String> failed = new ArrayList<>();
    private String today = "";
    private int turn; // index of the turn's first action

    /** @throws ApiException 413 if the chat is longer than a million characters */
    ParePrompt(List<Message> messages) {
        long characters =
                messages.stream().mapToLong(message -> message.text().length()).sum();
        if (characters > LONGEST_CHAT) {
            throw ApiException.tooLarge(
                    "messages", "messages have " + characters + " characters, must have at most " + LONGEST_CHAT);
        }
        messages.forEach(this::read);
    }

    private void read(Message message) {
        String text = message.text();
        if (message.role().equals("system")) {
            system(text);
        } else if (message.role().equals("assistant") && text.length() <= LONGEST_ACTION) {
            try {
                actions.add(ActionForm.read(text));
            } catch (InvalidDataException e) {
                add(text); // PARE's next message names the error
            }
        } else if (text.startsWith("[OUTPUT OF STEP")) {
            output(text);
        } else if (text.startsWith("[TASK]")) {
            task(text);
        } else {
            turn = text.startsWith("[User Actions]") ? actions.size() : turn;
            timed(text);
        }
    }

    private void system(String text) {
        String name = null;
        String description = "";
        for (String line : (Iterable<String>) text.stripTrailing().lines()::iterator) {
            Matcher function = FUNCTION.matcher(StringUtils.left(line, LONGEST));
            Matcher day = TODAY.matcher(line.strip());
            if (function.matches() && function.group(1).contains("__")) {
                name = function.group(1);
                description = function.group(2);
            } else if (name != null && line.contains("Takes inputs: ") && functions.size() < MOST_FUNCTIONS) {
                functions.add(new FunctionSpec(name, description, List.of(), parameters(line)));
                name = null;
            } else if (day.matches()) {
                today = StringUtils.left(day.group(1), LONGEST);
            }
        }
    }

    private static List<ParameterSpec> parameters(String line) {
        return INPUT.matcher(StringUtils.left(line, LONGEST_INPUTS))
                .results()
                .map(input -> new ParameterSpec(
                        input.group(1),
                        "",
                        TYPES.getOrDefault(input.group(2), input.group(2)),
                        input.group(3) == null,
                        null,
                        null))
                .toList();
    }

    /** Adds the result of the last call, or its error. */
    private void output(String text) {
        String name = actions.isEmpty() ? "" : actions.get(actions.size() - 1).name();
        if (text.startsWith(" ERROR", text.indexOf(']') + 1)) {
            failed.add(name);
        }
        if (isCall(name)) {
            add(name + ": " + StringUtils.substringBetween(text, "***", "***"));
        }
    }

    /** Adds the text of a task: the accepted proposal, or a reply of the user. */
    private void task(String text) {
        add(text.lines()
                .filter(line -> !TASK_HEAD.matcher(line).matches())
                .map(line -> TASK_LABEL.matcher(line).replaceFirst(""))
                .collect(Collectors.joining("\n")));
    }

    /** Adds notifications and moves of the user, each with its time. */
    private void timed(String text) {
        StringBuilder step = new StringBuilder();
        for (String line : (Iterable<String>) text.stripTrailing().lines()::iterator) {
            Matcher timed = TIMED.matcher(line);
            if (timed.matches()) {
                add(step.toString());
                step = new StringBuilder(timed.group(1));
            } else if (!step.isEmpty() && !line.equals("***")) {
                step.append('\n').append(line);
            }
        }
        add(step.toString());
    }

    private void add(String step) {
        String text = StringUtils.left(step.strip(), LONGEST);
        if (!text.isEmpty() && !text.equals("None") && !DataUrl.within(text)) {
            steps.add(text);
        }
    }

    private static boolean isCall(String name) {
        return !name.contains("wait") && !name.endsWith(SAY);
    }

    String today() {
        return today;
    }

    /** Returns the last steps, oldest first: events, moves, results, and tasks. */
    List<String> steps(int most, int characters) {
        int first = steps.size();
        int room = characters;
        while (first > 0
                && steps.size() - first < most
                && room >= steps.get(first - 1).length()) {
            room -= steps.get(--first).length();
        }
        return steps.subList(first, steps.size());
    }

    /** Returns the functions of the apps: all, or the functions that only read. */
    List<FunctionSpec> functions(boolean writes) {
        return functions.stream()
                .filter(function -> isCall(function.name()))
                .filter(function -> writes || READS.matcher(function.name()).matches())
                .toList();
    }

    /** Returns the calls of the whole chat, or of the current turn. */
    List<ActionForm> calls(boolean ofTurn) {
        return actions.subList(ofTurn ? turn : 0, actions.size()).stream()
                .filter(action -> isCall(action.name()))
                .toList();
    }

    /** Returns the names of calls that failed. */
    List<String> failed() {
        return failed;
    }

    /** Returns whether the chat already holds an action. */
    boolean holds(ActionForm action) {
        return actions.stream().anyMatch(earlier -> earlier.isLike(action));
    }

    /** Returns the prompt's own name of {@link #WAIT} or {@link #SAY}; null if it lacks the function. */
    @Nullable
    String named(String suffix) {
        return functions.stream()
                .map(FunctionSpec::name)
                .filter(name -> name.endsWith(suffix))
                .findFirst()
                .orElse(null);
    }
}
